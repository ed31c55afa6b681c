/** The addresses of one database, for each login that works on it. */
export interface DatabaseLogins {
  /** Studio, Lite's Auth and the reading of the catalog, as `postgres`. */
  adminUrl: string;
  /** The authorization server, as `supabase_auth_admin`. */
  authUrl: string;
  /** Callers' requests, as `authenticator`. */
  requestUrl: string;
}

/** One of our API keys, or an access token signed by the authorization server. */
export interface Credential {
  token: string;
  kind: "api_key" | "access_token";
}

const MAX_TOKEN_LENGTH = 8192;
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const API_KEY = /^cor_/;
const ACCESS_TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * Reads the Authorization header. Anything but an API key or a JWT is not a credential: it must not reach the Data API,
 * which could take it for a key of the project.
 */
export function readCredential(authorization: string | undefined): Credential | undefined {
  if (authorization === undefined || authorization.length > MAX_TOKEN_LENGTH) return undefined;
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) return undefined;
  if (API_KEY.test(token)) return { token, kind: "api_key" };
  if (ACCESS_TOKEN.test(token)) return { token, kind: "access_token" };
  return undefined;
}

/**
 * Whether the database may see it. A token with any role but a person's, such as a project's legacy service key, would
 * act as that role in the Data API.
 */
export function isForTheDatabase({ token, kind }: Credential): boolean {
  if (kind === "api_key") return true;
  try {
    const claims = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(atob(claims)).role === "authenticated";
  } catch {
    return false;
  }
}

/** The headers that carry a credential to the database. */
export function credentialHeaders(credential: Credential): Record<string, string> {
  return credential.kind === "api_key"
    ? { "x-corredor-key": credential.token }
    : { authorization: `Bearer ${credential.token}` };
}

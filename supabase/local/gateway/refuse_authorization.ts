/**
 * The answer to a Data API request whose Authorization is not a token. PostgREST refuses it, while Supabase Lite treats
 * the sender as anonymous. A key sent in both headers counts as the key alone.
 */
export function refuseAuthorization({ headers }: Request): Response | undefined {
  const [scheme, token = ""] = (headers.get("authorization") ?? "").split(/\s+/);
  if (scheme?.toLowerCase() !== "bearer" || (token !== "" && token === headers.get("apikey")))
    return undefined;
  const parts = token.split(".").length;
  if (parts === 3) return undefined;
  const message =
    token === ""
      ? "Empty JWT is sent in Authorization header"
      : `Expected 3 parts in JWT; got ${parts}`;
  return Response.json(
    { code: "PGRST301", details: null, hint: null, message },
    { status: 401, headers: { "www-authenticate": `Bearer error="invalid_token"` } },
  );
}

/**
 * The answer to a request of the Data API whose Authorization is no token. PostgREST refuses it, where Supabase Lite
 * takes its sender for nobody in particular. A key that stands in both headers is the key alone.
 */
export function refusedAuthorization({ headers }: Request): Response | undefined {
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

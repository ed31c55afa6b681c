import { type Keys, legacyKey } from "../keys.ts";

/**
 * Lets the keys of an older project be shown as well, which Supabase Lite does not know. As on the hosted gateway they
 * only say which project is called: the role is that of the token in Authorization, and `anon` without one.
 */
export function acceptLegacyKeys(keys: Keys): (request: Request) => Request {
  const legacy = new Set([legacyKey(keys, "anon"), legacyKey(keys, "service_role")]);
  return (request) => {
    if (!legacy.has(request.headers.get("apikey") ?? "")) return request;
    const headers = new Headers(request.headers);
    headers.set("apikey", keys.publishableKey);
    return new Request(request, { headers });
  };
}

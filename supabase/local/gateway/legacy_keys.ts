import { type Keys, legacyKey } from "../keys.ts";

/**
 * Lets the keys of an older project be shown as well, which Supabase Lite does not know. As on the hosted gateway they
 * only say which project is called: the role is that of the token in Authorization, and `anon` without one.
 */
export function acceptLegacyKeys(keys: Keys): (request: Request) => void {
  const legacy = new Set([legacyKey(keys, "anon"), legacyKey(keys, "service_role")]);
  return ({ headers }) => {
    if (legacy.has(headers.get("apikey") ?? "")) headers.set("apikey", keys.publishableKey);
  };
}

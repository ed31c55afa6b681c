import { type Keys, legacyKey } from "../keys.ts";

/**
 * Accepts the keys of older projects too, which Supabase Lite does not know. As on the hosted gateway they only name the
 * project: the role is that of the token in Authorization, or `anon` without one.
 */
export function acceptLegacyKeys(keys: Keys): (request: Request) => void {
  const legacy = new Set([legacyKey(keys, "anon"), legacyKey(keys, "service_role")]);
  return ({ headers }) => {
    if (legacy.has(headers.get("apikey") ?? "")) headers.set("apikey", keys.publishableKey);
  };
}

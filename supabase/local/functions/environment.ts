import { type Keys, legacyKey } from "../keys.ts";

/** Settings of optional features, handed on as they are. */
const featurePrefixes = ["MCP_", "QUALIFIER_", "SANCTIONS_"];

/** The environment of a function, as hosted Supabase gives it, plus the project's own settings. */
export function functionEnvironment(options: {
  baseUrl: string;
  keys: Keys;
  overrides?: Record<string, string>;
}): Record<string, string> {
  const { baseUrl, keys, overrides = {} } = options;
  return {
    SUPABASE_URL: baseUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secretKey }),
    // What projects had before; the platform gives both.
    SUPABASE_ANON_KEY: legacyKey(keys, "anon"),
    SUPABASE_SERVICE_ROLE_KEY: legacyKey(keys, "service_role"),
    PUBLIC_BASE_URL: process.env.PUBLIC_BASE_URL ?? baseUrl,
    HOOKS_ALLOW_PRIVATE_TARGETS: process.env.HOOKS_ALLOW_PRIVATE_TARGETS ?? "false",
    ...Object.fromEntries(
      Object.entries(process.env).filter(
        (entry): entry is [string, string] =>
          entry[1] !== undefined && featurePrefixes.some((prefix) => entry[0].startsWith(prefix)),
      ),
    ),
    ...overrides,
  };
}

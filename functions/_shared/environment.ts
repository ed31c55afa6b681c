/** Reads a setting that the platform gives every function; without it nothing can work, so it fails at start. */
function required(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`The environment variable ${name} is missing.`);
  return value;
}

/** Reads the default key out of a setting that holds `{"default":"sb_…"}`. */
function defaultKey(name: string): string {
  const keys = JSON.parse(required(name)) as { default?: string };
  if (!keys.default) throw new Error(`The environment variable ${name} has no default key.`);
  return keys.default;
}

/** Where the Data API is, without a slash at the end. */
export function supabaseUrl(): string {
  return required("SUPABASE_URL").replace(/\/+$/, "");
}

/** The key that says which project is called; it gives no right of its own. */
export function publishableKey(): string {
  return defaultKey("SUPABASE_PUBLISHABLE_KEYS");
}

/** The key with which the database's jobs call our functions, and these call the database for work of their own. */
export function secretKey(): string {
  return defaultKey("SUPABASE_SECRET_KEYS");
}

/**
 * What callers put before /api: the custom domain, or the functions' address of a plain project. Without a slash at
 * the end.
 */
export function publicBaseUrl(): string {
  return (Deno.env.get("PUBLIC_BASE_URL") || `${supabaseUrl()}/functions/v1`).replace(/\/+$/, "");
}

/**
 * The header in which the outermost proxy says who called it. Supabase's platform stands behind Cloudflare, which writes
 * cf-connecting-ip whatever the caller sent; elsewhere each proxy adds the address to x-forwarded-for. Behind a proxy of
 * one's own it is that proxy's header.
 */
export function clientAddressHeader(): string {
  const named = Deno.env.get("CLIENT_ADDRESS_HEADER");
  if (named) return named;
  return new URL(supabaseUrl()).hostname.endsWith(".supabase.co")
    ? "cf-connecting-ip"
    : "x-forwarded-for";
}

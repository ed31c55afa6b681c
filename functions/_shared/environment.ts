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

/** Where functions reach the project, without a slash at the end. Inside a container it may be an address of no use outside. */
export function supabaseUrl(): string {
  return required("SUPABASE_URL").replace(/\/+$/, "");
}

/** Where people and their programs reach the project: what an answer names. Without a slash at the end. */
export function publicSupabaseUrl(): string {
  return (Deno.env.get("PUBLIC_SUPABASE_URL") || supabaseUrl()).replace(/\/+$/, "");
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
  return (Deno.env.get("PUBLIC_BASE_URL") || `${publicSupabaseUrl()}/functions/v1`).replace(
    /\/+$/,
    "",
  );
}

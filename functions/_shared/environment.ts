/**
 * What the platform gives every function. It fails at no start: a function that lacks something answers so (serve.ts),
 * where one that died could only be restarted.
 */

/** What a function may need. */
export type Need = "url" | "publishable key" | "secret key";

/** The settings in which each is found: the present one, and that of projects from before there were such keys. */
const FOUND_IN: Record<Need, string[]> = {
  url: ["SUPABASE_URL"],
  "publishable key": ["SUPABASE_PUBLISHABLE_KEYS", "SUPABASE_ANON_KEY"],
  "secret key": ["SUPABASE_SECRET_KEYS", "SUPABASE_SERVICE_ROLE_KEY"],
};

/** In words for the log, which of these this project has not given. */
export function missing(needs: readonly Need[]): string[] {
  return needs
    .filter((need) => valuesOf(need).length === 0)
    .map((need) => `no ${need}: ${FOUND_IN[need].join(" and ")} hold none`);
}

/** Where functions reach the project, without a slash at the end. Inside a container it may be an address of no use outside. */
export function supabaseUrl(): string {
  return (valuesOf("url")[0] ?? "").replace(/\/+$/, "");
}

/** Where people and their programs reach the project: what an answer names. Without a slash at the end. */
export function publicSupabaseUrl(): string {
  return (Deno.env.get("PUBLIC_SUPABASE_URL") || supabaseUrl()).replace(/\/+$/, "");
}

/** The key that says which project is called; it gives no right of its own. */
export function publishableKey(): string {
  return valuesOf("publishable key")[0] ?? "";
}

/** The keys with which the database's jobs may call our functions: a project can have several, each for its own use. */
export function secretKeys(): string[] {
  return valuesOf("secret key");
}

/** The headers with which our functions call the database for work of their own. */
export function secretHeaders(): Record<string, string> {
  const [key = ""] = secretKeys();
  // The key of an older project is a token, whose role the Data API reads there alone. A newer key is no token.
  return { apikey: key, ...(key.startsWith("sb_") ? {} : { authorization: `Bearer ${key}` }) };
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

function valuesOf(need: Need): string[] {
  return FOUND_IN[need].flatMap((name) => {
    const text = Deno.env.get(name);
    if (!text) return [];
    return name.endsWith("_KEYS") ? namedKeys(text) : [text];
  });
}

/** The keys out of `{"default":"sb_…","jobs":"sb_…"}`, that named `default` first. */
function namedKeys(text: string): string[] {
  try {
    const { default: first, ...others } = JSON.parse(text) as Record<string, unknown>;
    return [first, ...Object.values(others)].filter(
      (key): key is string => typeof key === "string" && key !== "",
    );
  } catch {
    return [];
  }
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

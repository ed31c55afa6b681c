/**
 * What the platform gives every function. Nothing here fails at start: a function that lacks a setting answers 503
 * (serve.ts), where one that crashed could only be restarted.
 */

/** What a function may need. */
export type Need = "url" | "publishable key" | "secret key";

/** The settings that may hold each: the current one, then the one of older projects. */
const FOUND_IN: Record<Need, string[]> = {
  url: ["SUPABASE_URL"],
  "publishable key": ["SUPABASE_PUBLISHABLE_KEYS", "SUPABASE_ANON_KEY"],
  "secret key": ["SUPABASE_SECRET_KEYS", "SUPABASE_SERVICE_ROLE_KEY"],
};

/** Which of these the project has not set, in words for the log. */
export function missing(needs: readonly Need[]): string[] {
  return needs
    .filter((need) => valuesOf(need).length === 0)
    .map((need) => `no ${need}: ${FOUND_IN[need].join(" and ")} not set or empty`);
}

/** Where functions reach the project, without a trailing slash. In a container it may be useless from outside. */
export function supabaseUrl(): string {
  return (valuesOf("url")[0] ?? "").replace(/\/+$/, "");
}

/** Where callers reach the project, for use in answers; without a trailing slash. */
export function publicSupabaseUrl(): string {
  return (Deno.env.get("PUBLIC_SUPABASE_URL") || supabaseUrl()).replace(/\/+$/, "");
}

/** The key that identifies the project; it grants nothing by itself. */
export function publishableKey(): string {
  return valuesOf("publishable key")[0] ?? "";
}

/** The keys with which the database's jobs may call our functions; a project can have several. */
export function secretKeys(): string[] {
  return valuesOf("secret key");
}

/** The headers with which our functions call the database on their own behalf. */
export function secretHeaders(): Record<string, string> {
  const [key = ""] = secretKeys();
  // An older project's key is a JWT, whose role the Data API reads only from Authorization. A newer key is not a JWT.
  return { apikey: key, ...(key.startsWith("sb_") ? {} : { authorization: `Bearer ${key}` }) };
}

/**
 * What callers put before /api: the custom domain, or the functions' address of a plain project; without a trailing
 * slash.
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

/** The keys in `{"default":"sb_…","jobs":"sb_…"}`, the default one first. */
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
 * The header in which the outermost proxy says who called it. Supabase's platform is behind Cloudflare, which
 * overwrites cf-connecting-ip; elsewhere each proxy appends to x-forwarded-for. With your own proxy, set
 * CLIENT_ADDRESS_HEADER.
 */
export function clientAddressHeader(): string {
  const named = Deno.env.get("CLIENT_ADDRESS_HEADER");
  if (named) return named;
  return new URL(supabaseUrl()).hostname.endsWith(".supabase.co")
    ? "cf-connecting-ip"
    : "x-forwarded-for";
}

import { createHash, timingSafeEqual } from "node:crypto";

/** The project's secret key, with which the database's jobs call our functions and these call the database. */
export function secretKey(): string {
  const keys = JSON.parse(Deno.env.get("SUPABASE_SECRET_KEYS") ?? "{}") as { default?: string };
  if (!keys.default)
    throw new Error("The environment variable SUPABASE_SECRET_KEYS has no default key.");
  return keys.default;
}

/** Whether a request shows the secret key. Digests are compared, so that the time taken tells nothing about the key. */
export function showsSecretKey(request: Request, key: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(request.headers.get("apikey") ?? ""), digest(key));
}

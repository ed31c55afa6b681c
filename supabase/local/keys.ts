import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { generateApiKey } from "@supabase/lite";
import { hasTexts, keep, readKept } from "./kept_file.ts";

/** The credentials of a local project, as a hosted one shows them in its dashboard. */
export interface Keys {
  publishableKey: string;
  secretKey: string;
  /** Signs and verifies the access tokens (HS256). */
  jwtSecret: string;
}

/** New credentials, in the form of a hosted project's. */
export async function generateKeys(): Promise<Keys> {
  return {
    publishableKey: (await generateApiKey("publishable")).key,
    secretKey: (await generateApiKey("secret")).key,
    jwtSecret: randomBytes(32).toString("base64url"),
  };
}

/** Signs an access token that expires after an hour, as Auth does. */
export function signToken(jwtSecret: string, claims: Record<string, unknown>): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { aud: "authenticated", role: "authenticated", iat: now, exp: now + 3600 };
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const unsigned = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ ...payload, ...claims })}`;
  return `${unsigned}.${createHmac("sha256", jwtSecret).update(unsigned).digest("base64url")}`;
}

/** The key of a role from before there were publishable and secret keys; hosted ones are valid for ten years. */
export function legacyKey({ jwtSecret }: Keys, role: "anon" | "service_role"): string {
  return signToken(jwtSecret, { iss: "supabase", role, iat: 1_750_000_000, exp: 2_065_000_000 });
}

/** The credentials kept in the data folder, made on first use. */
export async function loadKeys(dataDirectory: string): Promise<Keys> {
  const kept = readKeys(dataDirectory);
  if (kept !== undefined) return kept;
  const keys = await generateKeys();
  keep(fileOf(dataDirectory), keys);
  return keys;
}

/** The credentials kept in the data folder, if there are any. */
export function readKeys(dataDirectory: string): Keys | undefined {
  return readKept(fileOf(dataDirectory), isKeys);
}

function fileOf(dataDirectory: string): string {
  return join(dataDirectory, "keys.json");
}

function isKeys(content: unknown): content is Keys {
  return hasTexts(content, ["publishableKey", "secretKey", "jwtSecret"]);
}

import { generateKeyPairSync, type JsonWebKey, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the authorization server signs with, beside the project's own secret. */
export interface OAuthKeys {
  /** The private key of ID tokens; access tokens are signed with the project's secret, as the gateway checks them. */
  signingKey: JsonWebKey;
  /** Signs the cookies that carry an authorization from one page to the next. */
  cookieSecret: string;
}

/** The keys kept in the folder, made on first use. */
export function loadOAuthKeys(directory: string): OAuthKeys {
  const path = join(directory, "keys.json");
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8"));
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys: OAuthKeys = {
    signingKey: { ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" },
    cookieSecret: randomBytes(32).toString("base64url"),
  };
  mkdirSync(directory, { recursive: true });
  writeFileSync(path, `${JSON.stringify(keys)}\n`, { mode: 0o600 });
  return keys;
}

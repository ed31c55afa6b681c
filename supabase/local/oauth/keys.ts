import { generateKeyPairSync, type JsonWebKey, randomBytes } from "node:crypto";
import { join } from "node:path";
import { hasTexts, keep, readKept } from "../kept_file.ts";

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
  const kept = readKept(path, isOAuthKeys);
  if (kept !== undefined) return kept;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys: OAuthKeys = {
    signingKey: { ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" },
    cookieSecret: randomBytes(32).toString("base64url"),
  };
  keep(path, keys);
  return keys;
}

function isOAuthKeys(content: unknown): content is OAuthKeys {
  return hasTexts(content, ["cookieSecret"]) && "signingKey" in content;
}

import { sign } from "hono/jwt";
import { readToken } from "./read_token.ts";
import { storageErrors } from "./storage_error.ts";

/** What a signed URL allows. */
export type Scope = "upload" | "download";

/** A token that allows one thing with one object until it expires. */
export function signObject(
  secret: string,
  scope: Scope,
  object: string,
  expiresIn_s: number,
  more: { upsert?: boolean; owner?: string } = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return sign({ scope, url: object, ...more, iat: now, exp: now + expiresIn_s }, secret, "HS256");
}

/** Returns who signed and whether the object may be replaced; refuses a token that is expired or for something else. */
export async function checkSigned(
  secret: string,
  scope: Scope,
  object: string,
  token: string | undefined,
): Promise<{ upsert: boolean; owner: string | null }> {
  if (token === undefined) {
    throw storageErrors.invalidRequest("querystring must have required property 'token'");
  }
  const claims = await readToken(token, secret, storageErrors.invalidToken);
  if (claims.scope !== scope) {
    throw storageErrors.invalidSignature(`Token is not scoped for ${scope}`);
  }
  if (claims.url !== object) throw storageErrors.invalidSignature();
  return {
    upsert: claims.upsert === true,
    owner: typeof claims.owner === "string" ? claims.owner : null,
  };
}

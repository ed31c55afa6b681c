import { sign } from "hono/jwt";
import { problems } from "./problem.ts";
import { readToken } from "./token.ts";

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

/** Refuses a token that does not allow it, or no longer; else whose it is, and whether it may replace what is there. */
export async function checkSigned(
  secret: string,
  scope: Scope,
  object: string,
  token: string | undefined,
): Promise<{ upsert: boolean; owner: string | null }> {
  if (token === undefined) {
    throw problems.invalidRequest("querystring must have required property 'token'");
  }
  const claims = await readToken(token, secret, problems.invalidToken);
  if (claims.scope !== scope) {
    throw problems.invalidSignature(`Token is not scoped for ${scope}`);
  }
  if (claims.url !== object) throw problems.invalidSignature();
  return {
    upsert: claims.upsert === true,
    owner: typeof claims.owner === "string" ? claims.owner : null,
  };
}

import { sign, verify } from "hono/jwt";
import { problems } from "./problem.ts";

/** What a signed URL allows. */
export type Intent = "upload" | "download";

/** A token that allows one thing with one object until it expires. */
export function signObject(
  secret: string,
  intent: Intent,
  object: string,
  expiresIn_s: number,
): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + expiresIn_s;
  return sign({ intent, url: object, exp }, secret, "HS256");
}

/** Refuses a token that does not allow it, or no longer. */
export async function checkSigned(
  secret: string,
  intent: Intent,
  object: string,
  token: string | null,
): Promise<void> {
  const claims = await verify(token ?? "", secret, "HS256").catch(() => {
    throw problems.invalidToken();
  });
  if (claims.intent !== intent || claims.url !== object) throw problems.invalidToken();
}

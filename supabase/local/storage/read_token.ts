import { verify } from "hono/jwt";
import type { StorageError } from "./storage_error.ts";

/** The claims of a token. An invalid one is refused with the messages of Storage's own JWT library. */
export async function readToken(
  token: string,
  secret: string,
  refusal: (message: string) => StorageError,
): Promise<Record<string, unknown>> {
  try {
    return await verify(token, secret, "HS256");
  } catch (error) {
    const { name } = error as Error;
    if (name === "JwtTokenExpired") throw refusal('"exp" claim timestamp check failed');
    if (name === "JwtTokenSignatureMismatched") throw refusal("signature verification failed");
    throw refusal("Invalid Compact JWS");
  }
}

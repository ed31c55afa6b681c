import { verify } from "hono/jwt";
import type { StorageProblem } from "./problem.ts";

/** The claims of a token; one that is not good is refused in the words of the library that Storage reads it with. */
export async function readToken(
  token: string,
  secret: string,
  refusal: (message: string) => StorageProblem,
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

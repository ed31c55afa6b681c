import type { Permission } from "../../types/contracts/permissions.ts";
import { type Caller, callRpc, type RpcAnswer } from "./caller_rpc.ts";

const REMEMBER_MS = 5 * 60_000;
const MAX_REMEMBERED = 1000;
const countries = new Map<string, { country: string; until: number }>();

/**
 * Counts the request and checks the credential, for requests that the function itself refuses: a caller who may not
 * call at all is told so, and not what is wrong with the body.
 */
export async function authenticate(
  caller: Caller,
  permission: Permission | undefined,
): Promise<RpcAnswer> {
  const answer = await callRpc("authenticate", { required_permission: permission }, caller);
  await remember(caller, answer);
  return answer;
}

/**
 * The country of the caller's agency, assumed for national phone numbers. Remembered for five minutes per credential,
 * under the token's hash so that no token stays in memory.
 */
export async function countryOf(caller: Caller, permission: Permission): Promise<string> {
  const known = countries.get(await hashOf(caller));
  if (known && known.until > Date.now()) return known.country;
  return countryIn(await authenticate(caller, permission));
}

function countryIn(answer: RpcAnswer): string {
  return (JSON.parse(answer.json) as { country: string }).country;
}

async function remember(caller: Caller, answer: RpcAnswer): Promise<void> {
  const hash = await hashOf(caller);
  countries.delete(hash);
  if (countries.size >= MAX_REMEMBERED) {
    // A Map keeps the order of insertion, so the first key is the oldest.
    const oldest = countries.keys().next().value;
    if (oldest !== undefined) countries.delete(oldest);
  }
  countries.set(hash, { country: countryIn(answer), until: Date.now() + REMEMBER_MS });
}

async function hashOf(caller: Caller): Promise<string> {
  const token = new TextEncoder().encode(caller.credential?.token);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", token));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

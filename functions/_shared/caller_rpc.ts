import { type Credential, credentialHeaders, isForTheDatabase } from "./credential.ts";
import { fromDatabase } from "./database_errors.ts";
import { publishableKey, supabaseUrl } from "./environment.ts";
import { type RateLimit, unauthorized, unavailable } from "./errors.ts";
import type { Exactly, RpcArguments, RpcName } from "./rpc.ts";

/** Who calls, and the id under which the call is logged. */
export interface Caller {
  credential: Credential | undefined;
  requestId: string;
}

/** A successful call: the JSON that the RPC returned, and the caller's request budget. */
export interface RpcAnswer<Json = string> {
  json: Json;
  rateLimit: RateLimit | undefined;
}

const ANSWER_WITHIN_MS = 30_000;
const RPC_URL = `${supabaseUrl()}/rest/v1/rpc/`;
const FIXED_HEADERS = {
  apikey: publishableKey(),
  "content-profile": "api",
  "content-type": "application/json",
  accept: "application/json",
};
const WRITES = /^(create|update|archive|delete)_/;
const encoder = new TextEncoder();

/**
 * Calls one RPC of the schema `api` as the caller.
 *
 * This is fetch and not postgrest-js, because the answer's headers are needed, and because JSON that is passed on as
 * it came is not parsed and written again.
 */
export function callRpc<Name extends RpcName, Given extends RpcArguments<Name>>(
  rpc: Name,
  args: Exactly<Given, Name>,
  caller: Caller,
): Promise<RpcAnswer> {
  return call(rpc, args, caller, (response) => response.text());
}

/**
 * The same for JSON that is only passed on. It goes through piece by piece, since a few long lists held at once are
 * most of a function's memory. Nothing comes before the database is done, so what fails there is still refused as
 * ever; if the connection breaks later, the caller's breaks off too. Whoever calls this has to read the stream.
 */
export function streamRpc<Name extends RpcName, Given extends RpcArguments<Name>>(
  rpc: Name,
  args: Exactly<Given, Name>,
  caller: Caller,
): Promise<RpcAnswer<ReadableStream | null>> {
  return call(rpc, args, caller, (response) => response.body);
}

async function call<Json>(
  rpc: RpcName,
  args: object,
  caller: Caller,
  read: (response: Response) => Json | Promise<Json>,
): Promise<RpcAnswer<Json>> {
  if (caller.credential && !isForTheDatabase(caller.credential)) throw unauthorized();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), ANSWER_WITHIN_MS);
  let response: Response;
  let errorBody: string;
  try {
    const json = JSON.stringify(args);
    response = await fetch(RPC_URL + rpc, {
      method: "POST",
      headers: {
        ...FIXED_HEADERS,
        ...(caller.credential ? credentialHeaders(caller.credential) : {}),
        "x-request-id": caller.requestId,
      },
      body: WRITES.test(rpc) ? onceOnly(json) : json,
      signal: timeout.signal,
    });
    if (response.ok) {
      return { json: await read(response), rateLimit: rateLimitOf(response.headers) };
    }
    errorBody = await response.text();
  } catch (error) {
    throw unavailable(error);
  } finally {
    clearTimeout(timer);
  }
  throw fromDatabase(response.status, errorBody, caller.credential?.kind === "access_token");
}

/**
 * Deno's fetch sends a request again by itself when a kept connection is reset, also a POST that was already read.
 * It cannot do so with a stream, so a write that may have been done is never done twice.
 */
function onceOnly(json: string): ReadableStream<Uint8Array> {
  const bytes = encoder.encode(json);
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function rateLimitOf(headers: Headers): RateLimit | undefined {
  const limit = headers.get("ratelimit-limit");
  if (limit === null) return undefined;
  return {
    limit,
    remaining: headers.get("ratelimit-remaining") ?? "0",
    reset: headers.get("ratelimit-reset") ?? "0",
  };
}

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
 * This uses fetch and not postgrest-js, because it needs the response's headers, and because JSON that is passed on
 * unchanged need not be parsed and written again.
 */
export function callRpc<Name extends RpcName, Given extends RpcArguments<Name>>(
  rpc: Name,
  args: Exactly<Given, Name>,
  caller: Caller,
): Promise<RpcAnswer> {
  return call(rpc, args, caller, (response) => response.text());
}

/**
 * The same for JSON that is only passed on. It is streamed, since a few long lists held at once would fill most of a
 * function's memory. Nothing arrives before the database is done, so its errors are still answered as usual; if the
 * connection breaks later, the caller's breaks off too. The stream must be read or cancelled.
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
 * Deno's fetch resends a request by itself when a kept-alive connection is reset, even a POST that was already
 * received. It cannot resend a stream, so no write is ever done twice.
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

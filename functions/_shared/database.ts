import { type Credential, credentialHeaders, isForTheDatabase } from "./credential.ts";
import { fromDatabase } from "./database_errors.ts";
import { publishableKey, supabaseUrl } from "./environment.ts";
import { type RateLimit, unauthorized, unavailable } from "./errors.ts";

/** Who calls, and the id under which the call is logged. */
export interface Caller {
  credential: Credential | undefined;
  requestId: string;
}

/** A successful call: what the RPC returned, and the caller's request budget. */
export class DatabaseAnswer {
  /** The JSON as it came. A long list is passed on like this: as a text it would be held twice. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rateLimit: RateLimit | undefined;

  constructor(bytes: Uint8Array<ArrayBuffer>, rateLimit: RateLimit | undefined) {
    this.bytes = bytes;
    this.rateLimit = rateLimit;
  }

  /** The JSON as text. */
  get json(): string {
    return decoder.decode(this.bytes);
  }
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
const decoder = new TextDecoder();

/**
 * Calls one RPC of the schema `api` as the caller.
 *
 * This is fetch and not postgrest-js, because the answer's headers are needed, and because a body that is passed on
 * as bytes is not parsed and written again.
 */
export async function callDatabase(
  rpc: string,
  args: Record<string, unknown>,
  caller: Caller,
): Promise<DatabaseAnswer> {
  if (caller.credential && !isForTheDatabase(caller.credential)) throw unauthorized();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), ANSWER_WITHIN_MS);
  let response: Response;
  let body: Uint8Array<ArrayBuffer>;
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
    body = new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw unavailable(error);
  } finally {
    clearTimeout(timer);
  }
  if (!response.ok) {
    throw fromDatabase(
      response.status,
      decoder.decode(body),
      caller.credential?.kind === "access_token",
    );
  }
  return new DatabaseAnswer(body, rateLimitOf(response.headers));
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

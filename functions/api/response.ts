import type { RpcAnswer } from "../_shared/caller_rpc.ts";
import { streamRpc } from "../_shared/caller_rpc.ts";
import type { Exactly, RpcArguments, RpcName } from "../_shared/rpc.ts";
import { type ApiContext, callerOf, showRateLimit } from "./context.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Streams what an RPC returns: a list, which the database has already wrapped. */
export async function sendRpc<Name extends RpcName, Given extends RpcArguments<Name>>(
  c: ApiContext,
  name: Name,
  args: Exactly<Given, Name>,
): Promise<Response> {
  const { json, rateLimit } = await streamRpc(name, args, callerOf(c));
  showRateLimit(c, rateLimit);
  if (json === null || c.req.method === "HEAD") {
    // Nobody will read the stream, which would keep its connection.
    await json?.cancel();
    return c.body(null, 200, JSON_TYPE);
  }
  return c.body(json, 200, JSON_TYPE);
}

/** Sends one object in the `data` envelope. */
export function sendOne(c: ApiContext, answer: RpcAnswer): Response {
  return c.body(`{"data":${answer.json}}`, 200, JSON_TYPE);
}

/** What an RPC returns for a POST. */
export interface Created<Body = unknown> {
  status: 200 | 201;
  replayed: boolean;
  body: Body;
}

export function markReplayed(c: ApiContext, created: Created): void {
  if (created.replayed) c.header("Idempotent-Replayed", "true");
}

/** Answers a POST with the status that the database chose, and marks a stored answer as such. */
export function sendCreated(
  c: ApiContext,
  answer: RpcAnswer,
  envelope: "data" | "flat" = "data",
): Response {
  const created = JSON.parse(answer.json) as Created;
  markReplayed(c, created);
  return c.json(envelope === "data" ? { data: created.body } : created.body, created.status);
}

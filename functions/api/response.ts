import type { RpcAnswer } from "../_shared/caller_rpc.ts";
import { streamRpc } from "../_shared/caller_rpc.ts";
import type { Exactly, RpcArguments, RpcName } from "../_shared/rpc.ts";
import { type ApiContext, callerOf, showRateLimit } from "./context.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Sends what an RPC returns, as it comes: lists, which the database already wrapped. */
export async function sendRpc<Name extends RpcName, Given extends RpcArguments<Name>>(
  c: ApiContext,
  name: Name,
  args: Exactly<Given, Name>,
): Promise<Response> {
  const { json, rateLimit } = await streamRpc(name, args, callerOf(c));
  showRateLimit(c, rateLimit);
  if (json === null || c.req.method === "HEAD") {
    // Nobody would read the stream, which would keep its connection.
    await json?.cancel();
    return c.body(null, 200, JSON_TYPE);
  }
  return c.body(json, 200, JSON_TYPE);
}

/** Sends one object in the `data` envelope. */
export function sendOne(c: ApiContext, answer: RpcAnswer): Response {
  return c.body(`{"data":${answer.json}}`, 200, JSON_TYPE);
}

/** What an RPC answers to a POST. */
export interface Created<Body = unknown> {
  status: 200 | 201;
  replayed: boolean;
  body: Body;
}

/** Tells when an answer was kept from an earlier try. */
export function markReplayed(c: ApiContext, created: Created): void {
  if (created.replayed) c.header("Idempotent-Replayed", "true");
}

/** Answers a POST: the status that the database chose, and whether the answer was kept from an earlier try. */
export function sendCreated(
  c: ApiContext,
  answer: RpcAnswer,
  envelope: "data" | "flat" = "data",
): Response {
  const created = JSON.parse(answer.json) as Created;
  markReplayed(c, created);
  return c.json(envelope === "data" ? { data: created.body } : created.body, created.status);
}

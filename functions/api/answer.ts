import type { DatabaseAnswer } from "../_shared/database.ts";
import type { ApiContext } from "./context.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Answers the RPC's JSON as it is: lists, which the database already wrapped. */
export function answerAsIs(c: ApiContext, answer: DatabaseAnswer): Response {
  return c.body(answer.bytes, 200, JSON_TYPE);
}

/** Answers one object in the `data` envelope. */
export function answerOne(c: ApiContext, answer: DatabaseAnswer): Response {
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
export function answerCreated(
  c: ApiContext,
  answer: DatabaseAnswer,
  envelope: "data" | "flat" = "data",
): Response {
  const created = JSON.parse(answer.json) as Created;
  markReplayed(c, created);
  return c.json(envelope === "data" ? { data: created.body } : created.body, created.status);
}

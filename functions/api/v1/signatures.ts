import { Hono } from "hono";
import { listArguments, listOf, one } from "../../../types/contracts/pages.ts";
import {
  CreateSignature,
  ListSignaturesQuery,
  Signature,
  UpdateSignature,
} from "../../../types/contracts/signatures.ts";
import { answerCreated, answerOne, passOn } from "../answer.ts";
import { type ApiEnv, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "../request.ts";

export const signatures = new Hono<ApiEnv>();

const list = endpoint({
  operationId: "listSignatures",
  access: "signatures:read",
  query: ListSignaturesQuery,
  answers: { 200: listOf(Signature) },
});
signatures.get("/", list, async (c) => {
  return passOn(c, "list_signatures", listArguments(readQuery(c, list.query)));
});

const get = endpoint({
  operationId: "getSignature",
  access: "signatures:read",
  answers: { 200: one(Signature) },
});
signatures.get("/:id", get, async (c) => {
  const signature_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_signature", { signature_id }));
});

const create = endpoint({
  operationId: "createSignature",
  access: "signatures:write",
  body: CreateSignature,
  answers: { 201: one(Signature) },
});
signatures.post("/", create, async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, create.body);
  return answerCreated(c, await rpc(c, "create_signature", { body, idempotency_key }));
});

const update = endpoint({
  operationId: "updateSignature",
  access: "signatures:write",
  body: UpdateSignature,
  answers: { 200: one(Signature) },
});
signatures.patch("/:id", update, async (c) => {
  const signature_id = pathId(c);
  const patch = await readBody(c, update.body);
  return answerOne(c, await rpc(c, "update_signature", { signature_id, patch }));
});

import { Hono } from "hono";
import {
  CreateOperation,
  ListOperationsQuery,
  Operation,
  UpdateOperation,
} from "../../../types/contracts/operations.ts";
import { listArguments, listOf, one } from "../../../types/contracts/pages.ts";
import { answerCreated, answerOne, passOn } from "../answer.ts";
import { type ApiEnv, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "../request.ts";

export const operations = new Hono<ApiEnv>();

const list = endpoint({
  operationId: "listOperations",
  access: "operations:read",
  query: ListOperationsQuery,
  answers: { 200: listOf(Operation) },
});
operations.get("/", list, async (c) => {
  return passOn(c, "list_operations", listArguments(readQuery(c, list.query)));
});

const get = endpoint({
  operationId: "getOperation",
  access: "operations:read",
  answers: { 200: one(Operation) },
});
operations.get("/:id", get, async (c) => {
  const operation_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_operation", { operation_id }));
});

const create = endpoint({
  operationId: "createOperation",
  access: "operations:write",
  body: CreateOperation,
  answers: { 200: one(Operation), 201: one(Operation) },
});
operations.post("/", create, async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, create.body);
  return answerCreated(c, await rpc(c, "create_operation", { body, idempotency_key }));
});

const update = endpoint({
  operationId: "updateOperation",
  access: "operations:write",
  body: UpdateOperation,
  answers: { 200: one(Operation) },
});
operations.patch("/:id", update, async (c) => {
  const operation_id = pathId(c);
  const patch = await readBody(c, update.body);
  return answerOne(c, await rpc(c, "update_operation", { operation_id, patch }));
});

import { Hono } from "hono";
import { listArguments, listOf, one } from "../../../types/contracts/pages.ts";
import {
  CreateViewing,
  ListViewingsQuery,
  UpdateViewing,
  Viewing,
} from "../../../types/contracts/viewings.ts";
import { answerCreated, answerOne, passOn } from "../answer.ts";
import { type ApiEnv, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "../request.ts";

export const viewings = new Hono<ApiEnv>();

const list = endpoint({
  operationId: "listViewings",
  access: "viewings:read",
  query: ListViewingsQuery,
  answers: { 200: listOf(Viewing) },
});
viewings.get("/", list, async (c) => {
  return passOn(c, "list_viewings", listArguments(readQuery(c, list.query)));
});

const get = endpoint({
  operationId: "getViewing",
  access: "viewings:read",
  answers: { 200: one(Viewing) },
});
viewings.get("/:id", get, async (c) => {
  const viewing_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_viewing", { viewing_id }));
});

const create = endpoint({
  operationId: "createViewing",
  access: "viewings:write",
  body: CreateViewing,
  answers: { 201: one(Viewing) },
});
viewings.post("/", create, async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, create.body);
  return answerCreated(c, await rpc(c, "create_viewing", { body, idempotency_key }));
});

const update = endpoint({
  operationId: "updateViewing",
  access: "viewings:write",
  body: UpdateViewing,
  answers: { 200: one(Viewing) },
});
viewings.patch("/:id", update, async (c) => {
  const viewing_id = pathId(c);
  const patch = await readBody(c, update.body);
  return answerOne(c, await rpc(c, "update_viewing", { viewing_id, patch }));
});

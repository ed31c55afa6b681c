import { Hono } from "hono";
import { pageArguments } from "../../../types/contracts/pages.ts";
import {
  CreateViewing,
  ListViewingsQuery,
  UpdateViewing,
} from "../../../types/contracts/viewings.ts";
import { answerAsIs, answerCreated, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "../request.ts";

export const viewings = new Hono<ApiEnv>();

viewings.get("/", needs("viewings:read"), async (c) => {
  const { limit, cursor, ...filters } = readQuery(c, ListViewingsQuery);
  return answerAsIs(
    c,
    await rpc(c, "list_viewings", { ...filters, ...pageArguments({ limit, cursor }) }),
  );
});

viewings.get("/:id", needs("viewings:read"), async (c) => {
  const viewing_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_viewing", { viewing_id }));
});

viewings.post("/", needs("viewings:write"), async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, CreateViewing);
  return answerCreated(c, await rpc(c, "create_viewing", { body, idempotency_key }));
});

viewings.patch("/:id", needs("viewings:write"), async (c) => {
  const viewing_id = pathId(c);
  const patch = await readBody(c, UpdateViewing);
  return answerOne(c, await rpc(c, "update_viewing", { viewing_id, patch }));
});

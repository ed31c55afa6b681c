import { Hono } from "hono";
import {
  CreateOperation,
  ListOperationsQuery,
  UpdateOperation,
} from "../../../types/contracts/operations.ts";
import { pageArguments } from "../../../types/contracts/pages.ts";
import { answerAsIs, answerCreated, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { idempotencyKey, noQuery, pathId, readBody, readQuery } from "../request.ts";

export const operations = new Hono<ApiEnv>();

operations.get("/", needs("operations:read"), async (c) => {
  const query = readQuery(c, ListOperationsQuery);
  return answerAsIs(
    c,
    await rpc(c, "list_operations", {
      stage: query.stage,
      operation_type: query.operation_type,
      lead_id: query.lead_id,
      open_only: query.open_only,
      ...pageArguments(query),
    }),
  );
});

operations.get("/:id", needs("operations:read"), async (c) => {
  const operation_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_operation", { operation_id }));
});

operations.post("/", needs("operations:write"), async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await readBody(c, CreateOperation);
  return answerCreated(c, await rpc(c, "create_operation", { body, idempotency_key }));
});

operations.patch("/:id", needs("operations:write"), async (c) => {
  const operation_id = pathId(c);
  const patch = await readBody(c, UpdateOperation);
  return answerOne(c, await rpc(c, "update_operation", { operation_id, patch }));
});

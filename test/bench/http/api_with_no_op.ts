// Run by Deno: the function `api` with two more routes, which call RPCs that let the caller in and do nothing: one without
// arguments, and one that takes what a PATCH of an operation takes. The types of the schema do not know them.

import { app } from "../../../functions/api/app.ts";
import { rpc } from "../../../functions/api/context.ts";
import { endpoint } from "../../../functions/api/endpoint.ts";
import { pathId, readBody } from "../../../functions/api/request.ts";
import { sendOne } from "../../../functions/api/response.ts";
import { UpdateOperation } from "../../../types/contracts/operations.ts";

const get = endpoint({ operationId: "doNothing", access: "any credential", answers: {} });
app.get("/v1/no-op", get, async (c) => sendOne(c, await rpc(c, "no_op" as "health", {})));

const update = endpoint({
  operationId: "updateNothing",
  access: "any credential",
  body: UpdateOperation,
  answers: {},
});
app.patch("/v1/no-op/:id", update, async (c) => {
  const operation_id = pathId(c);
  const patch = await readBody(c, update.body);
  return sendOne(c, await rpc(c, "update_no_op" as "update_operation", { operation_id, patch }));
});

Deno.serve(app.fetch);

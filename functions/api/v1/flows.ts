import { Hono } from "hono";
import { answerAsIs } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { noQuery } from "../request.ts";

export const flows = new Hono<ApiEnv>();

flows.get("/", needs(), async (c) => {
  noQuery(c);
  return answerAsIs(c, await rpc(c, "list_flows", {}));
});

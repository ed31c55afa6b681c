import { Hono } from "hono";
import { answerAsIs } from "../answer.ts";
import { type ApiEnv, rpc } from "../context.ts";
import { noQuery } from "../request.ts";

export const health = new Hono<ApiEnv>();

health.get("/", async (c) => {
  noQuery(c);
  return answerAsIs(c, await rpc(c, "health", {}));
});

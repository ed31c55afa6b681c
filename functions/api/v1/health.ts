import { Hono } from "hono";
import { unavailable } from "../../_shared/errors.ts";
import { answerAsIs } from "../answer.ts";
import { type ApiEnv, rpc } from "../context.ts";
import { noQuery } from "../request.ts";

export const health = new Hono<ApiEnv>();

health.get("/", async (c) => {
  noQuery(c);
  try {
    return answerAsIs(c, await rpc(c, "health", {}));
  } catch (error) {
    // Whatever the cause: the database did not answer, and that is all this endpoint is asked.
    throw unavailable(error);
  }
});

import { Hono } from "hono";
import { Health } from "../../../types/contracts/health.ts";
import { unavailable } from "../../_shared/errors.ts";
import { passOn } from "../answer.ts";
import type { ApiEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { noQuery } from "../request.ts";

export const health = new Hono<ApiEnv>();

const get = endpoint({
  operationId: "getHealth",
  access: "anybody",
  answers: { 200: Health },
});
health.get("/", get, async (c) => {
  noQuery(c);
  try {
    return await passOn(c, "health", {});
  } catch (error) {
    // Whatever the cause: the database did not answer, and that is all this endpoint is asked.
    throw unavailable(error);
  }
});

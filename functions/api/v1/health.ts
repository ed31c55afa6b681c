import { Hono } from "hono";
import type { z } from "zod";
import { Health } from "../../../types/contracts/health.ts";
import { unavailable } from "../../_shared/errors.ts";
import { VERSION } from "../../_shared/version.ts";
import { type ApiEnv, rpc } from "../context.ts";
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
    const { json } = await rpc(c, "health", {});
    const answer: z.output<typeof Health> = { ...JSON.parse(json), version: VERSION };
    return c.json(answer);
  } catch (error) {
    // Whatever the cause, the database did not answer, which is all that this endpoint tells.
    throw unavailable(error);
  }
});

import { Hono } from "hono";
import { ListOfFlows } from "../../../types/contracts/flows.ts";
import type { ApiEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { noQuery } from "../request.ts";
import { sendRpc } from "../response.ts";

export const flows = new Hono<ApiEnv>();

const list = endpoint({
  operationId: "listFlows",
  access: "any credential",
  answers: { 200: ListOfFlows },
});
flows.get("/", list, async (c) => {
  noQuery(c);
  return sendRpc(c, "list_flows", {});
});

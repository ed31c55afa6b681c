import { Hono } from "hono";
import { Agent, ListAgentsQuery } from "../../../types/contracts/agents.ts";
import { listArguments, listOf, one } from "../../../types/contracts/pages.ts";
import { answerOne, passOn } from "../answer.ts";
import { type ApiEnv, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { noQuery, pathId, readQuery } from "../request.ts";

export const agents = new Hono<ApiEnv>();

const list = endpoint({
  operationId: "listAgents",
  access: "any credential",
  query: ListAgentsQuery,
  answers: { 200: listOf(Agent) },
});
agents.get("/", list, async (c) => {
  return passOn(c, "list_agents", listArguments(readQuery(c, list.query)));
});

const get = endpoint({
  operationId: "getAgent",
  access: "any credential",
  answers: { 200: one(Agent) },
});
agents.get("/:id", get, async (c) => {
  const agent_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_agent", { agent_id }));
});

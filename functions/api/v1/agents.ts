import { Hono } from "hono";
import { ListAgentsQuery } from "../../../types/contracts/agents.ts";
import { pageArguments } from "../../../types/contracts/pages.ts";
import { answerAsIs, answerOne } from "../answer.ts";
import { type ApiEnv, needs, rpc } from "../context.ts";
import { noQuery, pathId, readQuery } from "../request.ts";

export const agents = new Hono<ApiEnv>();

agents.get("/", needs(), async (c) => {
  const query = readQuery(c, ListAgentsQuery);
  return answerAsIs(
    c,
    await rpc(c, "list_agents", { active: query.active, ...pageArguments(query) }),
  );
});

agents.get("/:id", needs(), async (c) => {
  const agent_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_agent", { agent_id }));
});

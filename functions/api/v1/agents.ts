import { Agent, ListAgentsQuery } from "../../../types/contracts/agents.ts";
import { Resource } from "../resource.ts";

export const agents = new Resource(Agent, { read: "any credential" })
  .list("list_agents", ListAgentsQuery)
  .get("get_agent", (agent_id) => ({ agent_id })).routes;

import { z } from "zod";
import { flag, id, moment } from "./fields.ts";
import { page } from "./pages.ts";

export const ListAgentsQuery = z
  .strictObject({
    active: flag.optional().describe("true lists active agents only, false the others."),
    ...page,
  })
  .describe("Which agents to list.");

export const Agent = z
  .strictObject({
    id: id.describe("Identifier of the agent."),
    name: z.string().describe("The agent's name."),
    role: z
      .enum(["owner", "manager", "agent", "viewer"])
      .describe("What the agent may do; viewers only read."),
    active: z.boolean().describe("Whether the agent works for the agency now."),
    accepts_leads: z.boolean().describe("Whether new leads may be assigned to the agent."),
    created_at: moment.describe("When the agent was added."),
  })
  .describe("A person who works for the agency. Colleagues' e-mail addresses are not shown.");

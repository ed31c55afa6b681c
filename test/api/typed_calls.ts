// Run by Deno's type check alone: calls of the database that do not fit the schema, each of which has to be an error.

import { ServiceRpc } from "../../functions/_shared/service_rpc.ts";
import { type ApiContext, rpc } from "../../functions/api/context.ts";
import type { ToolCall } from "../../functions/api/mcp/tool.ts";
import { Resource } from "../../functions/api/resource.ts";
import { UpdateLead } from "../../types/contracts/leads.ts";
import { ListOffersQuery } from "../../types/contracts/offers.ts";

export function calls(c: ApiContext, tool: ToolCall, lead_id: string) {
  rpc(c, "get_lead", { lead_id });
  rpc(c, "archive_lead", { lead_id, reason: undefined });
  rpc(c, "update_lead", { lead_id, patch: UpdateLead.parse({}) });

  // @ts-expect-error No RPC has this name.
  rpc(c, "get_lode", { lead_id });
  // @ts-expect-error The argument has another name.
  rpc(c, "get_lead", { id: lead_id });
  // @ts-expect-error It takes a text.
  rpc(c, "get_lead", { lead_id: 1 });
  // @ts-expect-error It may not be left out.
  rpc(c, "update_lead", { lead_id });
  // @ts-expect-error Null is not how an argument is left out.
  rpc(c, "archive_lead", { lead_id, reason: null });

  const renamed = { page_limit: 1, from: "2026-05-04" };
  // @ts-expect-error An argument with a default has another name.
  tool.rpc("mcp_agenda", { ...renamed });
  // @ts-expect-error The drain's and the intake's calls are held to the schema as well.
  new ServiceRpc(1).call("intake_claim", { max: 1 });
}

export const routes = new Resource(UpdateLead, { read: "leads:read" })
  // @ts-expect-error The query has a filter that the RPC does not take.
  .list("list_leads", ListOffersQuery)
  // @ts-expect-error The argument has another name.
  .get("get_lead", (id) => ({ id }))
  // @ts-expect-error It takes more than a body.
  .create("update_lead", UpdateLead)
  // @ts-expect-error The argument has another name.
  .update("update_lead", UpdateLead, (lead_id, body) => ({ lead_id, body }));

import { Hono } from "hono";
import {
  ArchiveLead,
  ArchiveLeadQuery,
  CreateLead,
  ListLeadsQuery,
  UpdateLead,
} from "../../../types/contracts/leads.ts";
import { pageArguments } from "../../../types/contracts/pages.ts";
import { countryOf } from "../../_shared/agency.ts";
import { invalid } from "../../_shared/errors.ts";
import { toE164 } from "../../_shared/phone.ts";
import { answerAsIs, answerCreated, answerOne } from "../answer.ts";
import { type ApiContext, type ApiEnv, callerOf, needs, rpc } from "../context.ts";
import {
  idempotencyKey,
  noQuery,
  pathId,
  readBody,
  readOptionalBody,
  readQuery,
} from "../request.ts";

export const leads = new Hono<ApiEnv>();

leads.get("/", needs("leads:read"), async (c) => {
  const query = readQuery(c, ListLeadsQuery);
  return answerAsIs(
    c,
    await rpc(c, "list_leads", {
      temperature: query.temperature,
      origin: query.origin,
      email: query.email,
      assigned_agent_id: query.assigned_agent_id,
      include_archived: query.include_archived,
      ...pageArguments(query),
    }),
  );
});

leads.get("/:id", needs("leads:read"), async (c) => {
  const lead_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_lead", { lead_id }));
});

leads.post("/", needs("leads:write"), async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await withE164(c, await readBody(c, CreateLead));
  return answerCreated(c, await rpc(c, "create_lead", { body, idempotency_key }));
});

leads.patch("/:id", needs("leads:write"), async (c) => {
  const lead_id = pathId(c);
  const patch = await withE164(c, await readBody(c, UpdateLead));
  return answerOne(c, await rpc(c, "update_lead", { lead_id, patch }));
});

leads.delete("/:id", needs("leads:write"), async (c) => {
  const lead_id = pathId(c);
  const { reason } = readQuery(c, ArchiveLeadQuery);
  const { archive_reason } = await readOptionalBody(c, ArchiveLead);
  if (reason !== undefined && archive_reason !== undefined && reason !== archive_reason) {
    throw invalid("invalid_body", "The body does not fit.", [
      { path: "archive_reason", message: "differs from the query parameter reason" },
    ]);
  }
  return answerOne(c, await rpc(c, "archive_lead", { lead_id, reason: reason ?? archive_reason }));
});

async function withE164<Body extends { phone?: string | null | undefined }>(
  c: ApiContext,
  body: Body,
): Promise<Body> {
  if (!body.phone) return body;
  const phone = await toE164(body.phone, () => countryOf(callerOf(c), "leads:write"));
  return { ...body, phone };
}

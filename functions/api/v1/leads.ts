import {
  ArchiveLead,
  ArchiveLeadQuery,
  CreatedLead,
  CreateLead,
  Lead,
  ListLeadsQuery,
  UpdateLead,
} from "../../../types/contracts/leads.ts";
import { one } from "../../../types/contracts/pages.ts";
import { countryOf } from "../../_shared/agency.ts";
import { invalid } from "../../_shared/errors.ts";
import { readPhone } from "../../_shared/phone.ts";
import { type ApiContext, callerOf, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { idempotencyKey, pathId, readBody, readOptionalBody, readQuery } from "../request.ts";
import { Resource } from "../resource.ts";
import { sendCreated, sendOne } from "../response.ts";

const resource = new Resource(Lead, { read: "leads:read" });
export const leads = resource.routes;

resource.list("list_leads", ListLeadsQuery).get("get_lead", (lead_id) => ({ lead_id }));

const create = endpoint({
  operationId: "createLead",
  access: "leads:write",
  body: CreateLead,
  answers: { 201: one(CreatedLead) },
});
leads.post("/", create, async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await withReadPhone(c, await readBody(c, create.body));
  return sendCreated(c, await rpc(c, "create_lead", { body, idempotency_key }));
});

const update = endpoint({
  operationId: "updateLead",
  access: "leads:write",
  body: UpdateLead,
  answers: { 200: one(Lead) },
});
leads.patch("/:id", update, async (c) => {
  const lead_id = pathId(c);
  const patch = await withReadPhone(c, await readBody(c, update.body));
  return sendOne(c, await rpc(c, "update_lead", { lead_id, patch }));
});

const archive = endpoint({
  operationId: "archiveLead",
  access: "leads:write",
  query: ArchiveLeadQuery,
  body: ArchiveLead,
  bodyIsOptional: true,
  answers: { 200: one(Lead) },
});
leads.delete("/:id", archive, async (c) => {
  const lead_id = pathId(c);
  const { reason } = readQuery(c, archive.query);
  const { archive_reason } = await readOptionalBody(c, archive.body);
  if (reason !== undefined && archive_reason !== undefined && reason !== archive_reason) {
    throw invalid("invalid_body", [
      { path: "archive_reason", message: "differs from the query parameter reason" },
    ]);
  }
  return sendOne(c, await rpc(c, "archive_lead", { lead_id, reason: reason ?? archive_reason }));
});

async function withReadPhone<Body extends { phone?: string | null | undefined }>(
  c: ApiContext,
  body: Body,
): Promise<Body> {
  if (!body.phone) return body;
  const phone = await readPhone(body.phone, () => countryOf(callerOf(c), "leads:write"));
  return { ...body, phone };
}

import { Hono } from "hono";
import {
  ArchiveLead,
  ArchiveLeadQuery,
  CreatedLead,
  CreateLead,
  Lead,
  ListLeadsQuery,
  UpdateLead,
} from "../../../types/contracts/leads.ts";
import { listArguments, listOf, one } from "../../../types/contracts/pages.ts";
import { countryOf } from "../../_shared/agency.ts";
import { invalid } from "../../_shared/errors.ts";
import { readPhone } from "../../_shared/phone.ts";
import { answerCreated, answerOne, passOn } from "../answer.ts";
import { type ApiContext, type ApiEnv, callerOf, rpc } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import {
  idempotencyKey,
  noQuery,
  pathId,
  readBody,
  readOptionalBody,
  readQuery,
} from "../request.ts";

export const leads = new Hono<ApiEnv>();

const list = endpoint({
  operationId: "listLeads",
  access: "leads:read",
  query: ListLeadsQuery,
  answers: { 200: listOf(Lead) },
});
leads.get("/", list, async (c) => {
  return passOn(c, "list_leads", listArguments(readQuery(c, list.query)));
});

const get = endpoint({
  operationId: "getLead",
  access: "leads:read",
  answers: { 200: one(Lead) },
});
leads.get("/:id", get, async (c) => {
  const lead_id = pathId(c);
  noQuery(c);
  return answerOne(c, await rpc(c, "get_lead", { lead_id }));
});

const create = endpoint({
  operationId: "createLead",
  access: "leads:write",
  body: CreateLead,
  answers: { 201: one(CreatedLead) },
});
leads.post("/", create, async (c) => {
  const idempotency_key = idempotencyKey(c);
  const body = await withReadPhone(c, await readBody(c, create.body));
  return answerCreated(c, await rpc(c, "create_lead", { body, idempotency_key }));
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
  return answerOne(c, await rpc(c, "update_lead", { lead_id, patch }));
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
    throw invalid("invalid_body", "The body does not fit.", [
      { path: "archive_reason", message: "differs from the query parameter reason" },
    ]);
  }
  return answerOne(c, await rpc(c, "archive_lead", { lead_id, reason: reason ?? archive_reason }));
});

async function withReadPhone<Body extends { phone?: string | null | undefined }>(
  c: ApiContext,
  body: Body,
): Promise<Body> {
  if (!body.phone) return body;
  const phone = await readPhone(body.phone, () => countryOf(callerOf(c), "leads:write"));
  return { ...body, phone };
}

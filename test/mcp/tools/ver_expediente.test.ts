import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLead } from "../../api/agency.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createHome, createViewing, createWorld, type World } from "./world.ts";

let stack: TestStack;
let world: World;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  world = await createWorld(stack);
});
afterAll(() => stack?.stop());

async function leadWithOperation(more: object = {}) {
  const answer = await world.client.post("/leads", {
    full_name: "Lucía Pérez",
    operation_type: "buy",
    ...more,
  });
  return { lead_id: answer.body.data.id, operation_id: answer.body.data.operation_id };
}

test("a new lead's file has the person, the operation and empty lists that are not cut", async () => {
  const { lead_id, operation_id } = await leadWithOperation({ phone: "611223344" });
  const { content } = await world.call("ver_expediente", { lead_id });
  expect(content.time_zone).toBe("Europe/Madrid");
  expect(content.lead).toMatchObject({
    lead_id,
    full_name: "Lucía Pérez",
    phone: "+34611223344",
    assigned_agent_id: world.agentId,
    assigned_agent_name: "Ana Agente",
    sanctions_status: "pending",
  });
  expect(content.lead.created_at).toMatch(/[+-]\d\d:\d\d$/);
  expect(content.operations).toMatchObject({ total: 1, truncated: false });
  expect(content.operations.items[0]).toMatchObject({
    operation_id,
    stage: "qualification",
    stage_label: "Cualificación",
    next_stage: "search",
    pending_actions: [],
    property: null,
  });
  for (const list of ["viewings", "offers", "documents", "signatures", "messages"]) {
    expect(content[list]).toEqual({ total: 0, truncated: false, items: [] });
  }
});

test("everything of the lead is in the file, with names instead of bare ids", async () => {
  const { sql } = stack;
  const { lead_id } = await leadWithOperation();
  const home = await createHome(stack, world.id, {
    title: "Ático en Ruzafa",
    street: "Calle Sueca 1",
  });
  const opened = await world.client.post("/operations", {
    lead_id,
    operation_type: "rent",
    stage: "offer",
  });
  const operation_id = opened.body.data.id;
  await world.client.patch(`/operations/${operation_id}`, { property_id: home });
  await world.call("registrar_oferta", { operation_id, amount: 950 });
  const starts_at = new Date(Date.now() + 86_400_000);
  await createViewing(stack, world.id, {
    lead_id,
    property_id: home,
    agent_id: world.agentId,
    starts_at,
    ends_at: new Date(starts_at.getTime() + 1_800_000),
  });
  await sql`insert into public.documents (agency_id, lead_id, kind, name) values (${world.id}, ${lead_id}, 'identity', 'DNI')`;
  await sql`insert into public.documents (agency_id, operation_id, kind) values (${world.id}, ${operation_id}, 'contract')`;
  await sql`insert into public.signatures (agency_id, operation_id, signer_name, status) values (${world.id}, ${operation_id}, 'Lucía', 'sent')`;
  await sql`insert into public.messages (agency_id, lead_id, direction, channel, body) values (${world.id}, ${lead_id}, 'inbound', 'email', ${"x".repeat(2000)})`;

  const { content } = await world.call("ver_expediente", { lead_id });
  expect(content.operations.total).toBe(2);
  const rent = content.operations.items.find(
    (one: { operation_type: string }) => one.operation_type === "rent",
  );
  expect(rent.property).toMatchObject({
    property_id: home,
    title: "Ático en Ruzafa",
    address: "Calle Sueca 1",
  });
  expect(rent.pending_actions).toEqual([{ id: "precioAcordado", label: "Precio acordado" }]);
  expect(content.viewings.items[0]).toMatchObject({
    property_title: "Ático en Ruzafa",
    agent_name: "Ana Agente",
    status: "scheduled",
  });
  expect(content.offers.items[0]).toMatchObject({
    amount: 950,
    offer_type: "sale",
    status: "received",
  });
  expect(content.documents.items.map((one: { kind: string }) => one.kind).sort()).toEqual([
    "contract",
    "identity",
  ]);
  expect(content.signatures.items[0]).toMatchObject({ signer_name: "Lucía", status: "sent" });
  expect(content.messages.items[0].is_cut).toBe(true);
  expect(content.messages.items[0].body).toHaveLength(800);
});

test("long lists are cut and say so", async () => {
  const { lead_id } = await leadWithOperation();
  await stack.sql`
    insert into public.messages (agency_id, lead_id, direction, channel, body)
    select ${world.id}, ${lead_id}, 'outbound', 'email', 'Mensaje ' || n from generate_series(1, 25) n`;
  const { content } = await world.call("ver_expediente", { lead_id });
  expect(content.messages).toMatchObject({ total: 25, truncated: true });
  expect(content.messages.items).toHaveLength(10);
});

test("the next action is the one that a person waits for, with its reason", async () => {
  const { lead_id, operation_id } = await leadWithOperation({
    email: `${randomUUID()}@correo.example`,
    email_body: "¿Sigue disponible?",
  });
  const first = await world.call("ver_expediente", { lead_id });
  expect(first.content.next_action).toMatchObject({
    kind: "answer_message",
    text: "Responder a Lucía Pérez",
    turn: "yours",
  });
  await stack.sql`
    insert into public.messages (agency_id, lead_id, direction, channel, body)
    values (${world.id}, ${lead_id}, 'outbound', 'email', 'Sí')`;
  const second = await world.call("ver_expediente", { lead_id });
  expect(second.content.next_action).toMatchObject({
    kind: "advance_stage",
    operation_id,
    tool: "avanzar_etapa",
    text: "Pasar la operación de Lucía Pérez a «Búsqueda»",
  });
});

test("a pending step is suggested with the tool that does it", async () => {
  const lead_id = await createLead(world, { operation_type: "buy" });
  await stack.sql`update public.leads set lead_status = 'qualified' where id = ${lead_id}`;
  await stack.sql`update public.operations set stage = 'search' where lead_id = ${lead_id}`;
  await stack.sql`update public.operations set stage = 'viewings' where lead_id = ${lead_id}`;
  const { content } = await world.call("ver_expediente", { lead_id });
  expect(content.next_action).toMatchObject({
    kind: "pending_step",
    pending_action: { id: "propiedadesVisitadas", label: "Propiedades visitadas" },
    tool: "agendar_visita",
  });
});

test("an archived lead needs nothing; one without operation needs one", async () => {
  const archived = await createLead(world);
  await world.client.delete(`/leads/${archived}`);
  const none = await world.call("ver_expediente", { lead_id: archived });
  expect(none.content.next_action.kind).toBe("none");
  const idle = await createLead(world);
  await stack.sql`update public.leads set lead_status = 'contacted' where id = ${idle}`;
  const open = await world.call("ver_expediente", { lead_id: idle });
  expect(open.content.next_action.kind).toBe("open_operation");
});

test("another agency's lead is not found", async () => {
  const other = await createWorld(stack);
  const lead_id = await createLead(other);
  for (const unknown of [lead_id, randomUUID()]) {
    const answer = await world.call("ver_expediente", { lead_id: unknown });
    expect(answer.isError).toBe(true);
    expect(answer.error).toMatchObject({ code: "not_found" });
    expect(answer.error.message).toMatch(/No encontrado/);
  }
});

test("wrong arguments are named", async () => {
  const missing = await world.call("ver_expediente", {});
  expect(missing.error.details.issues).toMatchObject([{ path: "lead_id" }]);
  const malformed = await world.call("ver_expediente", { lead_id: "x", extra: 1 });
  expect(malformed.error.details.issues.map((issue: { path: string }) => issue.path)).toEqual([
    "lead_id",
    "extra",
  ]);
});

test("it needs leads:read", async () => {
  const call = await world.callWith(["operations:read"]);
  const answer = await call("ver_expediente", { lead_id: randomUUID() });
  expect(answer.isError).toBe(true);
  expect(answer.error).toMatchObject({
    code: "forbidden",
    details: { required_permission: "leads:read" },
  });
});

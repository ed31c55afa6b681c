import { afterAll, beforeAll, expect, test } from "vitest";
import { ListOfFlows } from "../../types/contracts/flows.ts";
import { createHome, createViewing, createWorld, type World } from "../mcp/tools/world.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createLead, tickStep } from "./agency.ts";

/** A flow that is made of rows alone: its own stages, steps, reason and a date that the database asks for. */
const ADDED_FLOW = `
  insert into public.flows (id, label, operation_type, side)
    values ('tryout', 'Alquiler con opción a compra', 'rent_to_buy', 'demand');
  insert into public.required_dates (flow, id, label, column_name, refusal)
    values ('tryout', 'primaPagada', 'Prima pagada', 'deposit_paid_at', 'The keys wait for the premium.');
  insert into public.stages (flow, id, label, position, outcome, requires, requires_reason) values
    ('tryout', 'interview', 'Entrevista', 1, null, null, false),
    ('tryout', 'bargain', 'Trato', 2, null, null, false),
    ('tryout', 'keys', 'Llaves', 3, null, 'primaPagada', false),
    ('tryout', 'bought', 'Comprada', 11, 'success', null, false),
    ('tryout', 'given_up', 'Abandonada', 21, 'failure', null, true);
  insert into public.gate_steps (flow, stage, id, label, position, closed_by, by_hand) values
    ('tryout', 'interview', 'casaVista', 'Casa vista', 1, '{viewing_done}', null),
    ('tryout', 'interview', 'solvenciaProbada', 'Solvencia probada', 2, '{proof_of_income_received}', null),
    ('tryout', 'bargain', 'propuestaHecha', 'Propuesta hecha', 1, '{offer_recorded}', 'create_offer'),
    ('tryout', 'bargain', 'tratoCerrado', 'Trato cerrado', 2, '{offer_accepted}', 'accept_offer'),
    ('tryout', 'keys', 'revisionHecha', 'Revisión hecha', 1, '{}', null);`;

let stack: TestStack;
let world: World;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  await stack.sql.unsafe(ADDED_FLOW);
  world = await createWorld(stack);
});
afterAll(() => stack?.stop());

interface Deal {
  lead_id: string;
  operation_id: string;
  property_id: string;
}

/** An operation of the flow, at a stage that may be named. */
async function open(stage?: string): Promise<Deal> {
  const lead_id = await createLead(world);
  await stack.sql`update public.leads set lead_status = 'qualified' where id = ${lead_id}`;
  const answer = await world.client.post("/operations", {
    lead_id,
    operation_type: "rent_to_buy",
    stage,
  });
  expect(answer.status, answer.text).toBe(201);
  const property_id = await createHome(stack, world.id);
  return { lead_id, operation_id: answer.body.data.id, property_id };
}

/** Has the viewing take place and the papers arrive. */
async function passInterview({ lead_id, operation_id, property_id }: Deal): Promise<void> {
  const starts_at = new Date(Date.now() - 7_200_000);
  await createViewing(stack, world.id, {
    ...{ lead_id, operation_id, property_id, status: "done", starts_at },
    ends_at: new Date(starts_at.getTime() + 1_800_000),
  });
  await stack.sql`
    insert into public.documents (agency_id, operation_id, kind, status)
    values (${world.id}, ${operation_id}, 'proof_of_income', 'received')`;
}

async function taskOf({ lead_id }: Deal) {
  const { content } = await world.call("mi_jornada", { limit: 50 });
  return content.tasks.items.find((task: { lead_id: string }) => task.lead_id === lead_id);
}

const payDeposit = ({ operation_id }: Deal) =>
  stack.sql`update public.operations set deposit_paid_at = now() where id = ${operation_id}`;

test("GET /flows tells of it", async () => {
  const { body } = await world.client.get("/flows");
  const flow = ListOfFlows.parse(body).data.find(({ id }) => id === "tryout");
  expect(flow).toMatchObject({
    label: "Alquiler con opción a compra",
    operation_type: "rent_to_buy",
  });
  expect(flow?.stages.map(({ id, gate_steps }) => [id, gate_steps.map((step) => step.id)])).toEqual(
    [
      ["interview", ["casaVista", "solvenciaProbada"]],
      ["bargain", ["propuestaHecha", "tratoCerrado"]],
      ["keys", ["revisionHecha"]],
      ["bought", []],
      ["given_up", []],
    ],
  );
});

test("REST walks it, and refuses a missing step, a missing date and a stage that is not the next", async () => {
  const deal = await open();
  const path = `/operations/${deal.operation_id}`;
  const refused = async (body: object, reason: string) => {
    const { status, body: answer } = await world.client.patch(path, body);
    expect([status, answer.error.details.reason]).toEqual([422, reason]);
    return answer.error;
  };
  const moved = async (body: object) => {
    const answer = await world.client.patch(path, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  };

  await refused({ stage: "bargain" }, "stage_gate_blocked");
  await refused({ stage: "search" }, "invalid_stage");
  await refused({ stage: "keys" }, "invalid_transition");
  await refused({ stage: "bought" }, "invalid_transition");
  await passInterview(deal);
  expect(await moved({ stage: "bargain", property_id: deal.property_id })).toMatchObject({
    operation_type: "rent_to_buy",
    flow: "tryout",
    stage_label: "Trato",
    pending_actions: [{ id: "propuestaHecha" }, { id: "tratoCerrado" }],
  });

  const offer = { operation_id: deal.operation_id, amount: 900 };
  expect((await world.client.post("/offers", offer)).status).toBe(201);
  const { details } = await refused({ stage: "keys" }, "stage_gate_blocked");
  expect(details.pending_actions).toEqual([{ id: "tratoCerrado", label: "Trato cerrado" }]);
  await tickStep(stack, deal.operation_id, "tratoCerrado");
  const { data } = (await world.client.get(`/offers?operation_id=${deal.operation_id}`)).body;
  expect(data).toMatchObject([{ status: "accepted" }]);

  const { message } = await refused({ stage: "keys" }, "db_gate_blocked");
  expect(message).toBe("The keys wait for the premium.");
  await payDeposit(deal);
  expect((await moved({ stage: "keys" })).stage).toBe("keys");
  await refused({ stage: "bought" }, "stage_gate_blocked");
  await tickStep(stack, deal.operation_id, "revisionHecha");
  expect(await moved({ stage: "bought" })).toMatchObject({ is_terminal: true });
  await refused({ stage: "keys" }, "operation_closed");
  expect((await world.client.get(path)).body.data.won_at).not.toBeNull();
  const listed = await world.client.get("/operations?operation_type=rent_to_buy&stage=bought");
  expect(listed.body.data).toMatchObject([{ id: deal.operation_id }]);
});

test("it is given up for a reason, which goes with that stage alone", async () => {
  const { operation_id } = await open("bargain");
  const path = `/operations/${operation_id}`;
  const bare = await world.client.patch(path, { stage: "given_up" });
  expect(bare.body.error.details.reason).toBe("lost_reason_required");
  const answer = await world.client.patch(path, { stage: "given_up", lost_reason: "Sin aval" });
  expect(answer.body.data).toMatchObject({ is_terminal: true, lost_reason: "Sin aval" });
});

test("a lead may come in with it, by REST and by the connector", async () => {
  const body = { full_name: "Olga Opción", operation_type: "rent_to_buy" };
  const { status, body: created } = await world.client.post("/leads", body);
  expect([status, created.data.operation_id]).toEqual([201, expect.any(String)]);
  const { content } = await world.call("crear_lead", body);
  const { content: file } = await world.call("ver_expediente", { lead_id: content.lead_id });
  expect(file.operations.items).toMatchObject([{ flow: "tryout", next_stage: "bargain" }]);
});

test("a type that no flow is for is refused with those there are", async () => {
  const lead_id = await createLead(world);
  const answer = await world.client.post("/operations", { lead_id, operation_type: "swap" });
  expect(answer.body.error.details).toEqual({
    reason: "invalid_body",
    issues: [
      {
        path: "operation_type",
        message: 'Invalid option: expected one of "buy"|"rent"|"rent_to_buy"|"sell"',
      },
    ],
  });
  const filtered = await world.client.get("/operations?operation_type=swap");
  expect(filtered.body.error.details.reason).toBe("invalid_query");
});

test("the connector walks it, and says how each step is closed and what the date waits for", async () => {
  const deal = await open();
  const { operation_id, lead_id } = deal;
  const blocked = await world.call("avanzar_etapa", { operation_id });
  expect(blocked.error.details.reason).toBe("stage_gate_blocked");
  expect(blocked.error.message).toContain("Casa vista: Agenda la visita con «agendar_visita»");
  expect(blocked.error.message).toContain("Solvencia probada: Una persona de la agencia");
  expect(blocked.error.message).toContain("el documento recibido (proof_of_income)");
  expect(await taskOf(deal)).toMatchObject({
    kind: "pending_step",
    pending_action: { id: "casaVista", label: "Casa vista" },
    tool: "agendar_visita",
  });

  await passInterview(deal);
  expect(await taskOf(deal)).toMatchObject({
    kind: "advance_stage",
    text: expect.stringContaining("«Trato»"),
  });
  const second = await world.call("avanzar_etapa", { operation_id, property_id: deal.property_id });
  expect(second.content).toMatchObject({ stage: "bargain", operation_type: "rent_to_buy" });
  expect(await taskOf(deal)).toMatchObject({ tool: "registrar_oferta" });
  await world.call("registrar_oferta", { operation_id, amount: 900 });
  expect(await taskOf(deal)).toMatchObject({
    turn: "client",
    pending_action: { id: "tratoCerrado" },
  });
  await tickStep(stack, operation_id, "tratoCerrado");

  expect(await taskOf(deal)).toMatchObject({
    kind: "pending_step",
    turn: "client",
    pending_action: { id: "primaPagada", label: "Prima pagada" },
    how: expect.stringContaining("deposit_paid_at"),
  });
  const unpaid = await world.call("avanzar_etapa", { operation_id });
  expect(unpaid.error).toMatchObject({ details: { reason: "db_gate_blocked" } });
  await payDeposit(deal);
  expect((await world.call("avanzar_etapa", { operation_id })).content.stage).toBe("keys");
  const { content: file } = await world.call("ver_expediente", { lead_id });
  expect(file.next_action).toMatchObject({ pending_action: { id: "revisionHecha" }, tool: null });
  await tickStep(stack, operation_id, "revisionHecha");
  const asked = await world.call("avanzar_etapa", { operation_id });
  expect(asked.error.details).toMatchObject({
    reason: "stage_required",
    stages: ["bought", "given_up"],
  });
  const closed = await world.call("avanzar_etapa", { operation_id, stage: "bought" });
  expect(closed.content).toMatchObject({ stage_label: "Comprada", is_terminal: true });
});

test("Studio meets the same rules, and its view says what holds an operation", async () => {
  const deal = await open("bargain");
  const edit = (table: string, rows: string, change: object) =>
    fetch(`${stack.studioUrl}/rest/v1/${table}?${rows}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", "content-profile": "public" },
      body: JSON.stringify(change),
    });
  const move = (stage: string) => edit("operations", `id=eq.${deal.operation_id}`, { stage });
  const tick = async (step_id: string, change: object) => {
    const [row] = await stack.sql<{ id: string }[]>`
      select id from public.operation_steps
      where operation_id = ${deal.operation_id} and step_id = ${step_id}`;
    return edit("operation_steps", `id=eq.${row?.id}`, { done: true, ...change });
  };
  const heldBy = async () => {
    const [row] = await stack.sql<{ pending_steps: string | null }[]>`
      select pending_steps from public.stuck_operations where operation_id = ${deal.operation_id}`;
    return row?.pending_steps;
  };
  await stack.sql`alter table public.stage_history disable trigger _100_refuse_change`;
  await stack.sql`
    update public.stage_history set occurred_at = now() - interval '8 days'
    where operation_id = ${deal.operation_id}`;
  await stack.sql`alter table public.stage_history enable trigger _100_refuse_change`;

  expect(await heldBy()).toBe("Propuesta hecha, Trato cerrado, Prima pagada");
  expect(await (await move("keys")).text()).toContain("stage_gate_blocked");
  expect(await (await tick("tratoCerrado", {})).text()).toContain(
    'Closing \\"Trato cerrado\\" accepts the latest offer',
  );
  await edit("operations", `id=eq.${deal.operation_id}`, { property_id: deal.property_id });
  expect(await (await tick("propuestaHecha", {})).text()).toContain("amount_required");
  expect((await tick("propuestaHecha", { amount: 900 })).status).toBe(200);
  expect((await tick("tratoCerrado", {})).status).toBe(200);
  expect(await heldBy()).toBe("Prima pagada");
  expect(await (await move("keys")).text()).toContain("db_gate_blocked");
  const deposit_paid_at = new Date().toISOString();
  await edit("operations", `id=eq.${deal.operation_id}`, { deposit_paid_at });
  expect(await heldBy()).toBeNull();
  expect((await move("keys")).status).toBe(200);
});

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createAgency } from "../../api/agency.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { toolsOf } from "../client.ts";
import { createAgentNamed, createHome, createViewing, createWorld, type World } from "./world.ts";

let stack: TestStack;
let world: World;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
beforeEach(async () => {
  world = await createWorld(stack);
});
afterAll(() => stack?.stop());

async function lead(full_name: string, more: object = {}): Promise<string> {
  return (await world.client.post("/leads", { full_name, ...more })).body.data.id;
}

async function day() {
  return (await world.call("mi_jornada")).content;
}

test("an agency without work has an empty day", async () => {
  const content = await day();
  expect(content).toMatchObject({
    agent_id: world.agentId,
    agent_name: "Ana Agente",
    time_zone: "Europe/Madrid",
    overdue_total: 0,
    tasks: { total: 0, truncated: false, items: [] },
  });
  expect(content.now).toMatch(/[+-]\d\d:\d\d$/);
});

test("the caller's own turn comes first, then the most overdue", async () => {
  const colleague = await createAgentNamed(stack, world.id, "Marc Colega");
  const [mine, late, later] = [await lead("Mía"), await lead("Tarde"), await lead("Más tarde")];
  await stack.sql`update public.leads set assigned_agent_id = ${world.agentId} where id = ${mine}`;
  await stack.sql`update public.leads set assigned_agent_id = ${colleague}, created_at = now() - interval '1 day' where id = ${late}`;
  await stack.sql`update public.leads set assigned_agent_id = null, created_at = now() - interval '2 days' where id = ${later}`;
  const { tasks, overdue_total } = await day();
  expect(
    tasks.items.map((task: { full_name: string; turn: string }) => [task.full_name, task.turn]),
  ).toEqual([
    ["Mía", "yours"],
    ["Más tarde", "unassigned"],
    ["Tarde", "colleague"],
  ]);
  expect(tasks.items[2]).toMatchObject({ agent_name: "Marc Colega", is_overdue: true });
  expect(overdue_total).toBe(2);
});

test("a message without answer is there since it came, and goes when it is answered", async () => {
  const lead_id = await lead("Lucía Pérez", { origin: "email", email_body: "¿Sigue libre?" });
  expect((await day()).tasks.items).toMatchObject([
    { kind: "answer_message", lead_id, text: "Responder a Lucía Pérez", turn: "yours" },
  ]);
  await stack.sql`
    insert into public.messages (agency_id, lead_id, direction, channel, body)
    values (${world.id}, ${lead_id}, 'outbound', 'email', 'Sí')`;
  expect((await day()).tasks.items).toEqual([]);
});

test("viewings: today's are to prepare, those that are over to close, far ones are not there", async () => {
  const lead_id = await lead("Visita");
  await stack.sql`update public.leads set lead_status = 'contacted' where id = ${lead_id}`;
  const property_id = await createHome(stack, world.id, { title: "Ático" });
  for (const minutes of [-120, 5, 60 * 24 * 10]) {
    const starts_at = new Date(Date.now() + minutes * 60_000);
    const ends_at = new Date(starts_at.getTime() + 1_800_000);
    await createViewing(stack, world.id, {
      lead_id,
      property_id,
      agent_id: world.agentId,
      starts_at,
      ends_at,
    });
  }
  const { tasks } = await day();
  expect(tasks.items).toMatchObject([
    { kind: "close_viewing", is_overdue: true, property_title: "Ático" },
    { kind: "prepare_viewing", is_overdue: false },
  ]);
});

test("what holds an operation is said, and whose turn it is", async () => {
  const lead_id = await lead("Operación", { operation_type: "buy" });
  await stack.sql`update public.leads set lead_status = 'qualified' where id = ${lead_id}`;
  const [first] = (await day()).tasks.items;
  expect(first).toMatchObject({
    kind: "advance_stage",
    turn: "yours",
    stage: "qualification",
    tool: "avanzar_etapa",
  });

  for (const stage of ["search", "viewings"]) {
    await stack.sql`update public.operations set stage = ${stage} where lead_id = ${lead_id}`;
  }
  await stack.sql`update public.operation_steps set done = true where step_id = 'propiedadesVisitadas' and agency_id = ${world.id}`;
  const [second] = (await day()).tasks.items;
  expect(second).toMatchObject({
    kind: "pending_step",
    turn: "client",
    pending_action: { id: "favoritaElegida", label: "Propiedad favorita elegida" },
  });
});

test("a rental in its last stage waits for the deposit", async () => {
  const lead_id = await lead("Alquiler");
  await stack.sql`update public.leads set lead_status = 'qualified' where id = ${lead_id}`;
  await world.client.post("/operations", { lead_id, operation_type: "rent", stage: "handover" });
  expect((await day()).tasks.items).toMatchObject([
    { kind: "pending_step", turn: "client", pending_action: { label: "Fianza pagada" } },
  ]);
});

test("a possible sanctions match is to be looked at", async () => {
  const lead_id = await lead("Coincidencia");
  await stack.sql`update public.leads set lead_status = 'contacted' where id = ${lead_id}`;
  await stack.sql`update public.sanctions_screens set status = 'possible_match', resolved_at = now() where lead_id = ${lead_id}`;
  expect((await day()).tasks.items).toMatchObject([{ kind: "review_sanctions", lead_id }]);
});

test("archived leads and closed operations need nothing", async () => {
  const archived = await lead("Archivado", { operation_type: "buy" });
  await world.client.delete(`/leads/${archived}`);
  const closed = await world.client.post("/leads", {
    full_name: "Cerrado",
    operation_type: "rent",
  });
  await world.client.patch(`/operations/${closed.body.data.operation_id}`, { stage: "cancelled" });
  await stack.sql`update public.leads set lead_status = 'contacted' where id = ${closed.body.data.id}`;
  expect((await day()).tasks.items).toEqual([]);
});

test("nobody is called for the first time whose deal was closed or moved, or who saw a home", async () => {
  const created = (full_name: string) =>
    world.client.post("/leads", { full_name, operation_type: "buy" });
  const [closed, moved, visited, fresh] = [
    (await created("Cerrada")).body.data,
    (await created("Movida")).body.data,
    (await created("Visitó")).body.data,
    (await created("Nueva")).body.data,
  ];
  await world.client.patch(`/operations/${closed.operation_id}`, { stage: "cancelled" });
  await world.client.patch(`/operations/${moved.operation_id}`, { stage: "search" });
  const property_id = await createHome(stack, world.id);
  const starts_at = new Date(Date.now() - 3_600_000);
  const ends_at = new Date(starts_at.getTime() + 1_800_000);
  const viewing = { lead_id: visited.id, property_id, starts_at, ends_at, status: "done" };
  await createViewing(stack, world.id, viewing);
  const first = (await day()).tasks.items.filter(
    (task: { kind: string }) => task.kind === "contact_lead",
  );
  expect(first.map((task: { lead_id: string }) => task.lead_id)).toEqual([fresh.id]);
});

test("a key that acts for no agent sees the agency's day", async () => {
  const agency = await createAgency(stack);
  await agency.client.post("/leads", { full_name: "Sin agente" });
  const { content } = await toolsOf(stack.baseUrl, agency.key)("mi_jornada");
  expect(content).toMatchObject({ agent_id: null, agent_name: null });
  expect(content.tasks.items).toMatchObject([{ full_name: "Sin agente", turn: "unassigned" }]);
});

test("a long day is cut and says so", async () => {
  for (let n = 0; n < 4; n++) await lead(`Persona ${n}`);
  const { content } = await world.call("mi_jornada", { limit: 3 });
  expect(content.tasks).toMatchObject({ total: 4, truncated: true });
  expect(content.tasks.items).toHaveLength(3);
});

test("it needs operations:read", async () => {
  const call = await world.callWith(["leads:read"]);
  expect((await call("mi_jornada")).error.details.required_permission).toBe("operations:read");
});

test("of thousands that wait, the caller's own and those that wait longest are looked at", async () => {
  const colleague = await createAgentNamed(stack, world.id, "Marc Colega");
  const [mine, theirs] = [await lead("Mía"), await lead("De Marc")];
  await stack.sql`update public.leads set assigned_agent_id = ${world.agentId} where id = ${mine}`;
  await stack.sql`update public.leads set assigned_agent_id = ${colleague} where id = ${theirs}`;
  await stack.sql`
    insert into public.leads (agency_id, full_name, contact_id, assigned_agent_id, created_at)
    select l.agency_id, 'Espera ' || n, l.contact_id, l.assigned_agent_id, now() - n * interval '1 hour'
    from public.leads l, generate_series(1, 700) n where l.id = ${theirs}`;
  const { tasks } = await day();
  expect(tasks.items[0]).toMatchObject({ lead_id: mine, turn: "yours" });
  expect(tasks.items[1]).toMatchObject({ full_name: "Espera 700", is_overdue: true });
  // One of the caller's, and five hundred of a kind of the others'.
  expect(tasks.total).toBeGreaterThan(500);
  expect(tasks.total).toBeLessThan(700);
  expect(tasks.truncated).toBe(true);
});

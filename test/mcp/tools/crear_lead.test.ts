import { afterAll, beforeAll, expect, test } from "vitest";
import { fingerprint } from "../../api/agency.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createWorld, type World } from "./world.ts";

let stack: TestStack;
const NOWHERE = "00000000-0000-4000-8000-000000000000";
const SOME_VIEWING = { lead_id: NOWHERE, property_id: NOWHERE };

let world: World;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  world = await createWorld(stack);
});
afterAll(() => stack?.stop());

test("a contact with its operation, as POST /leads stores it", async () => {
  const { content } = await world.call("crear_lead", {
    full_name: "  Lucía Pérez ",
    operation_type: "rent",
    phone: "611 22 33 44",
    email: "Lucia@Correo.example",
    origin: "phone",
    budget_max: 1200,
    bedrooms_min: 2,
    intent: "Piso con luz",
    notes: null,
  });
  expect(content).toMatchObject({
    full_name: "Lucía Pérez",
    phone: "+34611223344",
    email: "lucia@correo.example",
    origin: "phone",
    lead_status: "new",
    budget_max: 1200,
    bedrooms_min: 2,
    assigned_agent_id: world.agentId,
    sanctions_status: "pending",
  });
  const lead = await world.client.get(`/leads/${content.lead_id}`);
  expect(lead.body.data).toMatchObject({
    operation_id: content.operation_id,
    intent: "Piso con luz",
  });
  const operation = await world.client.get(`/operations/${content.operation_id}`);
  expect(operation.body.data).toMatchObject({ operation_type: "rent", stage: "qualification" });
});

test("the same person again is the same contact", async () => {
  const person = { full_name: "Marta Gil", operation_type: "buy", email: "marta@correo.example" };
  const first = await world.call("crear_lead", person);
  const second = await world.call("crear_lead", person);
  expect(second.content.contact_id).toBe(first.content.contact_id);
  expect(second.content.lead_id).not.toBe(first.content.lead_id);
});

test("a client who comes back is told, with the operations that are open", async () => {
  const person = { full_name: "Olga Mas", operation_type: "buy", phone: "611 55 66 77" };
  const first = await world.call("crear_lead", person);
  expect(first.content).toMatchObject({ known_contact: false, open_operations: [] });
  const second = await world.call("crear_lead", { ...person, operation_type: "rent" });
  expect(second.content).toMatchObject({
    contact_id: first.content.contact_id,
    known_contact: true,
    open_operations: [
      {
        operation_id: first.content.operation_id,
        lead_id: first.content.lead_id,
        operation_type: "buy",
        stage: "qualification",
        stage_label: "Cualificación",
        assigned_agent_id: world.agentId,
      },
    ],
  });
  const writer = await world.callWith(["leads:write"]);
  const third = await writer("crear_lead", person);
  expect(third.content).toMatchObject({ known_contact: true, open_operations: null });
});

test.each([
  ["(+34) 611.223.355", "+34611223355", "+34611223355"],
  ["llamar tardes 611223355", "+34611223355", "+34611223355"],
  ["no tiene", "no tiene", null],
])("a phone written as %j is no reason to refuse the lead", async (phone, kept, phone_e164) => {
  const { content } = await world.call("crear_lead", {
    full_name: "Escrita",
    operation_type: "buy",
    phone,
    email: "íñigo @correo",
  });
  expect(content).toMatchObject({
    phone: kept,
    phone_e164,
    email: "íñigo @correo",
    email_is_valid: false,
  });
});

test("the history names the key that opened the operation", async () => {
  const { content } = await world.call("crear_lead", {
    full_name: "Historia",
    operation_type: "buy",
  });
  const [entry] = await stack.sql`
    select actor_kind, actor_name from public.stage_history where operation_id = ${content.operation_id}`;
  expect(entry).toEqual({ actor_kind: "api_key", actor_name: "test" });
});

test.each([
  ["operation_type", { full_name: "A", operation_type: "sell" }, "operation_type_not_allowed"],
  ["operation_type", { full_name: "A" }, "invalid_arguments"],
  ["full_name", { full_name: " ", operation_type: "buy" }, "invalid_arguments"],
  ["email", { full_name: "A", operation_type: "buy", email: 1 }, "invalid_arguments"],
  ["phone", { full_name: "A", operation_type: "buy", phone: 612345678 }, "invalid_arguments"],
  ["budget_max", { full_name: "A", operation_type: "buy", budget_max: -1 }, "invalid_arguments"],
  ["email_body", { full_name: "A", operation_type: "buy", email_body: "x" }, "invalid_arguments"],
])("a wrong %s is named and nothing is stored", async (path, args, reason) => {
  const before = await fingerprint(stack);
  const answer = await world.call("crear_lead", args);
  expect(answer.isError).toBe(true);
  expect(answer.error).toMatchObject({
    code: "validation_error",
    details: { reason, issues: [{ path }] },
  });
  expect(await fingerprint(stack)).toBe(before);
});

test.each([
  ["crear_lead", { operation_type: "lease", email: 2, phone: 1, budget_max: 0.001, notas: "" }],
  ["crear_lead", { full_name: "x".repeat(201), operation_type: "sell", bedrooms_min: 51 }],
  ["crear_lead", { full_name: "a\u0000", operation_type: "buy", origin: "fax", budget_max: -1 }],
  ["buscar", {}],
  ["agenda", { starts_from: "tomorrow", agent_id: "x", limit: 0 }],
  ["agendar_visita", { starts_at: "tomorrow" }],
  ["registrar_oferta", { operation_id: 1, amount: "1", currency: "XXY" }],
])("what is wrong with the arguments of %s is said in Spanish: %j", async (tool, args) => {
  const { error } = await world.call(tool, args);
  expect(error.message).toMatch(/^Los argumentos no son válidos/);
  const messages = error.details.issues.map(({ message }: { message: string }) => message);
  expect(messages).not.toEqual([]);
  for (const message of messages)
    expect(message).not.toMatch(/\b(?:must|is|expected|invalid|not)\b/i);
});

test.each([
  ["agenda", { mine: true }],
  ["agenda", { starts_from: "2027-05-04", starts_before: "2027-05-03" }],
  ["agenda", { starts_from: "2101-01-01" }],
  ["agenda", { starts_from: "2027-03-28T02:30" }],
  ["agendar_visita", { ...SOME_VIEWING, starts_at: "2027-05-04T17:30" }],
  ["registrar_oferta", { operation_id: NOWHERE, amount: 1 }],
])("what the rules find wrong with %s is said in Spanish: %j", async (tool, args) => {
  const call = await world.callWith([
    "leads:write",
    "viewings:read",
    "viewings:write",
    "offers:write",
  ]);
  const { error } = await call(tool, args);
  const issues: { message: string }[] = error.details.issues ?? [];
  for (const message of [error.message, ...issues.map((issue) => issue.message)])
    expect(message).not.toMatch(/\b(?:must|is|the|this|not|such|does|viewing|ends)\b/i);
});

test("an unknown type of operation is told which there are", async () => {
  const { error } = await world.call("crear_lead", { full_name: "A", operation_type: "lease" });
  expect(error.details.issues).toEqual([
    { path: "operation_type", message: "debe ser buy (compra) o rent (alquiler)" },
  ]);
});

test("it needs leads:write, and says so before what is wrong with the arguments", async () => {
  const call = await world.callWith(["leads:read"]);
  for (const args of [{ full_name: "A", operation_type: "buy" }, {}]) {
    const answer = await call("crear_lead", args);
    expect(answer.error).toMatchObject({
      code: "forbidden",
      details: { required_permission: "leads:write" },
    });
  }
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Permission } from "../../types/contracts/permissions.ts";
import { createKey } from "../api/agency.ts";
import { clientOf } from "../api/client.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { toolsOf } from "./client.ts";
import { createHome, createViewing, createWorld, type World } from "./tools/world.ts";

// Each object of one client has words or an id of its own. Without the permission REST refuses the object, and no
// tool may show what only it says.

let stack: TestStack;
let world: World;
let lead_id: string;
let operation_id: string;
let property_id: string;
/** What only an object of the resource says. */
let said: Record<string, string[]>;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  world = await createWorld(stack);
  const { sql } = stack;
  const created = await world.client.post("/leads", {
    full_name: "Clotilde Nomdeplume",
    phone: "+34611223344",
    email: "clotilde@correo.example",
    operation_type: "buy",
    origin: "email",
    email_body: "Mensaje Confidencial",
  });
  ({ id: lead_id, operation_id } = created.body.data);
  property_id = await createHome(stack, world.id, {
    title: "Palacete Nomdeplume",
    street: "Calle Turquesa 1",
  });
  await world.client.patch(`/operations/${operation_id}`, { property_id });
  const starts_at = new Date(Date.now() + 3_600_000);
  const viewing = await createViewing(stack, world.id, {
    lead_id,
    property_id,
    agent_id: world.agentId,
    starts_at,
    ends_at: new Date(starts_at.getTime() + 1_800_000),
  });
  const offer = await world.client.post("/offers", { operation_id, amount: 987_654 });
  await sql`insert into public.documents (agency_id, lead_id, kind, name) values (${world.id}, ${lead_id}, 'identity', 'Pasaporte Violeta')`;
  await sql`insert into public.signatures (agency_id, operation_id, signer_name, status) values (${world.id}, ${operation_id}, 'Firmante Magenta', 'sent')`;
  said = {
    leads: ["Clotilde", "611223344", "clotilde@correo.example", "Mensaje Confidencial"],
    operations: ["Cualificación", "Búsqueda", "avanzar_etapa"],
    properties: ["Palacete", "Calle Turquesa"],
    viewings: [viewing],
    offers: [offer.body.data.id, "987654"],
    documents: ["Pasaporte Violeta"],
    signatures: ["Firmante Magenta"],
  };
});
afterAll(() => stack?.stop());

const RESOURCES = [
  "leads",
  "operations",
  "properties",
  "viewings",
  "offers",
  "documents",
  "signatures",
];

/** Each tool: how it is called, what it needs, and of what it tells to who may read everything. */
const TOOLS: [string, () => object, Permission, string[]][] = [
  ["buscar", () => ({ query: "Nomdeplume" }), "leads:read", ["leads", "operations", "properties"]],
  ["ver_expediente", () => ({ lead_id }), "leads:read", RESOURCES],
  ["mi_jornada", () => ({}), "operations:read", ["leads", "operations", "properties", "viewings"]],
  ["buscar_propiedades", () => ({ query: "palacete" }), "properties:read", ["properties"]],
  ["agenda", () => ({}), "viewings:read", ["leads", "properties", "viewings"]],
];

async function callWithout(missing: string | undefined, name: string, args: object) {
  const permissions = Permission.options.filter((one) => one !== missing);
  const key = await createKey(stack, world.id, { permissions });
  return { key, answer: await toolsOf(stack.baseUrl, key)(name, args) };
}

describe.each(TOOLS)("%s", (name, args, needed, resources) => {
  test("tells a key that may read everything all of it", async () => {
    const { answer } = await callWithout(undefined, name, args());
    const text = JSON.stringify(answer.content);
    for (const resource of resources) {
      expect(
        said[resource]?.some((words) => text.includes(words)),
        resource,
      ).toBe(true);
    }
    expect(answer.content.missing_permissions ?? []).toEqual([]);
  });

  test.each(RESOURCES)("without %s:read shows nothing of what REST refuses", async (resource) => {
    const permission = `${resource}:read`;
    const { key, answer } = await callWithout(permission, name, args());
    expect((await clientOf(stack.baseUrl, key).get(`/${resource}`)).status).toBe(403);
    if (permission === needed) {
      expect(answer.error.details.required_permission).toBe(permission);
      return;
    }
    const text = JSON.stringify(answer.content);
    for (const words of said[resource] ?? []) expect(text).not.toContain(words);
    // Who is shown a part is told which one is not there.
    if (resources.includes(resource)) {
      expect(answer.content.missing_permissions).toEqual([permission]);
    }
  });
});

describe("a tool that writes answers no more than REST answers to the same write", () => {
  const only = async (permission: Permission) => {
    const key = await createKey(stack, world.id, { permissions: [permission] });
    return { call: toolsOf(stack.baseUrl, key), client: clientOf(stack.baseUrl, key) };
  };

  /** Every text and number in an answer, whatever the member is called. */
  const values = (content: object) =>
    new Set(
      JSON.stringify(content, (_, value) => (value === null ? undefined : value)).match(
        /"[^"]*"(?!:)|-?\d+/g,
      ),
    );

  test("agendar_visita with viewings:write alone names neither client nor home", async () => {
    const { call } = await only("viewings:write");
    const starts_at = new Date(Date.now() + 5 * 86_400_000).toISOString();
    const { content } = await call("agendar_visita", { lead_id, property_id, starts_at });
    expect(content).toMatchObject({ lead_id, property_id, full_name: null, phone: null });
    expect(content).toMatchObject({ property_title: null, address: null });
  });

  test("avanzar_etapa with operations:write alone", async () => {
    const { call, client } = await only("operations:write");
    const { content } = await call("avanzar_etapa", { operation_id });
    const rest = await client.patch(`/operations/${operation_id}`, { property_id });
    for (const value of values(content)) expect(rest.text).toContain(value);
    for (const words of [...(said.leads ?? []), ...(said.properties ?? [])]) {
      expect(JSON.stringify(content)).not.toContain(words);
    }
  });

  test("registrar_oferta with offers:write alone", async () => {
    const { call } = await only("offers:write");
    const { content } = await call("registrar_oferta", { operation_id, amount: 5 });
    const rest = await world.client.get(`/offers/${content.offer_id}`);
    for (const value of values(content)) expect(rest.text).toContain(value);
  });

  test("crear_lead with leads:write alone", async () => {
    const { call } = await only("leads:write");
    const { content } = await call("crear_lead", { full_name: "Otra", operation_type: "rent" });
    const rest = await world.client.get(`/leads/${content.lead_id}`);
    // Only the answer to a new lead says whether the person was known; what they had open needs operations:read.
    const { known_contact, open_operations, ...told } = content;
    expect({ known_contact, open_operations }).toEqual({
      known_contact: false,
      open_operations: null,
    });
    for (const value of values(told)) expect(rest.text).toContain(value);
  });
});

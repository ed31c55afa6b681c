import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CreatedLead, Lead } from "../../../types/contracts/leads.ts";
import { one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, createAgent, createLead, fingerprint, type TestAgency } from "../agency.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

async function created(body: object) {
  const answer = await agency.client.post("/leads", body);
  expect(answer.status, answer.text).toBe(201);
  return one(CreatedLead).parse(answer.body).data;
}

describe("POST /leads", () => {
  test("answers 201 with a lead and its contact, without an operation when no type is given", async () => {
    const lead = await created({ full_name: "  Lucía Pérez " });
    expect(lead).toMatchObject({
      full_name: "Lucía Pérez",
      phone: null,
      email: null,
      origin: "other",
      operation_id: null,
      lead_status: "new",
      temperature: null,
      sanctions_status: "pending",
      archived_at: null,
      archive_reason: null,
    });
    const { body } = await agency.client.get(`/operations?lead_id=${lead.id}`);
    expect(body.data).toEqual([]);
  });

  test.each(["buy", "rent"] as const)("opens the lead's %s operation", async (operation_type) => {
    const lead = await created({ full_name: "Marc Soler", operation_type });
    const { body } = await agency.client.get(`/operations/${lead.operation_id}`);
    expect(body.data).toMatchObject({
      lead_id: lead.id,
      operation_type,
      stage: "qualification",
      assigned_agent_id: lead.assigned_agent_id,
    });
  });

  test("keeps every member, the phone in E.164 and the e-mail in lower case", async () => {
    const lead = await created({
      full_name: "Zoë 🏠 O’Brien",
      phone: " +44 20 7946 0958 ",
      email: " Zoe.OBrien@Example.COM ",
      origin: "portal",
      operation_type: "rent",
      budget_max: 1250.5,
      bedrooms_min: 2,
      intent: "Ático con terraza 🌞",
      notes: "Línea 1\nLínea 2",
    });
    expect(lead).toMatchObject({
      full_name: "Zoë 🏠 O’Brien",
      phone: "+442079460958",
      email: "zoe.obrien@example.com",
      origin: "portal",
      budget_max: 1250.5,
      bedrooms_min: 2,
      intent: "Ático con terraza 🌞",
      notes: "Línea 1\nLínea 2",
    });
    const { known_contact, open_operations, ...stored } = lead;
    expect((await agency.client.get(`/leads/${lead.id}`)).body.data).toEqual(stored);
  });

  test("takes null for a member as leaving it out", async () => {
    const nothing = { phone: null, email: null, origin: null, operation_type: null, notes: null };
    expect(await created({ full_name: "Nulo", ...nothing })).toMatchObject({ origin: "other" });
  });

  test("reads a national phone number in the agency's country", async () => {
    expect((await created({ full_name: "Sin prefijo", phone: "612 34 56 78" })).phone).toBe(
      "+34612345678",
    );
    const french = await createAgency(stack);
    await stack.sql`update public.agencies set country = 'FR' where id = ${french.id}`;
    const answer = await french.client.post("/leads", {
      full_name: "Paris",
      phone: "06 12 34 56 78",
    });
    expect(answer.body.data.phone).toBe("+33612345678");
  });

  test("finds the contact by e-mail whatever its case, also an archived lead's", async () => {
    const first = await created({ full_name: "Eva Gil", email: "eva@example.com" });
    await agency.client.delete(`/leads/${first.id}`);
    const second = await created({ full_name: "Eva Gil", email: "EVA@example.com" });
    expect(second.contact_id).toBe(first.contact_id);
    expect(second.id).not.toBe(first.id);
  });

  test("finds the contact by phone in whichever form it comes", async () => {
    const first = await created({ full_name: "Pau Riba", phone: "+34 655 000 111" });
    const second = await created({ full_name: "Pau Riba", phone: "655-000-111" });
    expect(second.contact_id).toBe(first.contact_id);
  });

  test("keeps a couple that shares a phone apart", async () => {
    const phone = "+34655000222";
    const he = await created({ full_name: "Juan Mora", phone, email: "juan@example.com" });
    const she = await created({ full_name: "Carmen Vidal", phone, email: "carmen@example.com" });
    expect(she.contact_id).not.toBe(he.contact_id);
  });

  test("assigns agents in turn", async () => {
    const mine = await createAgency(stack);
    const agents = [
      await createAgent(stack, mine.id),
      await createAgent(stack, mine.id),
      await createAgent(stack, mine.id),
    ];
    const turns: string[] = [];
    for (let i = 0; i < 6; i++) {
      const answer = await mine.client.post("/leads", { full_name: `Lead ${i}` });
      turns.push(answer.body.data.assigned_agent_id);
    }
    expect(turns).toEqual([...agents, ...agents]);
  });

  test("leaves the lead unassigned when no agent accepts leads", async () => {
    const mine = await createAgency(stack);
    const agent = await createAgent(stack, mine.id);
    await stack.sql`update public.agents set accepts_leads = false where id = ${agent}`;
    const answer = await mine.client.post("/leads", { full_name: "Huérfano" });
    expect(answer.body.data.assigned_agent_id).toBeNull();
  });

  test("starts one sanctions screen", async () => {
    const lead = await created({ full_name: "Igor Sancionado" });
    const screens = await stack.sql`
      select status, contact_id from public.sanctions_screens where lead_id = ${lead.id}`;
    expect([...screens]).toEqual([{ status: "pending", contact_id: lead.contact_id }]);
  });

  test.each([
    [
      "the mail, when it is sent",
      { email_subject: "Piso", email_body: "Busco piso" },
      "Busco piso",
    ],
    [
      "the notes, when origin is email",
      { origin: "email", notes: "Desde el buzón" },
      "Desde el buzón",
    ],
    [
      "the mail rather than the notes",
      { origin: "email", notes: "nota", email_body: "correo" },
      "correo",
    ],
  ])("starts a qualification by %s", async (_, more, text) => {
    const lead = await created({ full_name: "Con correo", ...more });
    expect(lead).not.toHaveProperty("email_subject");
    const messages = await stack.sql`
      select direction, body, qualification_status from public.messages where lead_id = ${lead.id}`;
    expect([...messages]).toEqual([
      { direction: "inbound", body: text, qualification_status: "pending" },
    ]);
  });

  test("starts no qualification by the notes of another origin", async () => {
    const lead = await created({ full_name: "Sin correo", origin: "web", notes: "nota" });
    const messages = await stack.sql`select from public.messages where lead_id = ${lead.id}`;
    expect(messages).toHaveLength(0);
  });

  test("refuses sell with operation_type_not_allowed, and writes nothing", async () => {
    const before = await fingerprint(stack);
    const answer = await agency.client.post("/leads", { full_name: "X", operation_type: "sell" });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({
      code: "validation_error",
      details: { reason: "operation_type_not_allowed", issues: [{ path: "operation_type" }] },
    });
    expect(await fingerprint(stack)).toBe(before);
  });

  test("names the types that it takes, and sell is none of them", async () => {
    const answer = await agency.client.post("/leads", { full_name: "X", operation_type: "lease" });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toEqual({
      reason: "invalid_body",
      issues: [{ path: "operation_type", message: "must be buy or rent" }],
    });
  });
});

describe("GET /leads", () => {
  let mine: TestAgency;
  let agent: string;
  let ids: { web: string; mail: string; seller: string; archived: string };

  beforeAll(async () => {
    mine = await createAgency(stack);
    ids = {
      web: await createLead(mine, { origin: "web", email: "Uno@Example.com" }),
      mail: await createLead(mine, { origin: "email", email: "dos@example.com" }),
      seller: await createLead(mine),
      archived: await createLead(mine, { origin: "web" }),
    };
    agent = await createAgent(stack, mine.id);
    await mine.client.patch(`/leads/${ids.web}`, { temperature: "hot", assigned_agent_id: agent });
    await mine.client.patch(`/leads/${ids.seller}`, { lead_status: null });
    await mine.client.delete(`/leads/${ids.archived}`);
  });

  async function listed(query: string): Promise<string[]> {
    const answer = await mine.client.get(`/leads${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.map((row: unknown) => Lead.parse(row).id);
  }

  test("lists leads newest first, sellers too, archived ones only on request", async () => {
    expect(await listed("")).toEqual([ids.seller, ids.mail, ids.web]);
    expect(await listed("?include_archived=false")).toEqual([ids.seller, ids.mail, ids.web]);
    expect(await listed("?include_archived=true")).toEqual([
      ids.archived,
      ids.seller,
      ids.mail,
      ids.web,
    ]);
  });

  test("filters by temperature, origin, email and assigned_agent_id", async () => {
    expect(await listed("?temperature=hot")).toEqual([ids.web]);
    expect(await listed("?origin=email")).toEqual([ids.mail]);
    expect(await listed("?origin=web&include_archived=true")).toEqual([ids.archived, ids.web]);
    expect(await listed("?email=UNO%40example.COM")).toEqual([ids.web]);
    expect(await listed("?email=tres@example.com")).toEqual([]);
    expect(await listed(`?assigned_agent_id=${agent}`)).toEqual([ids.web]);
  });

  test.each([
    ["temperature=boiling", "temperature"],
    ["origin=fax", "origin"],
    ["assigned_agent_id=me", "assigned_agent_id"],
    ["include_archived=yes", "include_archived"],
    ["lead_status=new", "lead_status"],
    ["offset=50", "offset"],
    ["origin=web&origin=email", "origin"],
  ])("refuses ?%s and names %s", async (query, path) => {
    const answer = await mine.client.get(`/leads?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toMatchObject({
      reason: "invalid_query",
      issues: [{ path }],
    });
  });
});

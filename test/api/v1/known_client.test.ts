import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CreatedLead } from "../../../types/contracts/leads.ts";
import { one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, createAgent, createKey, type TestAgency } from "../agency.ts";
import { type Client, clientOf } from "../client.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

/** A new agency with so many agents. */
async function office(agents: number): Promise<TestAgency & { agents: string[] }> {
  const agency = await createAgency(stack);
  const ids: string[] = [];
  for (let i = 0; i < agents; i++) ids.push(await createAgent(stack, agency.id));
  return { ...agency, agents: ids };
}

async function created(client: Client, body: object, headers?: Record<string, string>) {
  const answer = await client.post("/leads", body, headers);
  expect(answer.status, answer.text).toBe(201);
  return one(CreatedLead).parse(answer.body).data;
}

const ROSA = { full_name: "Rosa Vidal", phone: "+34611000001", email: "rosa@example.com" };

describe("A client who comes back", () => {
  test("is told, with the operations that were open before", async () => {
    const { client } = await office(2);
    const first = await created(client, { ...ROSA, operation_type: "buy" });
    expect(first).toMatchObject({ known_contact: false, open_operations: [] });

    const again = await created(client, { ...ROSA, operation_type: "rent" });
    expect(again).toMatchObject({
      contact_id: first.contact_id,
      known_contact: true,
      open_operations: [
        {
          id: first.operation_id,
          lead_id: first.id,
          operation_type: "buy",
          stage: "qualification",
          stage_label: "Cualificación",
          assigned_agent_id: first.assigned_agent_id,
        },
      ],
    });

    const third = await created(client, { ...ROSA });
    expect(third.open_operations?.map(({ id }) => id)).toEqual([
      again.operation_id,
      first.operation_id,
    ]);
    await client.patch(`/operations/${first.operation_id}`, { stage: "cancelled" });
    const fourth = await created(client, { ...ROSA });
    expect(fourth.open_operations?.map(({ id }) => id)).toEqual([again.operation_id]);
  });

  test("shows no operations to a key that may not read them", async () => {
    const agency = await office(1);
    const writer = clientOf(
      stack.baseUrl,
      await createKey(stack, agency.id, { permissions: ["leads:write"] }),
    );
    await created(agency.client, { ...ROSA, operation_type: "buy" });
    expect(await created(writer, ROSA)).toMatchObject({
      known_contact: true,
      open_operations: null,
    });
    expect(await created(writer, { full_name: "Nadie" })).toMatchObject({ open_operations: null });
  });

  test("gets the same answer when the request is repeated", async () => {
    const { client } = await office(1);
    const key = { "idempotency-key": randomUUID() };
    const first = await created(client, { ...ROSA, operation_type: "buy" }, key);
    expect(await created(client, { ...ROSA, operation_type: "buy" }, key)).toEqual(first);
    expect(first.known_contact).toBe(false);
  });

  test("goes to the agent who looks after them, and that costs nobody their turn", async () => {
    const { client, agents } = await office(3);
    expect((await created(client, ROSA)).assigned_agent_id).toBe(agents[0]);
    expect((await created(client, ROSA)).assigned_agent_id).toBe(agents[0]);
    expect((await created(client, ROSA)).assigned_agent_id).toBe(agents[0]);
    const turns = [];
    for (let i = 0; i < 4; i++)
      turns.push((await created(client, { full_name: "Nueva" })).assigned_agent_id);
    expect(turns).toEqual([agents[1], agents[2], agents[0], agents[1]]);
  });

  test("goes to whoever took the client over last", async () => {
    const { client, agents } = await office(3);
    const first = await created(client, ROSA);
    await client.patch(`/leads/${first.id}`, { assigned_agent_id: agents[2] });
    expect((await created(client, ROSA)).assigned_agent_id).toBe(agents[2]);
  });

  test.each([
    ["is not active", "active = false"],
    ["takes no leads", "accepts_leads = false"],
    ["may only read", "role = 'viewer'"],
  ])("goes to the next in turn when their agent %s", async (_, change) => {
    const { client, agents } = await office(2);
    await created(client, ROSA);
    await stack.sql.unsafe(`update public.agents set ${change} where id = '${agents[0]}'`);
    expect((await created(client, ROSA)).assigned_agent_id).toBe(agents[1]);
  });

  test("goes to the next in turn when their leads are archived", async () => {
    const { client, agents } = await office(2);
    const first = await created(client, ROSA);
    await client.delete(`/leads/${first.id}`);
    const again = await created(client, ROSA);
    expect(again).toMatchObject({ known_contact: true, assigned_agent_id: agents[1] });
  });

  test("is the client of one's own agency", async () => {
    const theirs = await office(1);
    await created(theirs.client, { ...ROSA, operation_type: "buy" });
    const mine = await office(1);
    expect(await created(mine.client, ROSA)).toMatchObject({
      known_contact: false,
      open_operations: [],
      assigned_agent_id: mine.agents[0],
    });
  });
});

describe("Leads that come at once", () => {
  test("are shared out evenly among new clients, and stay with one agent for a known one", async () => {
    const { client } = await office(3);
    const rosa = await created(client, ROSA);
    const [strangers, known] = await Promise.all([
      Promise.all(Array.from({ length: 30 }, (_, i) => created(client, { full_name: `L ${i}` }))),
      Promise.all(Array.from({ length: 10 }, () => created(client, ROSA))),
    ]);
    const shares = Map.groupBy(strangers, (lead) => lead.assigned_agent_id);
    expect([...shares.values()].map((share) => share.length)).toEqual([10, 10, 10]);
    expect(new Set(known.map((lead) => lead.assigned_agent_id))).toEqual(
      new Set([rosa.assigned_agent_id]),
    );
  });

  test("of one new client go to one agent, and all but the first find them known", async () => {
    const { client } = await office(3);
    const leads = await Promise.all(Array.from({ length: 10 }, () => created(client, ROSA)));
    expect(new Set(leads.map((lead) => lead.assigned_agent_id)).size).toBe(1);
    expect(leads.filter((lead) => !lead.known_contact)).toHaveLength(1);
  });
});

test("An agent who may only read is in no turn", async () => {
  const { client, agents } = await office(2);
  await stack.sql`update public.agents set role = 'viewer' where id = ${agents[0] as string}`;
  for (let i = 0; i < 3; i++)
    expect((await created(client, { full_name: "Nueva" })).assigned_agent_id).toBe(agents[1]);
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import {
  createAgency,
  createAgent,
  createLead,
  createOperation,
  createProperty,
  type TestAgency,
  tickStep,
} from "./agency.ts";
import type { Answer } from "./client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

/** Sends all at once, over connections of their own. */
function atOnce(times: number, send: (i: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: times }, (_, i) => send(i)));
}

const count = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe("Requests that come at once", () => {
  test("open one operation of twenty POST /operations for one lead and type", async () => {
    const lead_id = await createLead(agency);
    const body = { lead_id, operation_type: "buy" };
    const answers = await atOnce(20, () => agency.client.post("/operations", body));
    expect(count(answers, 201)).toBe(1);
    expect(count(answers, 200)).toBe(19);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
    const { body: list } = await agency.client.get(`/operations?lead_id=${lead_id}&open_only=true`);
    expect(list.data).toHaveLength(1);
  });

  test("assign thirty leads to three agents, ten each", async () => {
    const mine = await createAgency(stack);
    for (let i = 0; i < 3; i++) await createAgent(stack, mine.id);
    const answers = await atOnce(30, (i) => mine.client.post("/leads", { full_name: `Lead ${i}` }));
    expect(count(answers, 201)).toBe(30);
    const shares = Map.groupBy(answers, (answer) => answer.body.data.assigned_agent_id);
    expect([...shares.values()].map((share) => share.length)).toEqual([10, 10, 10]);
  });

  test("find one contact for twenty leads with one e-mail", async () => {
    const answers = await atOnce(20, (i) =>
      agency.client.post("/leads", {
        full_name: "Nora Vega",
        email: i % 2 ? "nora@example.com" : "NORA@Example.com ",
      }),
    );
    expect(count(answers, 201)).toBe(20);
    expect(new Set(answers.map((answer) => answer.body.data.contact_id)).size).toBe(1);
    const contacts = await stack.sql`
      select from public.contacts where agency_id = ${agency.id} and email = 'nora@example.com'`;
    expect(contacts).toHaveLength(1);
  });

  test("find one contact for leads that share e-mail and phone crosswise, without a deadlock", async () => {
    const answers = await atOnce(20, (i) =>
      agency.client.post("/leads", {
        full_name: "Olga Sanz",
        ...(i % 2
          ? { phone: "+34677000111" }
          : { phone: "+34677000111", email: "olga@example.com" }),
      }),
    );
    expect(count(answers, 201)).toBe(20);
    expect(new Set(answers.map((answer) => answer.body.data.contact_id)).size).toBe(1);
  });

  test("move an operation one step, and refuse the same step to the others", async () => {
    const id = await createOperation(agency, "buy");
    const answers = await atOnce(10, () =>
      agency.client.patch(`/operations/${id}`, { stage: "search" }),
    );
    expect(count(answers, 200)).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer.status).toBe(422);
      expect(answer.body.error.details.reason).toBe("invalid_transition");
    }
    const history = await stack.sql`
      select from_stage, to_stage from public.stage_history where operation_id = ${id} order by id`;
    expect(history.map(({ to_stage }) => to_stage)).toEqual(["qualification", "search"]);
  });

  test("close an operation once, as won or as cancelled", async () => {
    const id = await createOperation(agency, "buy", "closing");
    const answers = await atOnce(10, (i) =>
      agency.client.patch(`/operations/${id}`, { stage: i % 2 ? "won" : "cancelled" }),
    );
    expect(count(answers, 200)).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer.body.error.details.reason).toBe("operation_closed");
    }
  });

  test("record every one of ten offers, of which closing precioAcordado accepts one", async () => {
    const operation_id = await createOperation(agency, "buy", "offer");
    const property_id = await createProperty(stack, agency.id);
    const answers = await atOnce(10, (i) =>
      agency.client.post("/offers", { operation_id, property_id, amount: i + 1 }),
    );
    expect(count(answers, 201)).toBe(10);
    expect(new Set(answers.map((answer) => answer.body.data.public_token)).size).toBe(10);
    await tickStep(stack, operation_id, "precioAcordado");
    const { body } = await agency.client.get(
      `/offers?operation_id=${operation_id}&status=accepted`,
    );
    expect(body.data).toHaveLength(1);
  });

  test("subscribe once to one event and URL", async () => {
    const body = { event_type: "deal_won", target_url: "https://example.com/at-once" };
    const answers = await atOnce(20, () => agency.client.post("/hooks", body));
    expect(count(answers, 201)).toBe(20);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  });

  test("archive a lead once", async () => {
    const id = await createLead(agency);
    const answers = await atOnce(10, (i) =>
      agency.client.delete(`/leads/${id}?reason=reason-${i}`),
    );
    expect(count(answers, 200)).toBe(10);
    expect(new Set(answers.map((answer) => answer.body.data.archive_reason)).size).toBe(1);
  });
});

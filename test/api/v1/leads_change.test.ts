import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Lead } from "../../../types/contracts/leads.ts";
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

describe("PATCH /leads/{id}", () => {
  test("changes the members that are sent, and no others", async () => {
    const id = await createLead(agency, {
      notes: "antes",
      bedrooms_min: 3,
      email: "a@example.com",
    });
    const before = (await agency.client.get(`/leads/${id}`)).body.data;
    const change = {
      full_name: "Otro Nombre",
      phone: "+34612345678",
      origin: "walk_in",
      budget_max: 300000,
      intent: "Piso céntrico",
      notes: "después",
      temperature: "warm",
      lead_status: "contacted",
      assigned_agent_id: await createAgent(stack, agency.id),
    };
    const answer = await agency.client.patch(`/leads/${id}`, change);
    expect(answer.status).toBe(200);
    const { data } = one(Lead).parse(answer.body);
    const { updated_at, ...after } = data;
    expect({ ...after, updated_at: before.updated_at }).toEqual({
      ...before,
      ...change,
      phone_e164: change.phone,
    });
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect((await agency.client.get(`/leads/${id}`)).body.data).toEqual(data);
  });

  test("normalizes phone and e-mail as on creation", async () => {
    const id = await createLead(agency);
    const { body } = await agency.client.patch(`/leads/${id}`, {
      phone: "612 34 56 79",
      email: " Ana@Example.COM",
    });
    expect(body.data).toMatchObject({ phone: "+34612345679", email: "ana@example.com" });
  });

  test("clears with null what may be empty", async () => {
    const id = await createLead(agency, {
      phone: "+34612345670",
      email: "b@example.com",
      budget_max: 1,
      bedrooms_min: 1,
      intent: "x",
      notes: "x",
    });
    const nothing = {
      phone: null,
      email: null,
      budget_max: null,
      bedrooms_min: null,
      intent: null,
      notes: null,
      temperature: null,
      lead_status: null,
      assigned_agent_id: null,
    };
    const answer = await agency.client.patch(`/leads/${id}`, nothing);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject(nothing);
  });

  test.each([
    ["full_name", null],
    ["origin", null],
    ["full_name", ""],
    ["operation_type", "buy"],
    ["email_subject", "x"],
    ["email_body", "x"],
    ["archived_at", null],
    ["contact_id", null],
    ["id", null],
    ["temperature", "boiling"],
    ["lead_status", "archived"],
    ["assigned_agent_id", "me"],
    ["phone", 612345678],
    ["email", true],
  ])("refuses %s = %j and writes nothing", async (member, value) => {
    const id = await createLead(agency);
    const before = await fingerprint(stack);
    const answer = await agency.client.patch(`/leads/${id}`, { notes: "x", [member]: value });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toMatchObject({
      reason: "invalid_body",
      issues: [{ path: member }],
    });
    expect(await fingerprint(stack)).toBe(before);
  });

  test("refuses a change of nothing", async () => {
    const id = await createLead(agency);
    const answer = await agency.client.patch(`/leads/${id}`, {});
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.reason).toBe("nothing_to_change");
  });

  test("refuses an agent that does not exist", async () => {
    const id = await createLead(agency);
    const answer = await agency.client.patch(`/leads/${id}`, { assigned_agent_id: randomUUID() });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toMatchObject({
      reason: "unknown_reference",
      issues: [{ path: "assigned_agent_id" }],
    });
  });

  test("answers 404 for an unknown or malformed id", async () => {
    for (const id of [randomUUID(), "1"]) {
      const answer = await agency.client.patch(`/leads/${id}`, { notes: "x" });
      expect(answer.status).toBe(404);
    }
  });
});

describe("DELETE /leads/{id}", () => {
  test("archives the lead and answers 200 with it; it is never removed", async () => {
    const id = await createLead(agency);
    const answer = await agency.client.delete(`/leads/${id}`);
    expect(answer.status).toBe(200);
    const { data } = one(Lead).parse(answer.body);
    expect(data).toMatchObject({ id, archive_reason: "archived_via_api" });
    expect(Date.parse(data.archived_at as string)).toBeCloseTo(Date.now(), -4);
    expect((await agency.client.get(`/leads/${id}`)).body.data).toEqual(data);
  });

  test.each([
    ["a query parameter", "?reason=Duplicado", undefined],
    ["a body", "", { archive_reason: " Duplicado " }],
    ["both, when they say the same", "?reason=Duplicado", { archive_reason: "Duplicado" }],
  ])("takes the reason from %s", async (_, query, body) => {
    const id = await createLead(agency);
    const answer = await agency.client.delete(`/leads/${id}${query}`, { body });
    expect(answer.status).toBe(200);
    expect(answer.body.data.archive_reason).toBe("Duplicado");
  });

  test.each([
    ["an empty body", "", {}],
    ["a null reason", "", { archive_reason: null }],
    ["a blank reason", "?reason=+", undefined],
  ])("gives its own reason with %s", async (_, query, body) => {
    const id = await createLead(agency);
    const answer = await agency.client.delete(`/leads/${id}${query}`, { body });
    expect(answer.body.data.archive_reason).toBe("archived_via_api");
  });

  test("changes nothing when it is repeated", async () => {
    const id = await createLead(agency);
    const first = await agency.client.delete(`/leads/${id}?reason=Primera`);
    const second = await agency.client.delete(`/leads/${id}?reason=Segunda`);
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
  });

  test.each([
    ["?reason=a", { archive_reason: "b" }, "archive_reason"],
    ["?why=a", undefined, "why"],
    ["", { reason: "a" }, "reason"],
    ["", { archive_reason: 1 }, "archive_reason"],
    ["", null, "body"],
    ["", [], "body"],
    [`?reason=${"x".repeat(1001)}`, undefined, "reason"],
  ])("refuses %s with %j and names %s", async (query, body, path) => {
    const id = await createLead(agency);
    const before = await fingerprint(stack);
    const answer = await agency.client.delete(`/leads/${id}${query}`, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.issues).toMatchObject([{ path }]);
    expect(await fingerprint(stack)).toBe(before);
  });

  test("answers 404 for an unknown or malformed id", async () => {
    expect((await agency.client.delete(`/leads/${randomUUID()}`)).status).toBe(404);
    expect((await agency.client.delete("/leads/1")).status).toBe(404);
  });
});

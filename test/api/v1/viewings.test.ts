import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { one } from "../../../types/contracts/pages.ts";
import { Viewing } from "../../../types/contracts/viewings.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createAgent,
  createLead,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
} from "../agency.ts";
import type { Answer } from "../client.ts";
import { describeReads, expectRefused, idsOf } from "../reads.ts";

let stack: TestStack;
let agency: TestAgency;
let agent_id: string;
let lead_id: string;
let property_id: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

/** Arranges a viewing of the agency's one lead and property; times are local unless they say more. */
function arrange(more: object = {}): Promise<Answer> {
  const starts_at = "2027-03-10T10:00";
  return agency.client.post("/viewings", { lead_id, property_id, starts_at, ...more });
}

async function newAgency(): Promise<void> {
  agency = await createAgency(stack);
  agent_id = await createAgent(stack, agency.id);
  lead_id = await createLead(agency);
  property_id = await createProperty(stack, agency.id);
}

describeReads({
  path: "/viewings",
  row: Viewing,
  permission: "viewings:read",
  stack: () => stack,
  async create(owner) {
    const answer = await owner.client.post("/viewings", {
      lead_id: await createLead(owner),
      property_id: await createProperty(stack, owner.id),
      starts_at: "2027-03-10T10:00",
    });
    return answer.body.data.id;
  },
});

describe("GET /viewings", () => {
  test("filters by status, lead, property, operation, agent and start", async () => {
    await newAgency();
    const operation_id = await createOperation(agency, "buy");
    const operation = (await agency.client.get(`/operations/${operation_id}`)).body.data;
    const early = (await arrange()).body.data.id;
    const late = (
      await arrange({
        lead_id: operation.lead_id,
        operation_id,
        starts_at: "2027-03-11T00:00",
        property_id: await createProperty(stack, agency.id),
        agent_id: await createAgent(stack, agency.id),
      })
    ).body.data;
    await agency.client.patch(`/viewings/${early}`, { status: "cancelled" });

    expect(await idsOf(agency, "/viewings?status=cancelled")).toEqual([early]);
    expect(await idsOf(agency, `/viewings?lead_id=${lead_id}`)).toEqual([early]);
    expect(await idsOf(agency, `/viewings?property_id=${late.property_id}`)).toEqual([late.id]);
    expect(await idsOf(agency, `/viewings?operation_id=${operation_id}`)).toEqual([late.id]);
    expect(await idsOf(agency, `/viewings?agent_id=${agent_id}`)).toEqual([early]);
    expect(await idsOf(agency, "/viewings?starts_from=2027-03-11T00:00")).toEqual([late.id]);
    expect(await idsOf(agency, "/viewings?starts_before=2027-03-11T00:00")).toEqual([early]);
    expect(await idsOf(agency, "/viewings?starts_from=2027-03-10T23:00:00Z")).toEqual([late.id]);
    expectRefused(
      await agency.client.get("/viewings?starts_from=soon"),
      "invalid_query",
      "starts_from",
    );
    expectRefused(
      await agency.client.get("/viewings?starts_from=2027-03-28T02:30"),
      "invalid_time",
      "starts_from",
    );
  });
});

describe("POST /viewings", () => {
  beforeEach(newAgency);

  test("answers 201 with a viewing of 45 minutes that the lead's agent shows", async () => {
    const answer = await arrange();
    expect(answer.status).toBe(201);
    expect(one(Viewing).parse(answer.body).data).toMatchObject({
      lead_id,
      property_id,
      agent_id,
      operation_id: null,
      status: "scheduled",
      starts_at: "2027-03-10T09:00:00+00:00",
      ends_at: "2027-03-10T09:45:00+00:00",
    });
  });

  test("takes an end or a duration, an offset, an agent and notes", async () => {
    const other = await createAgent(stack, agency.id);
    const answer = await arrange({
      starts_at: "2027-03-10T10:00:00-05:00",
      duration_minutes: 30,
      agent_id: other,
      notes: "Llaves en portería",
    });
    expect(answer.body.data).toMatchObject({
      starts_at: "2027-03-10T15:00:00+00:00",
      ends_at: "2027-03-10T15:30:00+00:00",
      agent_id: other,
      notes: "Llaves en portería",
    });
    const until = await arrange({ ends_at: "2027-03-10T12:00" });
    expect(until.body.data.ends_at).toBe("2027-03-10T11:00:00+00:00");
  });

  test("reads local times by the agency's own zone", async () => {
    await stack.sql`update public.agencies set time_zone = 'Atlantic/Canary' where id = ${agency.id}`;
    expect((await arrange()).body.data.starts_at).toBe("2027-03-10T10:00:00+00:00");
  });

  test("refuses the hour that the clock skips in spring", async () => {
    for (const time of ["2027-03-28T02:00", "2027-03-28T02:59:59"]) {
      expectRefused(await arrange({ starts_at: time }), "invalid_time", "starts_at");
    }
    const after = await arrange({ starts_at: "2027-03-28T03:00" });
    expect(after.body.data.starts_at).toBe("2027-03-28T01:00:00+00:00");
    const before = await arrange({ starts_at: "2027-03-28T01:59", duration_minutes: 5 });
    expect(before.status).toBe(409);
    const end = await arrange({ starts_at: "2027-03-28T01:30", ends_at: "2027-03-28T02:30" });
    expectRefused(end, "invalid_time", "ends_at");
  });

  test("takes the first of the two hours that the clock repeats in autumn; an offset says which", async () => {
    const first = await arrange({ starts_at: "2027-10-31T02:30", duration_minutes: 30 });
    expect(first.body.data.starts_at).toBe("2027-10-31T00:30:00+00:00");
    const second = await arrange({ starts_at: "2027-10-31T02:30+01:00", duration_minutes: 30 });
    expect(second.body.data.starts_at).toBe("2027-10-31T01:30:00+00:00");
  });

  test("refuses the agent's second viewing at one time, and names the first", async () => {
    const first = (await arrange()).body.data;
    const answer = await arrange({
      property_id: await createProperty(stack, agency.id),
      starts_at: "2027-03-10T10:44",
    });
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({
      code: "conflict",
      details: { viewing_id: first.id, booked: "agent", starts_at: first.starts_at },
    });
  });

  test("refuses the property's second viewing at one time, and names the first", async () => {
    const first = (await arrange()).body.data;
    const answer = await arrange({ agent_id: await createAgent(stack, agency.id) });
    expect(answer.status).toBe(409);
    expect(answer.body.error.details).toMatchObject({ viewing_id: first.id, booked: "property" });
  });

  test("lets one begin when the other ends, and fills the place of a cancelled one", async () => {
    const first = await arrange();
    expect((await arrange({ starts_at: "2027-03-10T10:45" })).status).toBe(201);
    expect((await arrange({ starts_at: "2027-03-10T09:15" })).status).toBe(201);
    await agency.client.patch(`/viewings/${first.body.data.id}`, { status: "cancelled" });
    expect((await arrange()).status).toBe(201);
  });

  test("books one of many that ask for the same time at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        arrange({ starts_at: `2027-03-10T10:${String(n).padStart(2, "0")}` }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(11).fill(409)]);
    const booked = answers.find(({ status }) => status === 201)?.body.data.id;
    for (const { status, body } of answers) {
      if (status === 409) expect(body.error.details.viewing_id).toBe(booked);
    }
  });

  test("replays the answer to the same Idempotency-Key", async () => {
    const body = { lead_id, property_id, starts_at: "2027-03-10T10:00" };
    const headers = { "idempotency-key": "once" };
    const first = await agency.client.post("/viewings", body, headers);
    const second = await agency.client.post("/viewings", body, headers);
    expect(second.status).toBe(201);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.body).toEqual(first.body);
  });

  test.each([
    ["starts_at", { starts_at: undefined }],
    ["starts_at", { starts_at: "tomorrow" }],
    ["starts_at", { starts_at: "2027-02-30T10:00" }],
    ["starts_at", { starts_at: "2027-03-10" }],
    ["starts_at", { starts_at: "2027-03-10T10:00+16:00" }],
    ["duration_minutes", { duration_minutes: 0 }],
    ["duration_minutes", { duration_minutes: 1441 }],
    ["duration_minutes", { duration_minutes: 30, ends_at: "2027-03-10T11:00" }],
    ["lead_id", { lead_id: undefined }],
    ["property_id", { property_id: "1" }],
    ["notes", { notes: "x".repeat(10_001) }],
    ["status", { status: "done" }],
  ])("refuses a body and names %s: %j", async (path, more) => {
    expectRefused(await arrange(more), "invalid_body", path);
  });

  test("refuses an end that is not after the start, or more than a day later", async () => {
    for (const ends_at of ["2027-03-10T10:00", "2027-03-10T09:00", "2027-03-11T10:01"]) {
      expectRefused(await arrange({ ends_at }), "invalid_time", "ends_at");
    }
    for (const starts_at of ["1999-12-31T10:00", "0001-01-01T10:00", "9999-01-01T10:00"]) {
      expectRefused(await arrange({ starts_at }), "invalid_time", "starts_at");
    }
  });

  test("refuses what another agency has, by its path, and stores nothing", async () => {
    const mine = agency;
    await newAgency();
    const foreign = { lead_id, property_id, agent_id };
    const operation_id = await createOperation(mine, "buy");
    agency = mine;
    lead_id = await createLead(agency);
    property_id = await createProperty(stack, agency.id);
    const before = await fingerprint(stack);
    for (const [path, value] of Object.entries(foreign)) {
      expectRefused(await arrange({ [path]: value }), "unknown_reference", path);
    }
    expectRefused(await arrange({ agent_id: randomUUID() }), "unknown_reference", "agent_id");
    expectRefused(await arrange({ operation_id }), "unknown_reference", "operation_id");
    expect(await fingerprint(stack)).toBe(before);
  });

  test("refuses what is over by more than an hour; a little late is no matter", async () => {
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const before = await fingerprint(stack);
    for (const starts_at of [hoursAgo(1.05), hoursAgo(24), "2000-01-01T10:00"]) {
      expectRefused(await arrange({ starts_at }), "invalid_time", "starts_at");
    }
    expect(await fingerprint(stack)).toBe(before);
    expect((await arrange({ starts_at: hoursAgo(0.9) })).status).toBe(201);
  });

  test("refuses a viewing for an operation that is closed", async () => {
    const operation_id = await createOperation(agency, "buy");
    const { data } = (
      await agency.client.patch(`/operations/${operation_id}`, { stage: "expired" })
    ).body;
    expectRefused(await arrange({ lead_id: data.lead_id, operation_id }), "operation_closed");
  });
});

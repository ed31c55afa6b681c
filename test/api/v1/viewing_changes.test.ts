import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { one } from "../../../types/contracts/pages.ts";
import { Viewing } from "../../../types/contracts/viewings.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createAgent,
  createKey,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
} from "../agency.ts";
import { clientOf } from "../client.ts";
import { expectRefused } from "../reads.ts";

let stack: TestStack;
let agency: TestAgency;
let operation_id: string;
let lead_id: string;
let property_id: string;
let viewing: { id: string; property_id: string };

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

beforeEach(async () => {
  agency = await createAgency(stack);
  await createAgent(stack, agency.id);
  operation_id = await createOperation(agency, "buy", "viewings");
  lead_id = (await agency.client.get(`/operations/${operation_id}`)).body.data.lead_id;
  property_id = await createProperty(stack, agency.id);
  viewing = await arrange("2027-03-10T10:00");
});

async function arrange(starts_at: string) {
  const body = { lead_id, property_id, operation_id, starts_at };
  const answer = await agency.client.post("/viewings", body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

function change(patch: object, id = viewing.id) {
  return agency.client.patch(`/viewings/${id}`, patch);
}

/** Puts the viewing where it begins by now. */
async function letItBegin() {
  await stack.sql`
    update public.viewings set starts_at = now(), ends_at = now() + interval '1 hour' where id = ${viewing.id}`;
}

describe("PATCH /viewings/{id}", () => {
  test("done closes propiedadesVisitadas of its operation", async () => {
    await letItBegin();
    const answer = await change({ status: "done" });
    expect(answer.status).toBe(200);
    expect(one(Viewing).parse(answer.body).data.status).toBe("done");
    const { body } = await agency.client.get(`/operations/${operation_id}`);
    expect(body.data.pending_actions).toEqual([
      { id: "favoritaElegida", label: "Propiedad favorita elegida" },
    ]);
  });

  test("done is refused of a viewing that is still to come, and closes nothing", async () => {
    const before = await fingerprint(stack);
    expectRefused(await change({ status: "done" }), "invalid_transition");
    expect(await fingerprint(stack)).toBe(before);
  });

  test.each(["cancelled", "no_show"])("%s leaves the gate as it is", async (status) => {
    expect((await change({ status })).body.data.status).toBe(status);
    const { body } = await agency.client.get(`/operations/${operation_id}`);
    expect(body.data.pending_actions).toHaveLength(2);
  });

  test("repeats itself without effect, and is not taken back", async () => {
    await letItBegin();
    const done = await change({ status: "done" });
    expect((await change({ status: "done" })).status).toBe(200);
    for (const status of ["scheduled", "cancelled", "no_show"]) {
      expectRefused(await change({ status }), "invalid_transition");
    }
    expectRefused(await change({ starts_at: "2027-03-11T10:00" }), "invalid_transition");
    const { body } = await agency.client.get(`/viewings/${viewing.id}`);
    expect(body.data).toMatchObject({ status: "done", starts_at: done.body.data.starts_at });
  });

  test("moves it and keeps its length, unless another end is given", async () => {
    expect((await change({ starts_at: "2027-07-10T10:00" })).body.data).toMatchObject({
      starts_at: "2027-07-10T08:00:00+00:00",
      ends_at: "2027-07-10T08:45:00+00:00",
    });
    expect((await change({ duration_minutes: 60 })).body.data).toMatchObject({
      starts_at: "2027-07-10T08:00:00+00:00",
      ends_at: "2027-07-10T09:00:00+00:00",
    });
    expect((await change({ ends_at: "2027-07-10T10:20" })).body.data.ends_at).toBe(
      "2027-07-10T08:20:00+00:00",
    );
  });

  test("moves it across its own old time, but not onto another one", async () => {
    expect((await change({ starts_at: "2027-03-10T10:15" })).status).toBe(200);
    const other = await arrange("2027-03-10T12:00");
    const answer = await change({ starts_at: "2027-03-10T11:30" });
    expect(answer.status).toBe(409);
    expect(answer.body.error.details).toMatchObject({ viewing_id: other.id, booked: "agent" });
    const { body } = await agency.client.get(`/viewings/${viewing.id}`);
    expect(body.data.starts_at).toBe("2027-03-10T09:15:00+00:00");
  });

  test("gives it to another agent, or to nobody yet", async () => {
    const agent_id = await createAgent(stack, agency.id);
    expect((await change({ agent_id })).body.data.agent_id).toBe(agent_id);
    expect((await change({ agent_id: null })).body.data.agent_id).toBeNull();
    expectRefused(await change({ agent_id: randomUUID() }), "unknown_reference", "agent_id");
  });

  test("notes something, also on one that took place", async () => {
    await letItBegin();
    await change({ status: "done" });
    expect((await change({ notes: "Le gustó" })).body.data.notes).toBe("Le gustó");
    expect((await change({ notes: null })).body.data.notes).toBeNull();
  });

  test("is not moved into the past, but may be told again when it was", async () => {
    expectRefused(await change({ starts_at: "2020-03-10T10:00" }), "invalid_time", "starts_at");
    await stack.sql`
      update public.viewings set starts_at = now() - interval '2 days', ends_at = now() - interval '47 hours'
      where id = ${viewing.id}`;
    const { body } = await agency.client.get(`/viewings/${viewing.id}`);
    expect((await change({ starts_at: body.data.starts_at, notes: "x" })).status).toBe(200);
  });

  test("refuses the skipped hour and unknown members, and a patch of nothing", async () => {
    expectRefused(await change({ starts_at: "2027-03-28T02:30" }), "invalid_time", "starts_at");
    expectRefused(await change({ status: "maybe" }), "invalid_body", "status");
    expectRefused(await change({ lead_id }), "invalid_body", "lead_id");
    expectRefused(await change({}), "nothing_to_change");
  });

  test("answers 404 for another agency's viewing and leaves it as it was", async () => {
    const other = await createAgency(stack);
    const before = await fingerprint(stack);
    const answer = await other.client.patch(`/viewings/${viewing.id}`, { status: "cancelled" });
    expect(answer.status).toBe(404);
    expect(await fingerprint(stack)).toBe(before);
  });

  test("needs viewings:write", async () => {
    const key = await createKey(stack, agency.id, { permissions: ["viewings:read"] });
    const client = clientOf(stack.baseUrl, key);
    expect((await client.patch(`/viewings/${viewing.id}`, { status: "done" })).status).toBe(403);
    expect((await client.post("/viewings", {})).status).toBe(403);
  });
});

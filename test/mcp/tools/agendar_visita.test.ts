import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createHome, createWorld, type World } from "./world.ts";

let stack: TestStack;
let world: World;
let lead_id: string;
let operation_id: string;
let property_id: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
beforeEach(async () => {
  world = await createWorld(stack);
  const created = await world.client.post("/leads", {
    full_name: "Lucía Pérez",
    operation_type: "buy",
  });
  lead_id = created.body.data.id;
  operation_id = created.body.data.operation_id;
  property_id = await createHome(stack, world.id, { title: "Ático", street: "Calle Alta 3" });
});
afterAll(() => stack?.stop());

function arrange(more: object = {}) {
  return world.call("agendar_visita", {
    lead_id,
    property_id,
    starts_at: "2027-05-04T17:30",
    ...more,
  });
}

test("a viewing is confirmed with names, address and the agency's time", async () => {
  const { content } = await arrange({ operation_id, notes: "Trae a su madre" });
  expect(content).toMatchObject({
    time_zone: "Europe/Madrid",
    starts_at: "2027-05-04T17:30:00+02:00",
    ends_at: "2027-05-04T18:15:00+02:00",
    status: "scheduled",
    full_name: "Lucía Pérez",
    operation_id,
    property_title: "Ático",
    address: "Calle Alta 3",
    agent_id: world.agentId,
    agent_name: "Ana Agente",
    notes: "Trae a su madre",
  });
  const stored = await world.client.get(`/viewings/${content.viewing_id}`);
  expect(Date.parse(stored.body.data.starts_at)).toBe(Date.parse("2027-05-04T15:30:00Z"));
});

test("a conflict names the other viewing, in the agency's time", async () => {
  const first = await arrange();
  const second = await arrange({ starts_at: "2027-05-04T18:00", duration_minutes: 30 });
  expect(second.isError).toBe(true);
  expect(second.error).toMatchObject({
    code: "conflict",
    details: { viewing_id: first.content.viewing_id, starts_at: "2027-05-04T17:30:00+02:00" },
  });
  expect((await arrange({ starts_at: "2027-05-04T18:15" })).isError).toBe(false);
});

test("a time that the clock skips is refused", async () => {
  const answer = await arrange({ starts_at: "2027-03-28T02:30" });
  expect(answer.error.details.reason).toBe("invalid_time");
  expect(await stack.sql`select 1 from public.viewings where agency_id = ${world.id}`).toHaveLength(
    0,
  );
});

test("of a time that the clock shows twice the first is meant", async () => {
  const { content } = await arrange({ starts_at: "2027-10-31T02:30" });
  expect(content.starts_at).toBe("2027-10-31T02:30:00+02:00");
});

test("an offset says the moment itself", async () => {
  const { content } = await arrange({ starts_at: "2027-05-04T15:30:00Z" });
  expect(content.starts_at).toBe("2027-05-04T17:30:00+02:00");
});

test("another agency's lead or property is not found", async () => {
  const other = await createWorld(stack);
  const theirs = await createHome(stack, other.id);
  for (const [path, args] of [
    ["lead_id", { lead_id: randomUUID() }],
    ["property_id", { property_id: theirs }],
  ] as const) {
    const answer = await arrange(args);
    expect(answer.error).toMatchObject({
      message: expect.stringContaining("No encontrado"),
      details: { reason: "unknown_reference", issues: [{ path }] },
    });
  }
});

test("it needs viewings:write", async () => {
  const call = await world.callWith(["viewings:read"]);
  const answer = await call("agendar_visita", {
    lead_id,
    property_id,
    starts_at: "2027-05-04T17:30",
  });
  expect(answer.error.details.required_permission).toBe("viewings:write");
});

test("a time that is over is refused, and one of an unusual hour is confirmed with a warning", async () => {
  const past = await arrange({ starts_at: new Date(Date.now() - 2 * 3_600_000).toISOString() });
  expect(past.error).toMatchObject({
    code: "validation_error",
    details: { reason: "invalid_time", issues: [{ path: "starts_at", message: "ya ha pasado" }] },
  });
  const night = await arrange({ starts_at: "2027-06-01T03:00" });
  expect(night.content.warnings).toEqual([
    expect.stringContaining("a las 03:00, una hora poco habitual"),
  ]);
  for (const usual of ["2027-06-02T08:00", "2027-06-02T20:30"]) {
    expect((await arrange({ starts_at: usual })).content.warnings).toEqual([]);
  }
});

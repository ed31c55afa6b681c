import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createLead } from "../../api/agency.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgentNamed, createHome, createViewing, createWorld, type World } from "./world.ts";

let stack: TestStack;
let world: World;
let lead_id: string;
let property_id: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
beforeEach(async () => {
  world = await createWorld(stack);
  lead_id = await createLead(world);
  property_id = await createHome(stack, world.id, { title: "Ático", street: "Calle Alta 3" });
});
afterAll(() => stack?.stop());

function viewing(starts_at: string, more: object = {}) {
  // Half a minute, so that viewings one minute apart do not overlap.
  const ends_at = new Date(Date.parse(starts_at) + 30_000);
  return createViewing(stack, world.id, { lead_id, property_id, starts_at, ends_at, ...more });
}

async function agenda(args: object = {}) {
  const answer = await world.call("agenda", args);
  expect(answer.error).toBeUndefined();
  return answer.content;
}

test("a day is that of the agency's zone, and the end of a period is part of it", async () => {
  await viewing("2027-05-03T21:59:00Z");
  await viewing("2027-05-03T22:00:00Z", { agent_id: world.agentId });
  await viewing("2027-05-04T21:59:00Z");
  await viewing("2027-05-04T22:00:00Z");
  const { viewings, ...period } = await agenda({
    starts_from: "2027-05-04",
    starts_before: "2027-05-04",
  });
  expect(period).toEqual({
    time_zone: "Europe/Madrid",
    missing_permissions: [],
    starts_from: "2027-05-04T00:00:00+02:00",
    starts_before: "2027-05-05T00:00:00+02:00",
  });
  expect(viewings.items.map((one: { starts_at: string }) => one.starts_at)).toEqual([
    "2027-05-04T00:00:00+02:00",
    "2027-05-04T23:59:00+02:00",
  ]);
  expect(viewings.items[0]).toMatchObject({
    lead_id,
    full_name: "Lucía Pérez",
    property_title: "Ático",
    address: "Calle Alta 3",
    agent_name: "Ana Agente",
    status: "scheduled",
  });
});

test("the night on which the clock goes forward has 23 hours, the other one 25", async () => {
  const spring = await agenda({ starts_from: "2027-03-28", starts_before: "2027-03-28" });
  expect(spring).toMatchObject({
    starts_from: "2027-03-28T00:00:00+01:00",
    starts_before: "2027-03-29T00:00:00+02:00",
  });
  await viewing("2027-10-31T00:30:00Z");
  await viewing("2027-10-31T01:30:00Z");
  const autumn = await agenda({ starts_from: "2027-10-31", starts_before: "2027-10-31" });
  expect(autumn).toMatchObject({
    starts_from: "2027-10-31T00:00:00+02:00",
    starts_before: "2027-11-01T00:00:00+01:00",
  });
  expect(autumn.viewings.items.map((one: { starts_at: string }) => one.starts_at)).toEqual([
    "2027-10-31T02:30:00+02:00",
    "2027-10-31T02:30:00+01:00",
  ]);
});

test("by default it shows seven days from the beginning of today", async () => {
  await viewing(new Date(Date.now() + 86_400_000).toISOString());
  await viewing(new Date(Date.now() + 9 * 86_400_000).toISOString());
  expect((await agenda()).viewings.total).toBe(1);
});

test("cancelled viewings are left out", async () => {
  await viewing("2027-05-04T10:00:00Z", { status: "cancelled" });
  expect((await agenda({ starts_from: "2027-05-04" })).viewings.total).toBe(0);
});

test("one agent's viewings, and one's own", async () => {
  const colleague = await createAgentNamed(stack, world.id, "Marc");
  await viewing("2027-05-04T10:00:00Z", { agent_id: world.agentId });
  await viewing("2027-05-04T12:00:00Z", { agent_id: colleague });
  const his = await agenda({ starts_from: "2027-05-04", agent_id: colleague });
  expect(his.viewings.items).toMatchObject([{ agent_id: colleague }]);
  const mine = await agenda({ starts_from: "2027-05-04", mine: true });
  expect(mine.viewings.items).toMatchObject([{ agent_id: world.agentId }]);
  const anonymous = await world.callWith(["viewings:read"]);
  const answer = await anonymous("agenda", { mine: true });
  expect(answer.error.details.reason).toBe("agent_required");
});

test.each([
  [{ starts_from: "tomorrow" }, "invalid_arguments"],
  [{ starts_from: "2027-02-30" }, "invalid_arguments"],
  [{ starts_from: "1999-01-01" }, "invalid_time"],
  [{ starts_from: "2027-03-28T02:30" }, "invalid_time"],
  [{ starts_from: "2027-05-04", starts_before: "2027-05-01" }, "invalid_time"],
])("%j is refused with its reason", async (args, reason) => {
  const answer = await world.call("agenda", args);
  expect(answer.isError).toBe(true);
  expect(answer.error.details.reason).toBe(reason);
});

test("another agency's viewings are not seen", async () => {
  await viewing("2027-05-04T10:00:00Z");
  const other = await createWorld(stack);
  const { content } = await other.call("agenda", {
    starts_from: "2027-05-04",
    agent_id: randomUUID(),
  });
  expect(content.viewings.total).toBe(0);
});

test("more than asked is cut and said", async () => {
  for (const hour of [10, 11, 12]) await viewing(`2027-05-04T${hour}:00:00Z`);
  const { viewings } = await agenda({ starts_from: "2027-05-04", limit: 2 });
  expect(viewings).toMatchObject({ total: 3, truncated: true });
  expect(viewings.items).toHaveLength(2);
});

test("it needs viewings:read", async () => {
  const call = await world.callWith(["leads:read"]);
  expect((await call("agenda")).error.details.required_permission).toBe("viewings:read");
});

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { answer } from "./receiver/receiver.ts";
import { World } from "./world.ts";

let world: World;
let agency: string;
let agencies = 0;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world?.close());
beforeEach(async () => {
  agency = await createAgency();
});
// What a test leaves in the queue must not reach the next one.
afterEach(() => world.stack.sql`delete from public.subscriptions`);

function createAgency(): Promise<string> {
  return world.stack.createAgency(`Agencia ${++agencies}`);
}

/** What became of an agency's events. */
async function outcomes(): Promise<unknown[]> {
  const rows = await world.stack.sql`
    select status, reason, attempts, count(*)::int from public.events where agency_id = ${agency}
    group by status, reason, attempts order by count(*) desc`;
  return [...rows];
}

function postedIds(path: string): unknown[] {
  return world.receiver.at(path).map(({ headers }) => headers["x-service-delivery"]);
}

function said(line: RegExp): string[] {
  return world.stack.logs.filter((one) => line.test(one));
}

test("a queue that is more than one worker can do empties without the minute job, and no worker is killed", async () => {
  await world.subscribe(agency, world.receiver.url("/long"));
  await world.completeDocuments(agency, 2000);
  // One call, as the minute job makes it, and nobody who asks again.
  await world.stack.sql`select private.call_function('drain')`;
  await world.receiver.count("/long", 2000, 90_000);
  await expect
    .poll(outcomes, { timeout: 10_000 })
    .toEqual([{ status: "delivered", reason: null, attempts: 1, count: 2000 }]);
  expect(new Set(postedIds("/long")).size).toBe(2000);
  expect(postedIds("/long")).toHaveLength(2000);
  expect(said(/worker \d+ retires/).length).toBeGreaterThan(1);
  expect(said(/killed/)).toEqual([]);
}, 120_000);

test("runs that go on do not retry what failed: that waits for the next minute", async () => {
  world.receiver.on("/down", answer(503));
  await world.subscribe(agency, world.receiver.url("/down"));
  await world.completeDocuments(agency, 700);
  const drained = await world.drain();
  expect(drained).toMatchObject({ posted: 700, failed: 700, to_retry: 700, events_due: 0 });
  expect(postedIds("/down")).toHaveLength(700);
  expect(await outcomes()).toEqual([
    { status: "pending", reason: "every_target_failed", attempts: 1, count: 700 },
  ]);
}, 60_000);

test("an agency with one event does not wait behind another's thousands", async () => {
  const crowd = await createAgency();
  await world.subscribe(crowd, world.receiver.url("/crowd"));
  await world.completeDocuments(crowd, 3000);
  await world.subscribe(agency, world.receiver.url("/small"));
  await world.completeDocuments(agency);
  await world.callDrain({});
  await world.receiver.count("/small", 1);
  expect(world.receiver.at("/crowd").length).toBeLessThan(200);
});

test("calls side by side do each event once, whoever's share it is", async () => {
  for (let n = 0; n < 6; n++) {
    const one = await createAgency();
    await world.subscribe(one, world.receiver.url("/shares"));
    await world.completeDocuments(one, 50);
  }
  await Promise.all([0, 1, 2].map((share) => world.callDrain({ wait: true, share, shares: 3 })));
  await world.receiver.count("/shares", 300);
  expect(new Set(postedIds("/shares")).size).toBe(300);
  expect(postedIds("/shares")).toHaveLength(300);
}, 60_000);

test("a worker that is killed leaves unknown only what it had announced, and nothing is posted twice", async () => {
  await world.subscribe(agency, world.receiver.url("/killed"));
  await world.completeDocuments(agency, 400);
  await world.callDrain({});
  await world.receiver.count("/killed", 100, 30_000);
  for (const pid of world.stack.functionPids("drain")) process.kill(pid, "SIGKILL");
  await expect
    .poll(async () => (await world.callDrain({}, { apikey: "wrong" })).status, { timeout: 15_000 })
    .toBe(401);
  await world.stack
    .sql`update public.events set lease_until = now() - interval '1 second' where status = 'claimed'`;
  await world.drain();
  await world.drain();
  const [tally] = await world.stack.sql`
    select count(*) filter (where e.status = 'delivered')::int as delivered,
      count(*) filter (where e.reason = 'outcome_unknown')::int as unknown
    from public.events e where e.agency_id = ${agency}`;
  expect(tally?.delivered).toBe(400);
  // No more than were announced ahead, under way, or not yet recorded.
  expect(tally?.unknown).toBeLessThanOrEqual(256);
  expect(new Set(postedIds("/killed")).size).toBe(postedIds("/killed").length);
  expect(postedIds("/killed").length).toBeGreaterThanOrEqual(400 - Number(tally?.unknown));
}, 60_000);

import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { answer, hang } from "./receiver/receiver.ts";
import { World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world?.close());
// What a test leaves in the queue must not reach the next one.
afterEach(() => world.stack.sql`delete from public.subscriptions`);

test("targets that take for ever are given up after 10 s, and the others do not wait for them", async () => {
  const { sql } = world.stack;
  const mute = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const targets = {
    // Reads the request and never answers.
    hangs: world.receiver.url("/hangs", "localhost"),
    // Takes the connection and never says a word.
    mute: `https://127.0.0.1:${(mute.address() as { port: number }).port}/`,
    // Answers 200 and never ends its body: it has the event.
    drips: world.receiver.url("/drips"),
    fast: world.receiver.url("/fast", "localhost"),
  };
  world.receiver.on("/hangs", hang);
  world.receiver.on("/drips", (_, response) => {
    response.writeHead(200, { "content-length": "1000000" });
    response.write("a");
  });
  for (const [name, url] of Object.entries(targets)) {
    const agency = await world.stack.createAgency(name);
    await world.subscribe(agency, url);
    await world.completeDocuments(agency, name === "fast" ? 300 : 5);
  }

  const run = world.drain();
  await world.receiver.count("/fast", 300, 9000);
  await run;
  mute.close();

  const outcomes = await sql`
    select a.name, d.state, d.error, e.status, min(d.duration_ms) >= 9990 as took_10_s, count(*)::int
    from public.deliveries d
    join public.agencies a on a.id = d.agency_id
    join public.events e on e.agency_id = d.agency_id and e.id = d.event_id
    where d.duration_ms < 12000
    group by a.name, d.state, d.error, e.status order by a.name`;
  expect([...outcomes]).toEqual([
    {
      name: "drips",
      state: "accepted",
      error: null,
      status: "delivered",
      took_10_s: true,
      count: 5,
    },
    {
      name: "fast",
      state: "accepted",
      error: null,
      status: "delivered",
      took_10_s: false,
      count: 300,
    },
    {
      name: "hangs",
      state: "failed",
      error: "timeout",
      status: "pending",
      took_10_s: true,
      count: 5,
    },
    {
      name: "mute",
      state: "failed",
      error: "timeout",
      status: "pending",
      took_10_s: true,
      count: 5,
    },
  ]);
  expect(world.receiver.at("/hangs")).toHaveLength(5);
}, 40_000);

test("a target that hangs after it was quick does not hold a drain beyond its time", async () => {
  const agency = await world.stack.createAgency("De repente");
  const quickly = 100;
  let turn = 0;
  world.receiver.on("/sudden", (request, response) =>
    (turn++ < quickly ? answer(200) : hang)(request, response),
  );
  await world.subscribe(agency, world.receiver.url("/sudden"));
  await world.completeDocuments(agency, 400);
  const startedAt = Date.now();
  const run = await world.run({ run_ms: 3000, calls_again: false });
  expect(Date.now() - startedAt).toBeLessThan(20_000);

  const posted = world.receiver.at("/sudden").length;
  const outcomes = await world.stack.sql`
    select d.error, count(*)::int from public.deliveries d where d.agency_id = ${agency}
    group by d.error order by d.error nulls first`;
  expect([...outcomes]).toEqual([
    { error: null, count: quickly },
    // Announced for a quick target, and never begun.
    { error: "not_sent", count: Number(run.failed) - (posted - quickly) },
    { error: "timeout", count: posted - quickly },
  ]);
  expect(run).toMatchObject({ posted, accepted: quickly, delivered: quickly });
  const claimed = await world.stack
    .sql`select from public.events where agency_id = ${agency} and status = 'claimed'`;
  expect(claimed).toHaveLength(0);
}, 60_000);

test("a drain whose time is up ends what is under way and gives the rest back without counting an attempt", async () => {
  const agency = await world.stack.createAgency("Lenta");
  world.receiver.on("/slow", hang);
  await world.subscribe(agency, world.receiver.url("/slow"));
  await world.completeDocuments(agency, 30);
  const run = await world.run({ run_ms: 500, calls_again: false });
  expect(run).toMatchObject({
    posted: 16,
    failed: 16,
    to_retry: 16,
    released: 14,
  });
  const attempts = await world.stack.sql`
    select status, attempts, count(*)::int from public.events where agency_id = ${agency}
    group by status, attempts order by attempts`;
  expect([...attempts]).toEqual([
    { status: "pending", attempts: 0, count: 14 },
    { status: "pending", attempts: 1, count: 16 },
  ]);
}, 40_000);

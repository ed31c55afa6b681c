import { setTimeout as delay } from "node:timers/promises";
import { World } from "../drain/world.ts";
import { type BenchContext, type BenchRow, row } from "./row.ts";

/** A function that dies again and again is started after longer and longer pauses, so a stack sees a few kills only. */
const stacks = 20;
const killsInAStack = 5;
const eventsForAKill = 200;
const longestLife_ms = 1500;

interface Tally {
  posted_twice: number;
  without_end: number;
  unknown: number;
  kills: number;
}

/** Kills the drain's workers at random moments of their work, a hundred times, and looks at what became of the events. */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const sum: Tally = { posted_twice: 0, without_end: 0, unknown: 0, kills: 0 };
  for (let stack = 1; stack <= stacks; stack++) {
    const world = await World.open({ server });
    try {
      const one = await killAndLook(world);
      for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += one[name];
      log(`stack ${stack}: ${JSON.stringify(sum)}`);
    } finally {
      await world.close();
    }
  }
  const detail = { ...sum, events: stacks * killsInAStack * eventsForAKill };
  return [
    row(
      "workers killed at random 100 times: events posted twice",
      sum.posted_twice,
      { at_most: 0 },
      detail,
    ),
    row("of these events, without a final state", sum.without_end, { at_most: 0 }, detail),
  ];
}

async function killAndLook(world: World): Promise<Tally> {
  const { sql } = world.stack;
  const agency = await world.stack.createAgency();
  await world.subscribe(agency, world.receiver.url("/hook"));
  let kills = 0;
  for (let n = 0; n < killsInAStack; n++) {
    await world.completeDocuments(agency, eventsForAKill);
    await sql`select private.kick_drain()`;
    await delay(Math.random() * longestLife_ms);
    const pids = world.stack.functionPids("drain");
    for (const pid of pids) process.kill(pid, "SIGKILL");
    kills += 1;
    while ((await world.callDrain({}, { apikey: "wrong" })).status !== 401) await delay(50);
    await expireLeases(world);
  }
  for (let n = 0; n < 5; n++) {
    await world.drain();
    await expireLeases(world);
  }
  const posts = world.receiver.at("/hook").map(({ headers }) => headers["x-service-delivery"]);
  const [row] = await sql<{ without_end: number; unknown: number }[]>`
    select count(*) filter (where status <> 'delivered')::int as without_end,
      count(*) filter (where reason = 'outcome_unknown')::int as unknown
    from public.events`;
  return {
    posted_twice: posts.length - new Set(posts).size,
    without_end: row?.without_end ?? Number.NaN,
    unknown: row?.unknown ?? Number.NaN,
    kills,
  };
}

/** As if the time had passed after which a run is taken for dead. */
async function expireLeases(world: World): Promise<void> {
  await world.stack.sql`
    update public.events set lease_until = clock_timestamp() - interval '1 second' where status = 'claimed'`;
}

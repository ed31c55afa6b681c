import { createAuthority, issueCertificate } from "../drain/receiver/certificates.ts";
import { hang } from "../drain/receiver/receiver.ts";
import { World } from "../drain/world.ts";
import { FastTarget } from "./drain/fast_target.ts";
import { drainTo, giveUp } from "./drain/queue.ts";
import { median, ratioOf } from "./rounds.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const events = 10_000;
const hangingEvents = 1000;
const rounds = 3;

/** The same drain with and without the platform's limits. */
interface Side {
  world: World;
  fast: string;
  slow: string;
}

/**
 * Pushes 10,000 waiting events to one fast target as the minute job does, on workers that the platform ends and on one
 * that nothing ends; and on the former while the target of another agency hangs.
 */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const authority = await createAuthority();
  const target = await FastTarget.start(await issueCertificate(authority));
  const times = { unlimited: [] as number[], limited: [] as number[], hanging: [] as number[] };
  const sides: Side[] = [];
  try {
    const options = { server, authority, cron: true };
    const limited = await side(await World.open({ ...options, edgeLimits: true }), target);
    sides.push(limited);
    const environment = { WORKER_LIMITS: "none" };
    const unlimited = await side(
      await World.open({ ...options, edgeLimits: false, environment }),
      target,
    );
    sides.push(unlimited);
    for (let round = 1; round <= rounds; round++) {
      times.unlimited.push(await drain(unlimited, target));
      times.limited.push(await drain(limited, target));
      const { world, slow } = limited;
      const hanging = await world.subscribe(slow, world.receiver.url("/hangs"));
      await world.completeDocuments(slow, hangingEvents);
      times.hanging.push(await drain(limited, target));
      await giveUp(world, slow, hanging);
      log(`round ${round}: ${JSON.stringify(times)} ms`);
    }
    const [tally] = await limited.world.stack.sql<{ unknown: number; once: number }[]>`
      select
        count(*) filter (where d.state not in ('accepted', 'failed'))::int as unknown,
        count(distinct d.event_id) filter (where d.state = 'accepted')::int as once
      from public.deliveries d where d.agency_id = ${limited.fast}`;
    const queued = rounds * 2 * events;
    const workers = limited.world.stack.logs.filter((line) => /worker \d+ retires/.test(line));
    const killed = limited.world.stack.logs.filter((line) => /worker \d+ killed/.test(line));
    const perSecond = (ms: number) => rounded((events / ms) * 1000);
    return [
      row(
        "drain of 10,000 events within the platform's limits, rate against none",
        ratioOf(times.unlimited, times.limited),
        { at_least: 0.6 },
        {
          limited_per_second: perSecond(median(times.limited)),
          unlimited_per_second: perSecond(median(times.unlimited)),
          workers: workers.length,
          ...times,
        },
      ),
      row(
        "the same beside a hanging target, time",
        ratioOf(times.hanging, times.limited),
        { at_most: 1.1 },
        { hangingEvents },
      ),
      row("of these events, accepted", (tally?.once ?? 0) / queued, { at_least: 1 }, { queued }),
      row("of these deliveries, unknown", tally?.unknown ?? Number.NaN, { at_most: 0 }, {}),
      row("of these workers, killed", killed.length, { at_most: 0 }, { killed }),
    ];
  } finally {
    for (const { world } of sides) await world.close();
    await target.stop();
  }
}

async function side(world: World, target: FastTarget): Promise<Side> {
  const fast = await world.stack.createAgency("Rápida");
  const slow = await world.stack.createAgency("Lenta");
  await world.stack.sql`select admin.set_signing_secret(${fast}, 'a secret of the bench')`;
  await world.subscribe(fast, target.url);
  world.receiver.on("/hangs", hang);
  return { world, fast, slow };
}

/** Drains and waits until nothing is at work any more. */
async function drain({ world, fast }: Side, target: FastTarget): Promise<number> {
  const { sql } = world.stack;
  const took = await drainTo(target, world, fast, events, () => sql`select private.kick_drain()`);
  const deadline = Date.now() + 180_000;
  for (;;) {
    const left =
      await sql`select from public.events where agency_id = ${fast} and status <> 'delivered' limit 1`;
    if (left.length === 0) return took;
    if (Date.now() > deadline) throw new Error("events were read and never recorded");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { EXCHANGES_WITH_A_HOST } from "../../functions/drain/limits.ts";
import { findDeno } from "../../supabase/local/functions/deno.ts";
import { createAuthority, issueCertificate } from "../drain/receiver/certificates.ts";
import { hang } from "../drain/receiver/receiver.ts";
import { World } from "../drain/world.ts";
import { FastTarget } from "./drain/fast_target.ts";
import { drainTo, giveUp } from "./drain/queue.ts";
import { median, ratioOf } from "./rounds.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const events = 10_000;
const hangingEvents = 1000;
/** An even number, as the order changes from one to the next. */
const rounds = 4;
/** What one worker can do as long as nothing ends it: the drain itself, without the platform. */
const UNLIMITED = { edgeLimits: false, environment: { WORKER_LIMITS: "none" } };
const secret = "a secret of the bench";
const here = join(import.meta.dirname, "drain");

/**
 * Pushes 10,000 waiting events to one fast target, against a loop that only signs and posts the same bodies with the
 * same client and as many at once; then the same while the target of another agency hangs. Time is taken until the
 * target has read the last event.
 */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const authority = await createAuthority();
  const target = await FastTarget.start(await issueCertificate(authority));
  const world = await World.open({ server, authority, ...UNLIMITED });
  const times = { bare: [] as number[], drain: [] as number[], hanging: [] as number[] };
  try {
    const fast = await world.stack.createAgency("Rápida");
    const slow = await world.stack.createAgency("Lenta");
    await world.stack.sql`select admin.set_signing_secret(${fast}, ${secret})`;
    await world.subscribe(fast, target.url);
    world.receiver.on("/hangs", hang);
    await drainTo(target, world, fast, events);
    const alone = async () => {
      times.drain.push(await drainTo(target, world, fast, events));
    };
    const besideHanging = async () => {
      const hanging = await world.subscribe(slow, world.receiver.url("/hangs"));
      await world.completeDocuments(slow, hangingEvents);
      times.hanging.push(await drainTo(target, world, fast, events));
      await giveUp(world, slow, hanging);
    };
    for (let round = 1; round <= rounds; round++) {
      times.bare.push(await bareLoop(world, fast, target));
      // The tables grow and the machine warms up, so neither side always comes second.
      const sides = round % 2 === 1 ? [alone, besideHanging] : [besideHanging, alone];
      for (const side of sides) await side();
      log(`round ${round}: ${JSON.stringify(times)} ms`);
    }
  } finally {
    await world.close();
    await target.stop();
  }
  const perSecond = (ms: number) => rounded((events / ms) * 1000);
  const detail = {
    events,
    concurrency: EXCHANGES_WITH_A_HOST.max,
    bare_per_second: perSecond(median(times.bare)),
    drain_per_second: perSecond(median(times.drain)),
    beside_a_hanging_target_per_second: perSecond(median(times.hanging)),
    ...times,
  };
  return [
    row(
      "drain of 10,000 events against a bare loop",
      ratioOf(times.bare, times.drain),
      { at_least: 0.7 },
      detail,
    ),
    row(
      "the same beside a hanging target, time",
      ratioOf(times.hanging, times.drain),
      { at_most: 1.1 },
      { hangingEvents },
    ),
  ];
}

async function bareLoop(world: World, agency: string, target: FastTarget): Promise<number> {
  const rows = await world.stack.sql<{ body: string }[]>`
    select body from public.events where agency_id = ${agency} order by queued_at desc limit ${events}`;
  const reached = target.reaches(rows.length);
  const args = [
    "run",
    "--quiet",
    "--no-lock",
    "--no-remote",
    "--cached-only",
    "--node-modules-dir=manual",
  ];
  const config = `--config=${join(here, "..", "..", "..", "functions", "deno.json")}`;
  const child = spawn(
    findDeno(),
    [
      ...args,
      config,
      "-A",
      join(here, "bare_loop.ts"),
      target.url,
      secret,
      `${EXCHANGES_WITH_A_HOST.max}`,
    ],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, DENO_CERT: world.authorityFile },
    },
  );
  child.stdin.end(rows.map(({ body }) => body).join("\n"));
  const took = Number.parseFloat(await text(child.stdout));
  if (Number.isNaN(took)) throw new Error("the bare loop failed");
  await reached;
  return took;
}

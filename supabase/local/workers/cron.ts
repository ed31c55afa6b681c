import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { messageOf } from "../../failure.ts";
import { openDatabase } from "../postgres/pool.ts";
import { nextRun } from "./next_run.ts";

interface Job {
  jobid: string;
  schedule: string;
  command: string;
  database: string;
  username: string;
}

interface Planned {
  schedule: string;
  at: number;
  running: boolean;
}

const POLL_INTERVAL_MS = 250;

/** A worker that is stopped by hand. */
export interface Worker {
  stop(): Promise<void>;
}

/** Runs the due jobs of `cron.job`, as pg_cron's background worker does. */
export function startCronWorker(databaseUrl: string, log: (line: string) => void): Worker {
  const database = openDatabase(databaseUrl, { max: 4, applicationName: "pg_cron" });
  const stopping = new AbortController();
  const planned = new Map<string, Planned>();
  const running = new Set<Promise<void>>();

  async function look(): Promise<void> {
    const jobs = await activeJobs(database.pool);
    const known = new Set(jobs.map((job) => job.jobid));
    for (const id of planned.keys()) if (!known.has(id)) planned.delete(id);
    for (const job of jobs) {
      const plan = planFor(job, planned);
      if (plan.running || Date.now() < plan.at) continue;
      plan.running = true;
      const run = runJob(database.pool, job).finally(() => {
        plan.running = false;
        plan.at = dueAt(job);
        running.delete(run);
      });
      running.add(run);
    }
  }

  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch((error) => log(`[cron] ${messageOf(error)}`));
      await delay(POLL_INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();

  return {
    async stop() {
      stopping.abort();
      await loop;
      await database.close();
      await Promise.allSettled(running);
    },
  };
}

/** The active jobs; none before a migration has created the extension. */
async function activeJobs(pool: pg.Pool): Promise<Job[]> {
  const known = await pool.query("select to_regclass('cron.job') is not null as known");
  if (!known.rows[0]?.known) return [];
  const jobs = await pool.query<Job>(`
    select jobid::text, schedule, command, database, username
    from cron.job where active and database = current_database()`);
  return jobs.rows;
}

function planFor(job: Job, planned: Map<string, Planned>): Planned {
  const plan = planned.get(job.jobid);
  if (plan?.schedule === job.schedule) return plan;
  const made = { schedule: job.schedule, at: dueAt(job), running: plan?.running ?? false };
  planned.set(job.jobid, made);
  return made;
}

function dueAt({ schedule }: Job): number {
  return nextRun(schedule, new Date())?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** Runs one job as its owner and records how it went. */
async function runJob(pool: pg.Pool, job: Job): Promise<void> {
  const begun = await pool
    .query<{ runid: string }>(
      `insert into cron.job_run_details (jobid, database, username, command, status, start_time)
       values ($1, $2, $3, $4, 'running', now())
       returning runid`,
      [job.jobid, job.database, job.username, job.command],
    )
    .catch(() => undefined);
  const runid = begun?.rows[0]?.runid;
  if (runid === undefined) return;
  let status = "succeeded";
  let message: string;
  try {
    message = await runCommand(pool, job);
  } catch (error) {
    status = "failed";
    message = `ERROR:  ${messageOf(error)}`;
  }
  await pool
    .query(
      `update cron.job_run_details
       set status = $1, return_message = $2, end_time = now()
       where runid = $3`,
      [status, message, runid],
    )
    .catch(() => {});
}

/** Runs the command in a transaction, and says of its last statement what pg_cron says. */
async function runCommand(pool: pg.Pool, { username, command }: Job): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('role', $1, true)", [username]);
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(command);
    await client.query("commit");
    const last = [results].flat().at(-1);
    return last?.command === "SELECT" ? `${last.rowCount} rows` : (last?.command ?? "");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

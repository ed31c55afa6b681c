import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { messageOf } from "../failure.ts";
import { nextRun } from "./schedule.ts";

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

const look_ms = 250;

/** A worker that is stopped by hand. */
export interface Worker {
  stop(): Promise<void>;
}

/** Runs the due jobs of `cron.job`, as pg_cron's background worker does. */
export function startCronWorker(databaseUrl: string, log: (line: string) => void): Worker {
  const sql = postgres(databaseUrl, {
    max: 4,
    idle_timeout: 20,
    onnotice: () => {},
    connection: { application_name: "pg_cron" },
  });
  const stopping = new AbortController();
  const planned = new Map<string, Planned>();
  const running = new Set<Promise<void>>();

  async function look(): Promise<void> {
    const jobs = await activeJobs(sql);
    const known = new Set(jobs.map((job) => job.jobid));
    for (const id of planned.keys()) if (!known.has(id)) planned.delete(id);
    for (const job of jobs) {
      const plan = planFor(job, planned);
      if (plan.running || Date.now() < plan.at) continue;
      plan.running = true;
      const run = runJob(sql, job).finally(() => {
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
      await delay(look_ms, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();

  return {
    async stop() {
      stopping.abort();
      await loop;
      await sql.end({ timeout: 1 });
      await Promise.allSettled(running);
    },
  };
}

/** The active jobs; none before a migration has created the extension. */
async function activeJobs(sql: postgres.Sql): Promise<Job[]> {
  const [row] = await sql<
    { known: boolean }[]
  >`select to_regclass('cron.job') is not null as known`;
  if (!row?.known) return [];
  return sql<Job[]>`
    select jobid::text, schedule, command, database, username
    from cron.job where active and database = current_database()`;
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
async function runJob(sql: postgres.Sql, job: Job): Promise<void> {
  const [details] = await sql`
    insert into cron.job_run_details (jobid, database, username, command, status, start_time)
    values (${job.jobid}, ${job.database}, ${job.username}, ${job.command}, 'running', now())
    returning runid`.catch(() => []);
  if (details === undefined) return;
  let status = "succeeded";
  let message: string;
  try {
    const result = await sql.begin(async (transaction) => {
      await transaction`select set_config('role', ${job.username}, true)`;
      return transaction.unsafe(job.command);
    });
    const last = Array.isArray(result[0]) ? (result.at(-1) as typeof result) : result;
    message = last.command === "SELECT" ? `${last.count} rows` : (last.command ?? "");
  } catch (error) {
    status = "failed";
    message = `ERROR:  ${messageOf(error)}`;
  }
  await sql`
    update cron.job_run_details
    set status = ${status}, return_message = ${message}, end_time = now()
    where runid = ${details.runid}`.catch(() => {});
}

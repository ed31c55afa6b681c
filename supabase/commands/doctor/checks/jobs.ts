import { nextRun } from "../../../local/workers/next_run.ts";
import { age } from "../age.ts";
import { isThere } from "../catalog.ts";
import { type Check, type Group, notice, right, type Verdict, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";
import { readExpected } from "../expected.ts";

/** A job of pg_cron with its last run. */
export interface Job {
  active: boolean;
  description: string;
  status: string | null;
  message: string | null;
  /** Seconds since the last run began, or since the server started when that is later. */
  age_s: number | null;
}

/** What pg_cron runs and what pg_net brought back. */
export const jobChecks: Group = {
  title: "Jobs",
  checks: [
    ...Object.entries(readExpected().job ?? {}).map(([name, description]) =>
      jobCheck(name, description),
    ),
    {
      name: "answers to pg_net",
      right: "the functions accepted pg_net's last request",
      needs: ["database"],
      look: lookAtAnswers,
    },
    {
      name: "pg_net's queue",
      right: "nothing waits to be sent",
      needs: ["database"],
      look: lookAtQueue,
    },
  ],
};

function jobCheck(name: string, expected: string): Check {
  return {
    name: `job ${name}`,
    right: "runs at its time",
    needs: ["database"],
    look: async (deployment) =>
      judgeJob({ name, expected, local: deployment.local }, await readJob(deployment, name)),
  };
}

/** What a job's row and its last run say. */
export function judgeJob(
  { name, expected, local }: { name: string; expected: string; local: boolean },
  job: Job | undefined,
): Verdict {
  const fields = expected.split(" ");
  const schedule = fields.slice(0, 5).join(" ");
  const command = fields.slice(5).join(" ");
  const mend = `select cron.schedule('${name}', '${schedule}', '${command}');`;
  if (job === undefined) return wrong("is not scheduled", mend);
  if (!job.active) {
    return wrong(
      "is switched off",
      `select cron.alter_job((select jobid from cron.job where jobname = '${name}'), active := true);`,
    );
  }
  if (job.description !== expected) return wrong(`is different: ${job.description}`, mend);
  if (job.age_s === null) return right(`is scheduled (${schedule}) and has not run yet`);
  if (job.status === "failed") {
    return wrong(
      `failed ${age(job.age_s)} ago: ${job.message?.split("\n")[0] ?? ""}`,
      `${command}; in the SQL editor fails in the same way and shows the whole error`,
    );
  }
  if (job.age_s > longestPause(schedule)) {
    return wrong(
      `has not run for ${age(job.age_s)}: pg_cron does not work`,
      local
        ? "npm start runs the jobs as long as it runs itself"
        : "restart the database (dashboard: Settings, General, Restart), then look at its logs for pg_cron",
    );
  }
  return right(`ran ${age(job.age_s)} ago (${schedule})`);
}

/** Twice the time between two runs, and some minutes for a server that is busy. */
function longestPause(schedule: string): number {
  const first = nextRun(schedule, new Date());
  const second = first && nextRun(schedule, first);
  if (!first || !second) return Number.POSITIVE_INFINITY;
  return (2 * (second.getTime() - first.getTime())) / 1000 + 180;
}

/** A server that was off ran nothing, so time counts from its start. */
function readJob(deployment: Deployment, name: string): Promise<Job | undefined> {
  return deployment.read(async (sql) => {
    if (!(await isThere(sql, "cron.job"))) return undefined;
    const [job] = await sql<Job[]>`
      select j.active, j.schedule || ' ' || btrim(j.command, ' ;') as description,
        last.status, last.return_message as message,
        extract(epoch from now() - greatest(last.start_time, pg_postmaster_start_time()))::float8 as age_s
      from cron.job j
      left join lateral (
        select d.status, d.return_message, d.start_time from cron.job_run_details d
        where d.jobid = j.jobid and d.start_time is not null and d.status <> 'running'
        order by d.runid desc limit 1) last on true
      where j.jobname = ${name}
      order by j.active desc limit 1`;
    return job && { ...job, age_s: job.status === null ? null : job.age_s };
  });
}

/**
 * "Succeeded" of a job says that the request was queued, so what came of it is read here. pg_net keeps answers for some
 * hours, those to other senders too, and no address: ours are told by what they say.
 */
async function lookAtAnswers(deployment: Deployment): Promise<Verdict | undefined> {
  const rows = await deployment.read(async (sql) =>
    (await isThere(sql, "net._http_response"))
      ? sql<
          {
            status: number | null;
            content: string | null;
            error: string | null;
            timed_out: boolean | null;
            age_s: number;
          }[]
        >`
          select status_code as status, left(content, 500) as content, error_msg as error, timed_out,
            extract(epoch from now() - created)::float8 as age_s
          from net._http_response order by created desc, id desc limit 50`
      : [],
  );
  const [last] = rows;
  if (last === undefined) return right("nothing was sent in the last hours");
  const failures = rows.filter((row) => row.status === null || row.status >= 300).length;
  if (last.status !== null && last.status < 300) {
    return failures === 0
      ? right(`the last one ${age(last.age_s)} ago, ${last.status}`)
      : notice(`the last one is ${last.status}, and ${failures} of the last ${rows.length} failed`);
  }
  const when = `the last one, ${age(last.age_s)} ago,`;
  if (last.status === null) {
    return wrong(
      `${when} failed: ${last.timed_out ? "timed out" : (last.error?.split("\n")[0] ?? "no answer")}`,
      "look at project_url above: the database itself must reach that address",
    );
  }
  if (last.status === 401 && /called with the project's secret key/.test(last.content ?? "")) {
    return wrong(
      `${when} was refused: the secret_key in Vault is not the functions' key`,
      "select vault.update_secret((select id from vault.secrets where name = 'secret_key'), 'sb_secret_…');",
    );
  }
  if (last.status === 401) {
    return wrong(
      `${when} was refused by Supabase before the function saw it`,
      "npx supabase functions deploy --use-api (config.toml switches verify_jwt off)",
    );
  }
  return wrong(
    `${when} was answered with ${last.status}`,
    last.status === 404
      ? "npx supabase functions deploy --use-api"
      : "look at the logs of drain and intake (dashboard: Edge Functions)",
  );
}

async function lookAtQueue(deployment: Deployment): Promise<Verdict | undefined> {
  const waiting = () =>
    deployment.read(async (sql) => {
      if (!(await isThere(sql, "net.http_request_queue"))) return undefined;
      const [row] = await sql<{ first: string | null; count: number }[]>`
        select min(id)::text as first, count(*)::int as count from net.http_request_queue`;
      return row;
    });
  const before = await waiting();
  if (before === undefined) {
    return wrong(
      "pg_net is not installed",
      "create extension if not exists pg_net with schema extensions;",
    );
  }
  if (before.first === null) return undefined;
  // A request is off the queue as soon as it is sent, so one that stays is not being sent.
  await new Promise((resolve) => setTimeout(resolve, SEND_TIMEOUT_MS));
  const after = await waiting();
  if (after?.first !== before.first) return right("requests wait, and are being sent");
  return wrong(
    `${after.count} requests wait and none is being sent: pg_net's worker does not work`,
    deployment.local ? "npm start sends them as long as it runs" : "select net.worker_restart();",
  );
}

const SEND_TIMEOUT_MS = 4_000;

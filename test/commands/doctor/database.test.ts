import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Job, judgeJob } from "../../../supabase/commands/doctor/checks/jobs.ts";
import type { Line } from "../../../supabase/commands/doctor/examine.ts";
import { storeSecrets } from "../../../supabase/local/store_secrets.ts";
import { eventually } from "../../local/fixtures.ts";
import { RIGHT_KEY } from "./breaks/jobs.ts";
import { EVENT, FAILED, NO_EVENTS } from "./breaks/queues.ts";
import {
  type Findings,
  fingerprint,
  NO_KEY,
  outcomes,
  type TestDeployment,
  testDeployment,
} from "./deployment.ts";
import { BREAKS, type Case, rounds } from "./rounds.ts";

let deployment: TestDeployment;

beforeAll(async () => {
  deployment = await testDeployment();
});
afterAll(() => deployment?.close());

/** That a mend works is seen by what comes next, where what is broken then must be all that is wrong. */
async function mend({ superuser, mended }: Case, line: Line | undefined): Promise<void> {
  if (mended === RIGHT_KEY) {
    await storeSecrets(deployment.stack.sql, { secret_key: deployment.stack.secretKey });
  } else await as(superuser).unsafe(mended ?? line?.mend ?? "");
}

function as(superuser?: true): postgres.Sql {
  return superuser ? deployment.superuser : deployment.stack.sql;
}

test("a deployment that is as it must be is right in everything, and is not changed", async () => {
  const before = await fingerprint(deployment.superuser);
  expect(outcomes(await deployment.examine())).toEqual(NO_KEY);
  expect(await fingerprint(deployment.superuser)).toEqual(before);
});

describe.each(rounds().map((round) => ({ round })))("names what is wrong", ({ round }) => {
  let findings: Findings;

  beforeAll(async () => {
    for (const { superuser, breaks } of round) await as(superuser).unsafe(breaks);
    findings = await deployment.examine();
  });
  afterAll(async () => {
    for (const one of round) await mend(one, findings?.[one.check]);
  });

  test.each(round)("and the statement that mends it: $check: $way", (one) => {
    expect(findings[one.check]).toMatchObject({ outcome: "wrong" });
    expect(findings[one.check]?.says).toMatch(one.says);
    expect(findings[one.check]?.mend).toMatch(one.mend);
  });

  test("and leaves the rest as it is", () => {
    const broken = round.map(({ check, also }) => ({ [check]: "wrong", ...also }));
    expect(outcomes(findings)).toEqual(Object.assign({}, NO_KEY, ...broken));
  });
});

describe("names what is wrong", () => {
  test("pg_net's queue: its worker does not work", async () => {
    const { sql } = deployment.stack;
    const [sender, holder] = [await sql.reserve(), await sql.reserve()];
    try {
      await sender`begin`;
      await sender`select net.http_post('http://127.0.0.1:1/')`;
      await holder`begin`;
      // Nobody takes it off the queue: the lock waits for the sender, and the worker behind the lock.
      const held = holder`lock table net.http_request_queue in share mode`.execute();
      await eventually(async () => {
        const [row] = await sql`
          select from pg_locks where relation = 'net.http_request_queue'::regclass and not granted`;
        return row !== undefined;
      });
      await sender`commit`;
      await held;
      const findings = await deployment.examine();
      expect(outcomes(findings)).toEqual({ ...NO_KEY, "pg_net's queue": "wrong" });
      expect(findings["pg_net's queue"]?.says).toMatch(/^1 requests wait and none is being sent/);
      await holder`delete from net.http_request_queue`;
      await holder`commit`;
    } finally {
      sender.release();
      holder.release();
    }
  });

  test("many things at once, each by its own line, and it mends none by itself", async () => {
    const { sql } = deployment.stack;
    const broken = ["row level security", "project_url", "job corredor-drain", "token rules"];
    for (const check of broken)
      await sql.unsafe(Object.values(BREAKS[check] ?? {})[0]?.breaks ?? "");
    const before = await fingerprint(deployment.superuser);
    const findings = await deployment.examine();
    expect(await fingerprint(deployment.superuser)).toEqual(before);
    const wrong = Object.values(findings).filter(({ outcome }) => outcome === "wrong");
    expect(wrong.map(({ check }) => check)).toEqual(broken);
    for (const { mend } of wrong) await sql.unsafe(mend ?? "");
    expect(outcomes(await deployment.examine())).toEqual(NO_KEY);
  });
});

describe("tells what deserves a look and is not wrong:", () => {
  async function expectNotice(check: string, says: RegExp, breaks: string, mended: string) {
    const { sql } = deployment.stack;
    await sql.unsafe(breaks);
    const findings = await deployment.examine();
    await sql.unsafe(mended);
    expect(outcomes(findings)).toEqual({ ...NO_KEY, [check]: "notice" });
    expect(findings[check]?.says).toMatch(says);
  }

  test("one target of several is down", () =>
    expectNotice(
      "deliveries",
      /^failed in the last day: target\.example \(1 attempts\); other targets accepted theirs$/,
      `${EVENT} ${FAILED} insert into public.deliveries (agency_id, event_id, subscription_id, target_url, round, attempt, run_id, state, status_code)
        select agency_id, event_id, gen_random_uuid(), 'https://other.example/', 1, 1, run_id, 'accepted', 200 from public.deliveries`,
      NO_EVENTS,
    ));

  test("an earlier request of pg_net failed, and the last one did not", () =>
    expectNotice(
      "answers to pg_net",
      /^the last one is 202, and 1 of the last 2 failed$/,
      "insert into net._http_response (id, status_code, timed_out, created) values (1, 503, false, now() - interval '1 minute'), (2, 202, false, now())",
      "delete from net._http_response",
    ));

  test("the service role has a grant more", () =>
    expectNotice(
      "grants on tables",
      /select on public\.agents to service_role/,
      "grant select on public.agents to service_role",
      "revoke select on public.agents from service_role",
    ));

  test("a table that the checkout does not know has no row level security", () =>
    expectNotice(
      "row level security",
      /^off for public\.notes, which the checkout does not know$/,
      "create table public.notes (id int)",
      "drop table public.notes",
    ));
});

describe("a job of pg_cron", () => {
  const minutely = { name: "corredor-x", expected: "* * * * * select 1", local: false };
  const nightly = { name: "corredor-y", expected: "17 3 * * * select 1", local: false };
  const ran = (age_s: number | null, status = "succeeded"): Job => ({
    active: true,
    description: "",
    status,
    message: null,
    age_s,
  });
  const verdictOf = (job: typeof minutely, last: Job) =>
    judgeJob(job, { ...last, description: job.expected });

  test.each([
    [minutely, ran(50), "right", "ran 50 s ago (* * * * *)"],
    [minutely, ran(200), "right", "ran 3 minutes ago (* * * * *)"],
    [minutely, ran(3600), "wrong", "has not run for 60 minutes: pg_cron does not work"],
    [nightly, ran(86_000), "right", "ran 24 hours ago (17 3 * * *)"],
    [nightly, ran(4 * 86_400), "wrong", "has not run for 4 days: pg_cron does not work"],
    [nightly, ran(null), "right", "is scheduled (17 3 * * *) and has not run yet"],
  ])("$0.expected, last run $1.age_s s ago: $2", (job, last, outcome, says) => {
    expect(verdictOf(job, last)).toMatchObject({ outcome, says });
  });
});

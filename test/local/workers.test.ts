import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nextRun } from "../../supabase/local/workers/next_run.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { eventually } from "./fixtures.ts";

let stack: TestStack;
let receiver: Server;
let target: string;
const received: {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}[] = [];

beforeAll(async () => {
  stack = await testStack({ cron: true });
  receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    received.push({ method, url, headers, body });
    if (url === "/hang") return;
    response.writeHead(201, { "content-type": "text/plain", "x-seen": "yes" }).end("made");
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  await stack.sql.unsafe(`
    create extension if not exists pg_cron;
    create extension if not exists pg_net;
    select cron.unschedule(jobid) from cron.job;
    create table public.ticks (at timestamptz default clock_timestamp());
  `);
});
afterAll(async () => {
  await stack?.stop();
  receiver?.closeAllConnections();
  await new Promise((resolve) => receiver?.close(resolve));
});

function finishedRuns(job: string) {
  return stack.sql`
    select d.status, d.return_message from cron.job_run_details d
    join cron.job j using (jobid) where j.jobname = ${job} and d.end_time is not null`;
}

async function outcome(id: string) {
  return eventually(async () => {
    const [row] = await stack.sql`select * from net._http_response where id = ${id}`;
    return row;
  });
}

describe("pg_net", () => {
  test("posts a body with its headers and parameters, and keeps the answer", async () => {
    const [row] = await stack.sql`
      select net.http_post(
        url := ${`${target}/in`}, body := ${stack.sql.json({ ñ: [1, "dos"] })},
        params := ${stack.sql.json({ q: "a b&c" })},
        headers := ${stack.sql.json({ "content-type": "application/json", apikey: "k" })}) as id`;
    expect(await outcome(row?.id)).toMatchObject({
      status_code: 201,
      content_type: "text/plain",
      content: "made",
      timed_out: false,
      error_msg: null,
      headers: { "x-seen": "yes" },
    });
    const seen = received.find(({ url }) => url.startsWith("/in"));
    expect(seen).toMatchObject({
      method: "POST",
      url: "/in?q=a%20b%26c",
      headers: { apikey: "k" },
    });
    expect(JSON.parse(seen?.body ?? "")).toEqual({ ñ: [1, "dos"] });
  });

  test("sends nothing of a transaction that rolls back", async () => {
    await stack.sql
      .begin(async (sql) => {
        await sql`select net.http_post(${`${target}/never`})`;
        throw new Error("undone");
      })
      .catch(() => {});
    const [row] = await stack.sql`select net.http_get(${`${target}/after`}) as id`;
    await outcome(row?.id);
    expect(received.map(({ url }) => url)).not.toContain("/never");
    expect(received.map(({ url }) => url)).toContain("/after");
  });

  test("gives up after the time allowed", async () => {
    const [row] = await stack.sql`
      select net.http_post(${`${target}/hang`}, timeout_milliseconds := 200) as id`;
    expect(await outcome(row?.id)).toMatchObject({ status_code: null, timed_out: true });
  });

  test("sends nothing more while an answer of those before is awaited", async () => {
    const hanging = received.filter(({ url }) => url === "/hang").length;
    const [slow] = await stack.sql`
      select net.http_post(${`${target}/hang`}, timeout_milliseconds := 1500) as id`;
    await eventually(() => received.filter(({ url }) => url === "/hang").length > hanging);
    const [next] = await stack.sql`select net.http_post(${`${target}/next`}) as id`;
    await outcome(next?.id);
    const [gaveUp] = await stack.sql`
      select timed_out from net._http_response where id = ${slow?.id}`;
    expect(gaveUp).toEqual({ timed_out: true });
  });

  test("keeps why a request failed", async () => {
    const [row] = await stack.sql`select net.http_post('http://127.0.0.1:1/') as id`;
    const { error_msg, timed_out } = await outcome(row?.id);
    expect(error_msg).toMatch(/ECONNREFUSED|bad port/);
    expect(timed_out).toBe(false);
  });

  test("refuses a body that is not said to be JSON", async () => {
    await expect(
      stack.sql`select net.http_post('http://x/', headers := '{"Content-Type": "text/plain"}')`,
    ).rejects.toThrow(/application\/json/);
  });
});

describe("pg_cron", () => {
  test("runs a job every second, records it, and stops when it is unscheduled", async () => {
    await stack.sql`select cron.schedule('tick', '1 seconds', 'insert into public.ticks default values')`;
    await eventually(async () => (await stack.sql`select from public.ticks`).length >= 2);
    const [details] = await stack.sql`
      select status, return_message, username, end_time >= start_time as timed
      from cron.job_run_details order by runid limit 1`;
    expect(details).toEqual({
      status: "succeeded",
      return_message: "INSERT",
      username: "postgres",
      timed: true,
    });
    await stack.sql`select cron.unschedule('tick')`;
    // Another job serves as the clock: it starts after the first is gone, and runs twice.
    const [now] = await stack.sql`select clock_timestamp() as at`;
    await stack.sql`select cron.schedule('clock', '1 seconds', 'select 1')`;
    await eventually(async () => (await finishedRuns("clock")).length >= 2);
    await stack.sql`select cron.unschedule('clock')`;
    expect(
      await stack.sql`select from public.ticks where at > ${now?.at}::timestamptz + interval '1 second'`,
    ).toHaveLength(0);
  });

  test("records a failure and goes on", async () => {
    await stack.sql`select cron.schedule('fails', '1 seconds', 'select 1/0')`;
    const runs = await eventually(async () => {
      const rows = await finishedRuns("fails");
      return rows.length >= 2 && rows;
    });
    expect(runs[0]).toEqual({ status: "failed", return_message: "ERROR:  division by zero" });
    await stack.sql`select cron.unschedule('fails')`;
  });

  test("keeps one job per name, and changes it", async () => {
    const schedule = (when: string) =>
      stack.sql`select cron.schedule('one', ${when}, 'select 1') as id`;
    const [first] = await schedule("* * * * *");
    const [second] = await schedule("0 3 * * *");
    expect(second).toEqual(first);
    expect(await stack.sql`select schedule from cron.job where jobname = 'one'`).toEqual([
      { schedule: "0 3 * * *" },
    ]);
    await stack.sql`select cron.alter_job(${first?.id}, active := false)`;
    expect(await stack.sql`select active from cron.job where jobname = 'one'`).toEqual([
      { active: false },
    ]);
  });

  test.each(["every minute", "* * * *", "60 seconds", "0 seconds", ""])(
    "refuses the schedule %j",
    async (schedule) => {
      await expect(stack.sql`select cron.schedule('bad', ${schedule}, 'select 1')`).rejects.toThrow(
        /invalid schedule/,
      );
    },
  );

  test("refuses to unschedule what is not there", async () => {
    await expect(stack.sql`select cron.unschedule('nothing')`).rejects.toThrow(/could not find/);
  });
});

describe("a schedule", () => {
  test.each([
    ["* * * * *", "2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"],
    ["*/15 8-9 * * 1-5", "2026-01-02T09:50:00Z", "2026-01-05T08:00:00Z"],
    ["17 3 * * *", "2026-01-01T03:17:00Z", "2026-01-02T03:17:00Z"],
    ["0 0 $ * *", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00Z"],
    ["0 12 1 * 1", "2026-01-01T13:00:00Z", "2026-01-05T12:00:00Z"],
    ["30 seconds", "2026-01-01T00:00:00Z", "2026-01-01T00:00:30Z"],
    ["@daily", "2026-01-01T10:00:00Z", "2026-01-02T00:00:00Z"],
  ])("%s is due after %s at %s", (schedule, after, due) => {
    expect(nextRun(schedule, new Date(after))?.toISOString()).toBe(new Date(due).toISOString());
  });
});

describe("the vault", () => {
  test("keeps secrets encrypted, and gives them to postgres and the service role alone", async () => {
    const [made] = await stack.sql`
      select vault.create_secret('s3cret', 'test_secret', 'for the test') as id`;
    const [kept] = await stack.sql`select * from vault.secrets where id = ${made?.id}`;
    expect(kept).toMatchObject({ name: "test_secret", description: "for the test" });
    expect(JSON.stringify(kept)).not.toContain("s3cret");
    await stack.sql`select vault.update_secret(${made?.id}, 'n3w')`;
    const read = stack.sql`
      select decrypted_secret from vault.decrypted_secrets where name = 'test_secret'`;
    expect(await read).toEqual([{ decrypted_secret: "n3w" }]);
    for (const role of ["anon", "authenticated", "service_role"]) {
      const attempt = stack.sql.begin(async (sql) => {
        await sql`select set_config('role', ${role}, true)`;
        return sql`select decrypted_secret from vault.decrypted_secrets where name = 'test_secret'`;
      });
      if (role === "service_role") expect(await attempt).toHaveLength(1);
      else await expect(attempt).rejects.toThrow(/permission denied/);
    }
  });

  test("has one secret per name", async () => {
    await stack.sql`select vault.create_secret('a', 'twice')`;
    await expect(stack.sql`select vault.create_secret('b', 'twice')`).rejects.toThrow(/unique/);
  });
});

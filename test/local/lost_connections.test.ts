import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@supabase/supabase-js";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../supabase/local/ports.ts";
import { superuserUrl } from "../../supabase/local/postgres/server.ts";
import { post, request } from "../mcp/client.ts";
import { eventually } from "./fixtures.ts";

// `npm start` itself, whose every connection to the database is ended again and again while it is asked.

/** How often all connections are ended; a thorough run by hand sets more. */
const ROUNDS = Number(process.env.LOST_CONNECTIONS ?? 30);

const directory = mkdtempSync(join(tmpdir(), "corredor-lost-"));
const port = await freePort();
const databasePort = await freePort();
const baseUrl = `http://127.0.0.1:${port}`;
let child: ChildProcess;
let output = "";
let key = "";
let login = { email: "", password: "" };
let secretKey = "";
let publishableKey = "";
/** A drain run at work, for a call that has nothing to do. */
let run = "";
let sql: postgres.Sql;

beforeAll(async () => {
  child = spawn(process.execPath, ["supabase/local/start.ts"], {
    cwd: resolve(import.meta.dirname, "..", ".."),
    env: {
      ...process.env,
      PORT: String(port),
      DB_PORT: String(databasePort),
      STUDIO_PORT: String(await freePort()),
      DATA_DIR: join(directory, "data"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`it ended: ${output}`);
    return output.includes("Sign-in");
  }, 60_000);
  const [, email = "", password = ""] = /Sign-in {4}(\S+), password (\S+)/.exec(output) ?? [];
  login = { email, password };
  const keys = readFileSync(join(directory, "data", "keys.json"), "utf8");
  ({ secretKey, publishableKey } = JSON.parse(keys));
  sql = postgres(superuserUrl(databasePort), { max: 1, onnotice: () => {} });
  const [made] = await sql<{ key: string }[]>`
    select admin.create_api_key(id, 'load', array['leads:read', 'leads:write', 'operations:read'],
      requests_per_minute => 1000000) as key
    from public.agencies limit 1`;
  key = made?.key ?? "";
  const [begun] = await sql<{ id: string }[]>`
    insert into public.drain_runs default values returning id`;
  run = begun?.id ?? "";
}, 90_000);

afterAll(async () => {
  await sql?.end({ timeout: 1 });
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((done) => child.once("close", done));
    child.kill("SIGTERM");
    await ended;
  }
  rmSync(directory, { recursive: true, force: true });
});

const bearer = () => ({ authorization: `Bearer ${key}` });

test("a refusal is one line in the log of Postgres, without a second error behind it", async () => {
  const errors = () =>
    readFileSync(join(directory, "data", "postgres.log"), "utf8").match(/ (ERROR|FATAL): .*/g) ??
    [];
  const before = errors().length;
  const refused = await Promise.all(
    Array.from({ length: 20 }, () =>
      fetch(`${baseUrl}/api/v1/leads/${crypto.randomUUID()}`, { headers: bearer() }),
    ),
  );
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([404]));
  const said = await eventually(() => {
    const more = errors().slice(before);
    return more.length >= 20 && more;
  });
  expect(said).toEqual(Array(20).fill(expect.stringContaining("There is no such lead")));
});

interface Told {
  what: string;
  status: number;
  retryAfter: string | null;
  text: string;
}

const answers: Told[] = [];
/** Leads that the service said it had stored. */
const stored: string[] = [];

async function tell(what: string, asked: Promise<Response>): Promise<Told> {
  const response = await asked;
  const retryAfter = response.headers.get("retry-after");
  const told = { what, status: response.status, retryAfter, text: await response.text() };
  answers.push(told);
  return told;
}

let named = 0;

const callers: Record<string, () => Promise<unknown>> = {
  async lead() {
    const full_name = `Prueba ${named++}`;
    const body = { full_name, email: `p${named}@example.com`, email_body: "Busco piso" };
    const told = await tell(
      "POST /leads",
      fetch(`${baseUrl}/api/v1/leads`, {
        method: "POST",
        headers: { ...bearer(), "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    if (told.status === 201) stored.push(full_name);
  },
  list: () => tell("GET /operations", fetch(`${baseUrl}/api/v1/operations`, { headers: bearer() })),
  async tool() {
    const call = { name: "mi_jornada", arguments: {} };
    const { status, headers, text } = await post(baseUrl, request("tools/call", call), {
      token: key,
    });
    answers.push({ what: "mi_jornada", status, retryAfter: headers.get("retry-after"), text });
  },
  rest: () =>
    tell(
      "/rest/v1",
      fetch(`${baseUrl}/rest/v1/rpc/drain_claim`, {
        method: "POST",
        headers: {
          apikey: secretKey,
          "content-profile": "api",
          "content-type": "application/json",
        },
        body: JSON.stringify({ run_id: run, max_events: 1, busy_agencies: [] }),
      }),
    ),
  /** What goes by other connections than the gateway's lanes: Auth, the authorization server, Studio, Storage. */
  async others() {
    const page = createClient(baseUrl, publishableKey, { auth: { persistSession: false } });
    await page.auth.signInWithPassword(login);
    const storage = createClient(baseUrl, secretKey).storage.from("documents");
    await storage.createSignedUploadUrl(`${crypto.randomUUID()}/a.pdf`);
  },
};

async function endAllConnections(): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()`;
}

test("what runs outlives the loss of every connection, again and again: each request is answered, by 2xx or 503 with Retry-After, and nothing is half done", {
  timeout: 60_000 + ROUNDS * 500,
}, async () => {
  let ending = false;
  const load = Object.values(callers).flatMap((call) =>
    Array.from({ length: 4 }, async () => {
      // A request without an answer is told as one with status 0.
      while (!ending) {
        await call().catch((error) => {
          answers.push({ what: call.name, status: 0, retryAfter: null, text: String(error.cause) });
          ending = child.exitCode !== null;
        });
      }
    }),
  );
  for (let round = 0; round < ROUNDS && child.exitCode === null; round++) {
    await endAllConnections();
    await delay(Math.random() * 250);
  }
  ending = true;
  await Promise.all(load);

  expect(child.exitCode, output.slice(-3000)).toBeNull();
  const wrong = answers.filter(
    ({ status, retryAfter }) =>
      !(status >= 200 && status < 300) && !(status === 503 && Number(retryAfter) > 0),
  );
  expect(wrong).toEqual([]);
  expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status === 503).length).toBeGreaterThan(0);

  const [whole] = await sql<{ lost: number; doubled: number; halves: number }[]>`
    select
      (select count(*)::int from unnest(${stored}::text[]) name
       where not exists (select from public.leads where full_name = name)) as lost,
      (select count(*)::int from (
        select from public.leads where full_name like 'Prueba %' group by full_name having count(*) > 1)) as doubled,
      (select count(*)::int from public.leads l
       where full_name like 'Prueba %'
         and not exists (select from public.messages m where m.agency_id = l.agency_id and m.lead_id = l.id)) as halves`;
  expect(whole).toEqual({ lost: 0, doubled: 0, halves: 0 });

  // All is as it was before.
  for (const call of Object.values(callers)) await call();
  expect(answers.slice(-4).map(({ status }) => status)).toEqual([201, 200, 200, 200]);
});

import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { freePort } from "../../supabase/local/ports.ts";
import { isAlive, readPostmaster } from "../../supabase/local/postgres/postmaster.ts";
import { eventually } from "./fixtures.ts";

const root = resolve(import.meta.dirname, "..", "..");
const directory = mkdtempSync(join(tmpdir(), "corredor-start-"));
const port = await freePort();
const databasePort = await freePort();
const studioPort = await freePort();
const started: Stack[] = [];

interface Stack {
  child: ChildProcess;
  output(): string;
  exited: Promise<number | NodeJS.Signals | null>;
}

function start(environment: Record<string, string> = {}, detached = false): Stack {
  const child = spawn(process.execPath, ["supabase/local/start.ts"], {
    cwd: root,
    env: {
      ...process.env,
      PORT: String(port),
      DB_PORT: String(databasePort),
      STUDIO_PORT: String(studioPort),
      DATA_DIR: join(directory, "data"),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      text += chunk;
    });
  }
  const stack = {
    child,
    output: () => text,
    exited: new Promise<number | NodeJS.Signals | null>((done) =>
      child.once("close", (code, signal) => done(signal ?? code)),
    ),
  };
  started.push(stack);
  return stack;
}

async function isUp(stack: Stack): Promise<string> {
  return eventually(() => {
    if (stack.child.exitCode !== null) throw new Error(`it ended: ${stack.output()}`);
    return /API key {4}(\S+)/.exec(stack.output())?.[1];
  }, 60_000);
}

/** The login that the stack printed. */
function signInOf(stack: Stack) {
  const [, email = "", password = ""] =
    /Sign-in {4}(\S+), password (\S+)/.exec(stack.output()) ?? [];
  return { email, password };
}

/** The agency that somebody is an agent of, as the consent page asks for it. */
async function agencyOf(login: { email: string; password: string }): Promise<string> {
  const { publishableKey } = JSON.parse(readFileSync(join(directory, "data", "keys.json"), "utf8"));
  const page = createClient(`http://127.0.0.1:${port}`, publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    db: { schema: "api" },
  });
  await page.auth.signInWithPassword(login);
  return (await page.rpc("authenticate")).data?.agency_name;
}

async function stop(stack: Stack, signal: NodeJS.Signals): Promise<unknown> {
  stack.child.kill(signal);
  return stack.exited;
}

afterEach(async () => {
  for (const stack of started.splice(0))
    if (stack.child.exitCode === null) await stop(stack, "SIGINT");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("npm start", { timeout: 120_000 }, () => {
  test("boots from nothing, keeps data and key, and stops in order", async () => {
    const first = start();
    const key = await isUp(first);
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/operations`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { data: { id: string }[] };
    expect(data.length).toBeGreaterThan(0);
    const [, studio = ""] = /Studio {5}(\S+)/.exec(first.output()) ?? [];
    expect(studio).toBe(`http://127.0.0.1:${studioPort}`);
    expect(await (await fetch(studio)).text()).toContain("<html");
    expect(await stop(first, "SIGINT")).toBe(0);
    expect(readPostmaster(join(directory, "data", "postgres"))).toBeUndefined();

    const second = start({ EDGE_LIMITS: "true" });
    expect(await isUp(second)).toBe(key);
    expect(second.output()).toContain("Functions run within the hosted limits");
    const again = await fetch(`http://127.0.0.1:${port}/api/v1/operations/${data[0]?.id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(again.status).toBe(200);
    expect(signInOf(second)).toEqual(signInOf(first));
    expect(await agencyOf(signInOf(second))).toBe("Inmobiliaria Demo");
    expect(await stop(second, "SIGTERM")).toBe(0);
  });

  test("shows the demo agency through the API and the connector, and not the other agency", async () => {
    const key = await isUp(start());
    const ask = async (path: string, body?: unknown) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await answer.json()) as Record<string, never>;
    };
    const list = async (resource: string): Promise<Record<string, unknown>[]> =>
      (await ask(`/v1/${resource}?limit=200`)).data ?? [];

    const leads = await list("leads");
    expect(leads).toHaveLength(26);
    const ids = new Set(leads.map(({ id }) => id));
    const operations = await list("operations");
    expect(operations).toHaveLength(36);
    expect(operations.every(({ lead_id }) => ids.has(lead_id))).toBe(true);
    for (const resource of ["properties", "viewings", "offers", "documents", "signatures"]) {
      expect((await list(resource)).length, resource).toBeGreaterThanOrEqual(5);
    }
    const home = await ask("/v1/properties/00000000-0000-4000-8000-0000000000b4");
    expect(home.data).toMatchObject({ listing_type: "rent", status: "available" });
    const found = await ask("/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "buscar", arguments: { query: "carmen ortis" } },
    });
    expect(found).toMatchObject({
      result: {
        structuredContent: { results: [{ kind: "client", client: { full_name: "Carmen Ortiz" } }] },
      },
    });
  });

  test("starts on the data of a stack that was killed, and nothing of that one is left", async () => {
    const first = start();
    const key = await isUp(first);
    const postgres = readPostmaster(join(directory, "data", "postgres"));
    await stop(first, "SIGKILL");
    const second = start();
    expect(await isUp(second)).toBe(key);
    expect(isAlive(postgres?.pid as number)).toBe(false);
  });

  test("starts when the server was killed as well", async () => {
    const first = start();
    const key = await isUp(first);
    process.kill(readPostmaster(join(directory, "data", "postgres"))?.pid as number, "SIGKILL");
    // Without its database the stack has nothing to do.
    expect(await first.exited).toBe(1);
    const second = start();
    expect(await isUp(second)).toBe(key);
  });

  test("starts where it was killed, with all that it ran, while its first cluster was made", async () => {
    const cut = { DATA_DIR: join(directory, "cut short") };
    const first = start(cut, true);
    await eventually(
      () =>
        ["postgres", "postgres.new"].some((name) =>
          existsSync(join(cut.DATA_DIR, name, "PG_VERSION")),
        ),
      60_000,
    );
    process.kill(-(first.child.pid as number), "SIGKILL");
    await first.exited;
    expect(first.output()).toBe("");
    await isUp(start(cut));
  });

  test("refuses to run twice on one folder", async () => {
    const first = start();
    await isUp(first);
    const second = start({
      PORT: String(await freePort()),
      DB_PORT: String(await freePort()),
      STUDIO_PORT: String(await freePort()),
    });
    expect(await second.exited).toBe(1);
    expect(second.output()).toMatch(/^corredor: a stack is already running on \S+ \(pid \d+\)\n$/);
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/health`)).status).toBe(200);
  });

  test("without seed has no agency, and says how to make one", async () => {
    const stack = start({ DATA_DIR: join(directory, "bare"), SEED: "false" });
    await eventually(() => stack.output().includes("npm run admin -- create-agency"), 60_000);
    expect(stack.output()).toContain("none yet");
  });

  test("says in one line what is in its way", async () => {
    const busy = createServer().listen(0, "127.0.0.1");
    await new Promise((done) => busy.once("listening", done));
    const busyPort = String((busy.address() as { port: number }).port);
    mkdirSync(join(directory, "broken", "postgres"), { recursive: true });
    writeFileSync(join(directory, "broken", "postgres", "PG_VERSION"), "17\n");
    writeFileSync(join(directory, "file"), "");
    mkdirSync(join(directory, "foreign", "postgres", "photos"), { recursive: true });
    mkdirSync(join(directory, "torn"));
    writeFileSync(join(directory, "torn", "keys.json"), '{"publishableKey":"sb_pub');
    const cases: [Record<string, string>, RegExp][] = [
      [{ PORT: busyPort }, /^corredor: port \d+ is in use \(PORT /],
      [{ DB_PORT: busyPort }, /^corredor: port \d+ is in use \(DB_PORT /],
      [{ STUDIO_PORT: busyPort }, /^corredor: port \d+ is in use \(STUDIO_PORT /],
      [{ STUDIO_PORT: String(port) }, /^corredor: PORT and STUDIO_PORT are both \d+$/],
      [{ STUDIO_PORT: "x" }, /^corredor: STUDIO_PORT is not a port number: x$/],
      [{ PORT: "x" }, /^corredor: PORT is not a port number: x$/],
      [{ EDGE_LIMITS: "yes" }, /^corredor: EDGE_LIMITS must be true or false: yes$/],
      [{ DENO_VERSION: "1" }, /^corredor: DENO_VERSION must be 2\.1 or unset: 1$/],
      [{ DATA_DIR: join(directory, "broken") }, /^corredor: Postgres does not start on \S+: .+/],
      [{ PORT: busyPort, DB_PORT: busyPort }, /^corredor: PORT and DB_PORT are both \d+$/],
      [
        { DATA_DIR: join(directory, "foreign") },
        /^corredor: \S+ is not empty and is not a Postgres data folder/,
      ],
      [{ DATA_DIR: join(directory, "torn") }, /^corredor: \S+keys.json is broken; remove it/],
      [{ DATA_DIR: join(directory, "file") }, /^corredor: .*(EEXIST|ENOTDIR).*file/],
    ];
    for (const [environment, line] of cases) {
      const stack = start(environment);
      expect(await stack.exited).toBe(1);
      const lines = stack.output().trim().split("\n");
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(line);
    }
    await new Promise((done) => busy.close(done));
  });

  test("keeps its keys from others", async () => {
    const path = join(directory, "data", "keys.json");
    for (const file of ["keys.json", "demo-login.json", "oauth/keys.json"]) {
      expect(statSync(join(directory, "data", file)).mode & 0o077, file).toBe(0);
    }
    expect(JSON.parse(readFileSync(path, "utf8")).publishableKey).toMatch(/^sb_publishable_/);
  });
});

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Report } from "../../../supabase/commands/doctor/examine.ts";
import { freePort } from "../../../supabase/local/ports.ts";
import { type TestDeployment, testDeployment } from "./deployment.ts";

const root = resolve(import.meta.dirname, "..", "..", "..");
const directory = mkdtempSync(join(tmpdir(), "corredor-doctor-"));
const port = String(await freePort());
const databasePort = String(await freePort());

let deployment: TestDeployment;
let given: string[];

beforeAll(async () => {
  deployment = await testDeployment();
  given = ["--url", deployment.front.url, "--db", deployment.stack.databaseUrl];
});
afterAll(async () => {
  await deployment?.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Ended {
  code: number;
  out: string;
  err: string;
}

function run(words: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const settings = { PORT: port, DB_PORT: databasePort, DATA_DIR: directory, DATABASE_URL: "" };
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(root, "supabase/commands/doctor/doctor.ts"), ...words],
      { env: { ...process.env, ...settings, ...environment } },
      (error, out, err) => done({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });
}

describe("npm run doctor", () => {
  test("prints a line for each thing and ends with 0 when nothing is wrong", async () => {
    const { code, out, err } = await run(given);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(
      /^Corredor \d+\.\d+\.\d+: http:\/\/127\.0\.0\.1:\d+, 127\.0\.0\.1:\d+\/\w+\n\nDatabase\n {2}✓ database +answers\n/,
    );
    expect(out).toMatch(/\n {2}– upload +not checked: no --key was given\n/);
    expect(out).toMatch(/\n\d+ right, 0 wrong, 0 to look at, 2 not checked\n$/);
  });

  test("prints what mends it below what is wrong, and ends with 1", async () => {
    const { sql } = deployment.stack;
    await sql`alter table public.leads disable row level security`;
    const { code, out } = await run(given);
    await sql`alter table public.leads enable row level security`;
    expect(code).toBe(1);
    expect(out).toMatch(
      /\n {2}✗ row level security +off for public\.leads\n +→ alter table public\.leads enable row level security;\n/,
    );
  });

  test("prints one object with --json, and no colours", async () => {
    const key = await deployment.stack.createApiKey(deployment.agencyId, ["leads:read"]);
    const { code, out } = await run([...given, "--json", "--key", key]);
    const report = JSON.parse(out) as Report;
    expect(code).toBe(0);
    expect(report).toMatchObject({ url: deployment.front.url, count: { wrong: 0, unchecked: 1 } });
    expect(report.lines[0]).toEqual({
      group: "Database",
      check: "database",
      outcome: "right",
      says: "answers",
    });
    for (const secret of [key, deployment.stack.secretKey, ":postgres@"]) {
      expect(out).not.toContain(secret);
    }
  });

  test("takes DATABASE_URL where --db is left out", async () => {
    const environment = { DATABASE_URL: deployment.stack.databaseUrl };
    const { code, out } = await run(["--url", deployment.front.url], environment);
    expect(code).toBe(0);
    expect(out).toMatch(/✓ policies/);
  });

  test("looks at the local stack without options, and says in two lines that it does not run", async () => {
    const { code, out } = await run([]);
    expect(code).toBe(1);
    const wrong = out.split("\n").filter((line) => line.includes("✗"));
    expect(wrong).toEqual([
      expect.stringContaining(`127.0.0.1:${databasePort}/postgres: the database does not answer`),
      expect.stringContaining(`http://127.0.0.1:${port} does not answer (ECONNREFUSED)`),
    ]);
  });

  test("comes to an end when nobody answers who was called", async () => {
    const silent = createServer();
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    const { port: silentPort } = silent.address() as AddressInfo;
    const { code, out } = await run([
      ...["--url", `http://127.0.0.1:${silentPort}`],
      ...["--db", `postgresql://postgres:postgres@127.0.0.1:${silentPort}/postgres`],
    ]);
    silent.close();
    expect(code).toBe(1);
    expect(out).toMatch(/✗ database +127\.0\.0\.1:\d+\/postgres: the database does not answer\n/);
    expect(out).toMatch(/✗ url +http:\/\/127\.0\.0\.1:\d+ gave no answer within 8 s\n/);
    expect(out).toMatch(/\n0 right, 2 wrong, /);
  });

  test("does not compare a database elsewhere with the stack here", async () => {
    const { out } = await run(["--url", deployment.front.url]);
    expect(out).toMatch(/– database +not checked: no --db was given/);
  });

  test("explains itself", async () => {
    const { code, out } = await run(["--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: npm run doctor -- [\s\S]*--url <url>/);
  });

  test.each([
    [["--url", "norte"], "--url takes an address such as https://<ref>.supabase.co"],
    [["--url", "ftp://norte.example"], "--url takes an address such as https://<ref>.supabase.co"],
    [["--db", "https://norte.example"], "--db takes postgresql://user:password@host:port/name"],
    [["--key", "sb_secret_x"], "--key takes an API key of an agency, cor_…"],
    [
      ["--url", "http://norte.example", "--key", "cor_00000000_ab"],
      "--key would be sent unencrypted: --url takes an https address then",
    ],
    [["--fix"], "unknown option '--fix'"],
    [["extra"], "too many arguments. Expected 0 arguments but got 1."],
  ])("ends with 2 when it is called wrongly: %j", async (words, line) => {
    const { code, out, err } = await run(words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`corredor: ${line}`);
    expect(err).not.toMatch(/\n +at |sb_secret_x/);
  });
});

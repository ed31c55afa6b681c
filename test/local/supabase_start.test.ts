import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseEnv } from "node:util";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { readConfig } from "../../supabase/local/config.ts";
import { freePort } from "../../supabase/local/ports.ts";
import { createEmptyDatabase } from "../../supabase/local/postgres/throwaway.ts";
import { runSupabase } from "../../supabase/local/run_supabase.ts";
import { urlFor } from "../stack/server.ts";

/** What is needed for Supabase's own local stack, as far as it shows without Docker. */

const root = resolve(import.meta.dirname, "..", "..");
const values = parseEnv(readFileSync(join(root, "supabase", "docker.env"), "utf8")) as Record<
  string,
  string
>;

describe("the names in Vault", () => {
  const server = inject("testServer");
  const checkout = mkdtempSync(join(tmpdir(), "corredor-push-"));

  beforeAll(() => {
    // The project's configuration, with one small migration in place of all.
    mkdirSync(join(checkout, "supabase", "migrations"), { recursive: true });
    cpSync(join(root, "supabase", "config.toml"), join(checkout, "supabase", "config.toml"));
    symlinkSync(join(root, "functions"), join(checkout, "functions"));
    writeFileSync(
      join(checkout, "supabase", "migrations", "20260101000000_one.sql"),
      "select 1;\n",
    );
  });
  afterEach(() => {
    for (const name of Object.keys(values)) delete process.env[name];
  });
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  async function pushed(suffix: string): Promise<Record<string, string>> {
    const url = urlFor(server, await createEmptyDatabase(server, suffix), "postgres");
    await runSupabase(["db", "push", `--remote=${url}`, "--workdir", checkout]);
    const sql = postgres(url, { max: 1 });
    try {
      const rows = await sql<{ name: string; decrypted_secret: string }[]>`
        select name, decrypted_secret from vault.decrypted_secrets`;
      return Object.fromEntries(rows.map((row) => [row.name, row.decrypted_secret]));
    } finally {
      await sql.end();
    }
  }

  test("are the local stack's when it is started by its script", async () => {
    Object.assign(process.env, values);
    expect(await pushed("docker")).toEqual({
      project_url: "http://kong:8000",
      secret_key: expect.stringMatching(/^sb_secret_/),
    });
  });

  test("are left alone on a project that migrations are pushed to", async () => {
    expect(await pushed("hosted")).toEqual({});
  });
});

test("every value that the configuration asks for is in supabase/docker.env", () => {
  const text = readFileSync(join(root, "supabase", "config.toml"), "utf8");
  const asked = [...text.matchAll(/"env\((\w+)\)"/g)].map(([, name]) => name);
  expect(asked).toHaveLength(3);
  expect(Object.keys(values)).toEqual(expect.arrayContaining(asked));
});

describe("the consent page beside that stack", () => {
  test("is where Auth sends people, and asks the stack alone", async () => {
    const port = await freePort();
    const child = spawn(process.execPath, ["supabase/local/consent/serve_alone.ts"], {
      cwd: root,
      env: { ...process.env, ...values, CONSENT_PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    try {
      const [line] = await once(createInterface({ input: child.stdout }), "line");
      expect(line).toContain(`http://127.0.0.1:${port}/`);
      const page = await fetch(`http://127.0.0.1:${port}/?authorization_id=x`);
      expect(page.headers.get("content-type")).toContain("text/html");
      expect(page.headers.get("content-security-policy")).toContain(values.DOCKER_PUBLIC_URL);
      const project = await fetch(`http://127.0.0.1:${port}/project.json`);
      expect(await project.json()).toEqual({
        supabase_url: values.DOCKER_PUBLIC_URL,
        publishable_key: values.DOCKER_PUBLISHABLE_KEY,
        connector_url: `${values.DOCKER_PUBLIC_URL}/functions/v1/api/mcp`,
      });
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended).toEqual([0, null]);
  });

  test("has the address that the configuration tells Auth", () => {
    const { auth } = readConfig() as { auth?: { site_url?: string } };
    expect(auth?.site_url).toBe("http://127.0.0.1:54330");
  });
});

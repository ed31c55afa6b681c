import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";

const root = resolve(import.meta.dirname, "..", "..");
const directory = mkdtempSync(join(tmpdir(), "corredor-consent-"));
let stack: TestStack;

beforeAll(async () => {
  stack = await testStack();
});
afterAll(async () => {
  await stack?.stop();
  rmSync(directory, { recursive: true, force: true });
});

function exported(...args: string[]) {
  return spawnSync(process.execPath, ["supabase/commands/consent_export.ts", ...args], {
    cwd: root,
    encoding: "utf8",
  });
}

test("what is exported for a static host is what the local stack serves", async () => {
  const folder = join(directory, "site");
  const key = "sb_publishable_x";
  expect(exported("--url", "https://ref.supabase.example", "--key", key, folder).status).toBe(0);
  const names = readdirSync(folder);
  expect(names).toContain("index.html");
  for (const name of names.filter((one) => one !== "_headers" && one !== "project.json")) {
    const served = await fetch(`${stack.baseUrl}/consent/${name}`);
    expect(await served.text(), name).toBe(readFileSync(join(folder, name), "utf8"));
  }
  expect(JSON.parse(readFileSync(join(folder, "project.json"), "utf8"))).toEqual({
    supabase_url: "https://ref.supabase.example",
    publishable_key: key,
    connector_url: "https://ref.supabase.example/functions/v1/api/mcp",
  });
});

test("everything that the page names is there", async () => {
  const page = await (await fetch(`${stack.baseUrl}/consent/`)).text();
  const named = [...page.matchAll(/(?:src|href)="([\w.]+)"/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(2);
  for (const name of [...named, "page.js", "words.js", "project.json"]) {
    expect((await fetch(`${stack.baseUrl}/consent/${name}`)).status, name).toBe(200);
  }
});

test("the headers let the page talk to its project alone, and keep it out of frames", () => {
  const folder = join(directory, "headers");
  exported("--url", "https://ref.supabase.example", "--key", "sb_publishable_x", folder);
  const headers = readFileSync(join(folder, "_headers"), "utf8");
  expect(headers).toContain("connect-src 'self' https://ref.supabase.example;");
  expect(headers).toContain("frame-ancestors 'none'");
  expect(headers).not.toMatch(/unsafe|\*(?!\n)/);
});

test("the local stack sends the same policy", async () => {
  const { headers } = await fetch(`${stack.baseUrl}/consent/`);
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
});

test("a link to the page's folder leads to the page, with what it asks for", async () => {
  const answer = await fetch(`${stack.baseUrl}/consent?authorization_id=x`, { redirect: "manual" });
  expect(answer.status).toBe(302);
  expect(answer.headers.get("location")).toBe("/consent/?authorization_id=x");
});

test("the secret key is not put on a public page", () => {
  const { status, stderr } = exported(
    "--url",
    "https://x.example",
    "--key",
    "sb_secret_x",
    directory,
  );
  expect(status).toBe(1);
  expect(stderr).toContain("publishable");
});

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Stream } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../supabase/local/ports.ts";
import { createOffice, type Office } from "../mcp/oauth/people.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { launchBrowser, openPage, signIn } from "./browser.ts";

/*
 * Assistants that people really use: they are given the connector's URL, find out the rest, and open a browser. It is
 * the real Chromium on the real page; only the hands are ours.
 */

const home = mkdtempSync(join(tmpdir(), "corredor-assistants-"));
const environment = {
  PATH: process.env.PATH ?? "",
  HOME: home,
  // They may open a browser of their own; ours is told the address that they print.
  BROWSER: "true",
  MCP_AUTO_OPEN_ENABLED: "true",
  MCP_INSPECTOR_SECRET_STORE: "file",
  MCP_REMOTE_CONFIG_DIR: join(home, "mcp-remote"),
};
const programs = resolve(import.meta.dirname, "..", "..", "node_modules", ".bin");

let stack: TestStack;
let browser: Browser;
let office: Office;
let connector: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  browser = await launchBrowser();
  office = await createOffice(stack);
  connector = `${stack.baseUrl}/api/mcp`;
  await stack.sql`insert into public.token_rules (resource) values (${connector})`;
  await office.client.post("/leads", { full_name: "Lucía Pérez" });
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
});

test("mcp-remote: pasted URL, sign-in, approval, and what there is to do today", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(programs, "mcp-remote"), connector, String(await freePort())],
    env: environment,
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "1" });
  const page = approved(transport.stderr, "MCP CLI Proxy");
  // The SDK's own types disagree with each other under exactOptionalPropertyTypes.
  await Promise.all([client.connect(transport as never), page]);
  const { structuredContent } = await client.callTool({ name: "mi_jornada", arguments: {} });
  await client.close();
  expect(structuredContent).toMatchObject({ tasks: { items: [{ full_name: "Lucía Pérez" }] } });
});

test("the Inspector's CLI: the whole dance, and the next call without a browser", async () => {
  const call = ["--method", "tools/call", "--tool-name", "mi_jornada"];
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
  const first = inspect([...call, "--callback-url", callback]);
  const [answer] = await Promise.all([first.output, approved(first.child.stderr, "Inspector")]);
  expect(answer).toMatchObject({
    structuredContent: { tasks: { items: [{ full_name: "Lucía Pérez" }] } },
  });
  const second = await inspect(["--method", "tools/list", "--stored-auth-only"]).output;
  expect(second.tools).toHaveLength(9);
});

/** Opens the address that a program prints, signs in and approves, and waits for the program's own last page. */
async function approved(output: Stream | null, clientName: string): Promise<void> {
  const url = await printedAddress(output);
  const { page, context } = await openPage(browser);
  await page.goto(url);
  await signIn(page, office.person);
  await page.getByRole("heading", { name: clientName }).waitFor();
  await page.getByRole("button", { name: "Permitir", exact: true }).click();
  await page.waitForURL((address) => address.searchParams.has("code"));
  await context.close();
}

function printedAddress(output: Stream | null): Promise<string> {
  return new Promise((found, failed) => {
    let text = "";
    output?.on("data", (chunk) => {
      text += chunk;
      const url = /(http\S+\/oauth\/authorize\S+)\s/.exec(text)?.[1];
      if (url !== undefined) found(url);
    });
    output?.once("end", () => failed(new Error(`no address was printed: ${text}`)));
  });
}

/** Runs the Inspector's CLI on the connector; what it prints is the JSON of the answer. */
function inspect(args: string[]) {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(programs, "mcp-inspector"), "--cli", connector, "--transport", "http", ...args],
    { env: environment, stdio: ["ignore", "pipe", "pipe"] },
  );
  let printed = "";
  let complaints = "";
  child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    complaints += chunk;
  });
  const output = new Promise<Record<string, unknown>>((done, failed) => {
    child.once("error", failed);
    child.once("close", (code) => {
      if (code === 0) done(JSON.parse(printed));
      else failed(new Error(`the Inspector ended with ${code}: ${complaints}`));
    });
  });
  return { child, output };
}

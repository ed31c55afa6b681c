import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgency } from "../api/agency.ts";
import { type TestStack, testStack } from "../stack/harness.ts";

let stack: TestStack;
let door: Server;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  const { key } = await createAgency(stack);
  door = await openDoor(stack.baseUrl, key);
});
afterAll(async () => {
  door?.closeAllConnections();
  door?.close();
  await stack?.stop();
});

test("the conformance suite finds nothing wrong but what the baseline explains", async () => {
  const { port } = door.address() as AddressInfo;
  const directory = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    const { code, output } = await conformance([
      "server",
      "--url",
      `http://127.0.0.1:${port}/api/mcp`,
      "--expected-failures",
      join(import.meta.dirname, "conformance.yml"),
      "--output-dir",
      directory,
    ]);
    expect(code, output).toBe(0);
  } finally {
    await rm(directory, { recursive: true });
  }
}, 120_000);

/** The suite cannot be given a token, so it comes in by a door that adds one. */
function openDoor(baseUrl: string, key: string): Promise<Server> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const headers = new Headers({ authorization: `Bearer ${key}` });
    for (const name of ["accept", "content-type", "mcp-protocol-version", "origin"]) {
      const value = incoming.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const answer = await fetch(baseUrl + incoming.url, {
      method: incoming.method ?? "GET",
      headers,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    // What was compressed on the way here has been unpacked.
    const unpacked = new Headers(answer.headers);
    for (const name of ["content-encoding", "content-length"]) unpacked.delete(name);
    outgoing.writeHead(answer.status, Object.fromEntries(unpacked));
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function conformance(args: string[]): Promise<{ code: number | null; output: string }> {
  const manifest = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/conformance/package.json",
  );
  const child = spawn(process.execPath, [join(dirname(manifest), "dist", "index.js"), ...args]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

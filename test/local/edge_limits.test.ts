import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOSTED_LIMITS } from "../../supabase/local/functions/limits.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { eventually, fixtureFunction } from "./fixtures.ts";

/** Burns, allocates and works behind its answer as the address says. */
const code = `
  let held = [];
  addEventListener("beforeunload", ({ detail }) => console.log("told of", detail.reason));
  const burn = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  Deno.serve(async (request) => {
    const asked = new URL(request.url).searchParams;
    const number = (name) => Number(asked.get(name) ?? 0);
    const behind = asked.get("behind");
    if (behind) EdgeRuntime.waitUntil(fetch(behind).then(() => console.log("done behind the answer")));
    const spin = number("spin");
    if (spin) EdgeRuntime.waitUntil(sleep(spin).then(() => burn(10_000)));
    burn(number("burn"));
    for (let mb = 0; mb < number("mb"); mb += 1) held.push(new Array(131_072).fill(mb));
    await sleep(number("sleep"));
    return new Response(String(performance.now()));
  });`;

const spenders = ["spender", "crowd", "burner", "background"];
const agers = ["old", "aged", "idler"];
const eaters = ["half", "whole"];
const fixtures = [...spenders, ...agers, ...eaters].map((name) => fixtureFunction(name, code));

/** Short lives, so that nobody waits for the real ones. */
const LIFE_MS = 4000;
const MEMORY_MB = 96;

let stack: TestStack;
let brief: TestStack;
let narrow: TestStack;

beforeAll(async () => {
  const named = (names: string[]) => fixtures.filter(({ name }) => names.includes(name));
  const memory_bytes = MEMORY_MB * 2 ** 20;
  [stack, narrow] = await Promise.all([
    testStack({ functions: named(spenders), edgeLimits: true }),
    testStack({ functions: named(eaters), edgeLimits: { ...HOSTED_LIMITS, memory_bytes } }),
  ]);
  // Last, because its workers begin to age at once.
  brief = await testStack({
    functions: named(agers),
    edgeLimits: { ...HOSTED_LIMITS, wall_clock_ms: LIFE_MS },
  });
});
afterAll(async () => {
  await Promise.all([stack, brief, narrow].map((one) => one?.stop()));
  for (const fixture of fixtures) fixture.remove();
});

function call(name: string, query = "", on = stack): Promise<Response> {
  return fetch(`${on.baseUrl}/functions/v1/${name}?${query}`);
}

async function said(line: RegExp, on = stack): Promise<string> {
  return eventually(() => on.logs.find((one) => line.test(one)));
}

/** An address that answers when the test says so. */
async function gate(): Promise<{ url: string; open(): void }> {
  const opened = Promise.withResolvers<void>();
  const server = createServer(async (_, response) => {
    await opened.promise;
    response.end(() => server.close());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, open: opened.resolve };
}

/** Calls until another worker takes the requests. */
async function spend(name: string): Promise<void> {
  const first = stack.functionPid(name);
  while (stack.functionPid(name) === first) {
    expect((await call(name, "burn=100")).status).toBe(200);
  }
}

describe("the life of a worker", () => {
  test("is over for new requests at its half, and at the whole for those it has", async () => {
    const hanging = call("aged", "sleep=60000", brief);
    const first = brief.functionPid("aged");
    await said(/^\[aged\] worker 1 retires: 2\.\d s of wall clock$/, brief);
    // Those that come now have a life before them, without having had to wait for it.
    const answer = await call("aged", "", brief);
    expect(Number(await answer.text())).toBeLessThan(LIFE_MS / 2);
    expect(brief.functionPids("aged")).toEqual([first, brief.functionPid("aged")]);
    expect((await hanging).status).toBe(546);
    await said(/^\[aged\] told of wall_clock$/, brief);
    await said(/^\[aged\] worker 1 killed: 4\.\d s of wall clock$/, brief);
  });

  test("ends at its half when nothing is left to do", async () => {
    expect((await call("old", "", brief)).status).toBe(200);
    await said(/^\[old\] worker \d ended in order: .* in \d\.\d s of wall clock$/, brief);
    expect((await call("old", "", brief)).status).toBe(200);
  });

  test("costs nothing once nobody calls: none is started before a request asks for it", async () => {
    await said(/^\[idler\] worker 1 ended in order/, brief);
    expect(brief.functionPids("idler")).toEqual([]);
    expect((await call("idler", "", brief)).status).toBe(200);
    expect(brief.functionPids("idler").length).toBe(1);
  });
});

describe("a worker that holds memory", () => {
  test("gets no new request from half of it on", async () => {
    const first = narrow.functionPid("half");
    expect((await call("half", "mb=55", narrow)).status).toBe(200);
    await said(/^\[half\] worker 1 retires: \d\d MB of memory$/, narrow);
    expect((await call("half", "", narrow)).status).toBe(200);
    expect(narrow.functionPid("half")).not.toBe(first);
  });

  test("is killed at the whole", async () => {
    const answer = await call("whole", "mb=1000", narrow);
    expect(answer.status).toBe(546);
    await said(/^\[whole\] worker 1 killed: \d+ MB of memory$/, narrow);
    expect((await call("whole", "", narrow)).status).toBe(200);
  });
});

describe("a worker that has used half of its CPU", () => {
  test("gets no new request, and finishes the work behind its answer", async () => {
    const first = stack.functionPid("spender");
    const work = await gate();
    expect((await call("spender", `behind=${work.url}`)).status).toBe(200);
    await spend("spender");
    // Its follower was started without a request that asked for it.
    expect(stack.functionPids("spender").length).toBe(2);
    expect((await call("spender")).status).toBe(200);
    expect(stack.functionPids("spender")).toContain(first);
    work.open();
    await said(/^\[spender\] worker 1 ended in order: 1\.\d s of CPU in /);
    expect(stack.functionPids("spender")).toEqual([stack.functionPid("spender")]);
    expect(stack.logs.filter((line) => line.startsWith("[spender]"))).toEqual([
      expect.stringMatching(/worker 1 retires: 1\.[0-2] s of CPU/),
      expect.stringMatching(/done behind the answer/),
      expect.stringMatching(/told of early_drop/),
      expect.stringMatching(/worker 1 ended in order/),
    ]);
  });

  test("loses no request to the one that follows it", async () => {
    const statuses: number[] = [];
    const caller = async () => {
      while (!stack.logs.some((line) => line.startsWith("[crowd] worker 2 retires"))) {
        statuses.push((await call("crowd", "burn=10")).status);
      }
    };
    await Promise.all(Array.from({ length: 32 }, caller));
    expect(statuses.length).toBeGreaterThan(100);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
});

describe("a worker that has used up its CPU", () => {
  test("is killed, its request is told so, and the next one is served", async () => {
    const answer = await call("burner", "burn=20000");
    expect(answer.status).toBe(546);
    expect(await answer.json()).toEqual({
      error: {
        code: "worker_resource_limit",
        message: expect.any(String),
        details: {},
      },
    });
    const killed = await said(/^\[burner\] worker 1 killed/);
    expect(Number(/(\d\.\d) s of CPU/.exec(killed)?.[1])).toBeCloseTo(2, 0);
    expect((await call("burner")).status).toBe(200);
  });

  test("is killed for what it does behind its answer too", async () => {
    expect((await call("background", "spin=300")).status).toBe(200);
    await said(/^\[background\] worker 1 killed: 2\.\d s of CPU/);
  });
});

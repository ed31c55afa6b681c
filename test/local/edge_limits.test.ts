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
    const behind = number("behind");
    if (behind) EdgeRuntime.waitUntil(sleep(behind).then(() => console.log("done behind the answer")));
    const spin = number("spin");
    if (spin) EdgeRuntime.waitUntil(sleep(spin).then(() => burn(10_000)));
    burn(number("burn"));
    for (let mb = 0; mb < number("mb"); mb += 1) held.push(new Array(131_072).fill(mb));
    await sleep(number("sleep"));
    return new Response(String(performance.now()));
  });`;

const names = ["spender", "burner", "background", "crowd", "old", "aged", "eater", "idler"];
const fixtures = names.map((name) => fixtureFunction(name, code));

let stack: TestStack;
let brief: TestStack;

beforeAll(async () => {
  const [limits, less] = [fixtures.slice(0, 4), fixtures.slice(4)];
  stack = await testStack({ functions: limits, edgeLimits: true });
  brief = await testStack({
    functions: less,
    edgeLimits: { ...HOSTED_LIMITS, wall_clock_ms: 4000, memory_bytes: 96 * 2 ** 20 },
  });
});
afterAll(async () => {
  await stack?.stop();
  await brief?.stop();
  for (const fixture of fixtures) fixture.remove();
});

function call(name: string, query = "", on = stack): Promise<Response> {
  return fetch(`${on.baseUrl}/functions/v1/${name}?${query}`);
}

async function said(line: RegExp, on = stack): Promise<string> {
  return eventually(() => on.logs.find((one) => line.test(one)));
}

/** Calls until another worker takes the requests, and returns how much all of it burned. */
async function spend(name: string, query = ""): Promise<number> {
  const first = stack.functionPid(name);
  let burned_ms = 0;
  while (stack.functionPid(name) === first) {
    burned_ms += 100;
    expect((await call(name, `burn=100&${query}`)).status).toBe(200);
  }
  return burned_ms;
}

describe("a worker that has used half of its CPU", () => {
  test("gets no new request, and finishes the work behind its answer", async () => {
    const first = stack.functionPid("spender");
    expect((await call("spender", "behind=2500")).status).toBe(200);
    expect(await spend("spender")).toBeLessThan(1500);
    // Its follower was started without a request that asked for it.
    expect(stack.functionPids("spender").length).toBe(2);
    expect((await call("spender")).status).toBe(200);
    expect(stack.functionPids("spender")).toContain(first);
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
    const refused: number[] = [];
    const caller = async () => {
      for (let i = 0; i < 12; i += 1) {
        const { status } = await call("crowd", "burn=10");
        if (status !== 200) refused.push(status);
      }
    };
    await Promise.all(Array.from({ length: 32 }, caller));
    expect(refused).toEqual([]);
    const retired = stack.logs.filter((line) => /^\[crowd\] worker \d+ retires/.test(line));
    expect(retired.length).toBeGreaterThan(1);
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

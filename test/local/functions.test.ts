import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { eventually, fixtureFunction } from "./fixtures.ts";

const api = fixtureFunction(
  "api",
  `Deno.serve(async (request) => {
    const url = new URL(request.url);
    if (url.pathname === "/api/die") setTimeout(() => Deno.exit(3), 10);
    if (url.pathname === "/api/background") {
      EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 20)).then(() => console.log("background done")));
      EdgeRuntime.waitUntil(Promise.reject(new Error("on purpose")));
      return new Response(null, { status: 202 });
    }
    if (url.pathname === "/api/limits") {
      const tried = {};
      for (const [name, attempt] of Object.entries({
        write: async () => Deno.writeTextFile("written", "x"),
        run: async () => new Deno.Command("/bin/true").output(),
      })) tried[name] = await attempt().then(() => "allowed", (error) => error.name);
      tried.path = Deno.env.get("PATH") ?? null;
      tried.url = Deno.env.get("SUPABASE_URL");
      tried.feature = Deno.env.get("QUALIFIER_MODEL") ?? null;
      return Response.json(tried);
    }
    if (url.pathname === "/api/stream") {
      return new Response(new ReadableStream({
        async start(out) {
          for (const part of ["uno ", "dos ", "tres"]) {
            out.enqueue(new TextEncoder().encode(part));
            await new Promise((done) => setTimeout(done, 5));
          }
          out.close();
        },
      }));
    }
    const body = new Uint8Array(await request.arrayBuffer());
    return Response.json({
      method: request.method, path: url.pathname + url.search, size: body.length,
      headers: Object.fromEntries(request.headers),
    }, { status: 207, headers: { "x-own": "1" } });
  });`,
);

const broken = fixtureFunction("broken", `throw new Error("does not start");`);

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({
    functions: [api, broken, { name: "absent", entrypoint: "/nowhere/index.ts" }],
    environment: { QUALIFIER_MODEL: "small" },
  });
});
afterAll(async () => {
  await stack?.stop();
  api.remove();
  broken.remove();
});

interface Echo {
  method: string;
  path: string;
  size: number;
  headers: Record<string, string>;
}

async function echo(path: string, init: RequestInit = {}): Promise<Echo> {
  const response = await fetch(stack.baseUrl + path, init);
  expect(response.status).toBe(207);
  expect(response.headers.get("x-own")).toBe("1");
  return (await response.json()) as Echo;
}

describe("the front", () => {
  test.each([
    ["/api/v1/leads?limit=1", "/api/v1/leads?limit=1"],
    ["/api", "/api"],
    ["/functions/v1/api/v1/leads", "/api/v1/leads"],
    ["/.well-known/oauth-protected-resource", "/api/.well-known/oauth-protected-resource"],
  ])("passes %s as %s", async (path, seen) => {
    expect((await echo(path)).path).toBe(seen);
  });

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("keeps %s", async (method) => {
    expect((await echo("/api/x", { method })).method).toBe(method);
  });

  test("keeps headers and says where the request came from", async () => {
    const { headers } = await echo("/api/x", {
      headers: {
        authorization: "Bearer cor_x",
        "x-request-id": "r1",
        "x-forwarded-for": "10.0.0.9",
      },
    });
    expect(headers).toMatchObject({
      authorization: "Bearer cor_x",
      "x-request-id": "r1",
      "x-forwarded-for": "10.0.0.9, 127.0.0.1",
      host: new URL(stack.baseUrl).host,
    });
  });

  test("passes bodies of any size", async () => {
    for (const size of [0, 1, 70_000, 5_000_000]) {
      const body = new Uint8Array(size);
      expect((await echo("/api/x", { method: "POST", body })).size).toBe(size);
    }
  });

  test("passes streams both ways", async () => {
    const body = new ReadableStream({
      start(out) {
        out.enqueue(new TextEncoder().encode("abc"));
        out.enqueue(new TextEncoder().encode("def"));
        out.close();
      },
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    expect((await echo("/api/x", init)).size).toBe(6);
    expect(await (await fetch(`${stack.baseUrl}/api/stream`)).text()).toBe("uno dos tres");
  });

  test("carries many requests at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => echo(`/api/${i}`, { method: "POST", body: `${i}` })),
    );
    answers.forEach((answer, i) => {
      expect(answer.path).toBe(`/api/${i}`);
    });
  });

  test("does not treat other names as the function", async () => {
    expect((await fetch(`${stack.baseUrl}/apiary`)).status).not.toBe(207);
  });
});

describe("a function", () => {
  test("may use the network and its own settings, and nothing else", async () => {
    const response = await fetch(`${stack.baseUrl}/api/limits`);
    expect(await response.json()).toEqual({
      write: "NotCapable",
      run: "NotCapable",
      path: null,
      url: stack.baseUrl,
      feature: "small",
    });
  });

  test("works on after its answer, and a failure there does not end it", async () => {
    const pid = stack.functionPid("api");
    expect((await fetch(`${stack.baseUrl}/api/background`)).status).toBe(202);
    await eventually(() => stack.logs.includes("[api] background done"));
    await eventually(() => stack.logs.some((line) => line.includes("on purpose")));
    expect(stack.functionPid("api")).toBe(pid);
  });

  test("is started again when it dies, and meanwhile answers 503", async () => {
    const pid = stack.functionPid("api") as number;
    process.kill(pid, "SIGKILL");
    await eventually(async () => {
      const response = await fetch(`${stack.baseUrl}/api/x`);
      if (response.status !== 503) return false;
      expect(await response.json()).toMatchObject({ error: { code: "unavailable" } });
      return true;
    });
    await eventually(async () => (await fetch(`${stack.baseUrl}/api/x`)).status === 207);
    expect(stack.functionPid("api")).not.toBe(pid);
  });

  test("that does not start is tried again with growing pauses", async () => {
    expect((await fetch(`${stack.baseUrl}/functions/v1/broken`)).status).toBe(503);
    await eventually(
      () => stack.logs.some((line) => /\[broken\] .*ended .* 400 ms/.test(line)),
      25_000,
    );
  });

  test("that is not on disk is one line in the log", async () => {
    const lines = stack.logs.filter((line) => line.startsWith("[absent]"));
    expect(lines).toEqual(["[absent] is not there: no file /nowhere/index.ts"]);
    expect((await fetch(`${stack.baseUrl}/functions/v1/absent`)).status).toBe(503);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";

const functions = ["api", "drain", "intake"];
const NO_NEW_KEYS = { SUPABASE_PUBLISHABLE_KEYS: "", SUPABASE_SECRET_KEYS: "" };

let stack: TestStack;

function open(environment: Record<string, string>): () => Promise<void> {
  return async () => {
    stack = await testStack({ functions, environment });
  };
}

function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${stack.baseUrl}/functions/v1/${path}`, init);
}

function run(job: string, apikey: string): Promise<Response> {
  return call(job, { method: "POST", headers: { apikey }, body: JSON.stringify({ wait: true }) });
}

describe("a project with the older keys alone", () => {
  beforeAll(open(NO_NEW_KEYS));
  afterAll(() => stack?.stop());

  test("has an API that answers", async () => {
    const key = await stack.createApiKey(await stack.createAgency());
    expect((await call("api/v1/health")).status).toBe(200);
    const headers = { authorization: `Bearer ${key}` };
    expect((await call("api/v1/leads", { headers })).status).toBe(200);
  });

  test.each(["drain", "intake"])(
    "has a %s that works for who shows its service key",
    async (job) => {
      expect((await run(job, stack.serviceRoleKey)).status).toBe(200);
      expect((await run(job, "")).status).toBe(401);
      expect((await run(job, stack.publishableKey)).status).toBe(401);
    },
  );
});

describe("a project with several secret keys", () => {
  const others = { crawler: "sb_secret_crawler", jobs: "sb_secret_jobs" };
  beforeAll(open({ SUPABASE_SECRET_KEYS: JSON.stringify(others) }));
  afterAll(() => stack?.stop());

  test.each(["drain", "intake"])("has a %s that takes each of them", async (job) => {
    for (const apikey of [...Object.values(others), stack.serviceRoleKey]) {
      // It knows the key when it goes on to say that the method is wrong.
      expect((await call(job, { headers: { apikey } })).status).toBe(405);
    }
    expect((await call(job, { headers: { apikey: "sb_secret_another" } })).status).toBe(401);
    expect((await call(job)).status).toBe(401);
  });
});

describe.each([
  ["no keys", { ...NO_NEW_KEYS, SUPABASE_ANON_KEY: "", SUPABASE_SERVICE_ROLE_KEY: "" }],
  [
    "keys that nobody can read",
    {
      SUPABASE_PUBLISHABLE_KEYS: "sb_publishable_x",
      SUPABASE_SECRET_KEYS: '{"default":null}',
      SUPABASE_ANON_KEY: "",
      SUPABASE_SERVICE_ROLE_KEY: "",
    },
  ],
])("a project with %s", (_, environment) => {
  beforeAll(open(environment));
  afterAll(() => stack?.stop());

  test.each([
    ["api", "api/v1/health", "publishable key"],
    ["api", "api/mcp", "publishable key"],
    ["drain", "drain", "secret key"],
    ["intake", "intake", "secret key"],
  ])("is told by %s that it does not work, and why in its log alone", async (name, path, lack) => {
    const answer = await call(path, { method: "POST", headers: { apikey: "" } });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({
      error: {
        code: "unavailable",
        message: "The service cannot answer right now; try again shortly.",
        details: {},
      },
    });
    const lines = stack.logs.filter((line) => line.startsWith(`[${name}]`));
    expect(lines).toEqual([expect.stringContaining(`no ${lack}: SUPABASE_`)]);
  });
});

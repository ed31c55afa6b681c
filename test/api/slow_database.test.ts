import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, type TestAgency } from "./agency.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

// With an API key a request is `anon` to the database, which gives it 3 s.
test("what the database does not answer in time is answered 503, may be tried again, and was not done", async () => {
  const lock = await stack.sql.reserve();
  await lock`begin`;
  try {
    await lock`lock table public.leads in access exclusive mode`;
    const startedAt = performance.now();
    const [read, write] = await Promise.all([
      agency.client.get("/leads"),
      agency.client.post("/leads", { full_name: "A destiempo" }),
    ]);
    const took_ms = performance.now() - startedAt;
    for (const { status, headers, body, text } of [read, write]) {
      expect(status, text).toBe(503);
      expect(body.error.code).toBe("unavailable");
      expect(headers.get("retry-after")).toBe("5");
      expect(text).not.toMatch(/statement|timeout|57014/i);
    }
    // Well before the 8 s of a person who signed in.
    expect(took_ms).toBeGreaterThan(2500);
    expect(took_ms).toBeLessThan(7500);
  } finally {
    await lock`rollback`;
    lock.release();
  }
  const { body } = await agency.client.get("/leads");
  expect(body.data).toEqual([]);
});

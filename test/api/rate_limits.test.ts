import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, createKey, fingerprint, type TestAgency } from "./agency.ts";
import { type Client, clientOf } from "./client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

async function limitedTo(requestsPerMinute: number, permissions?: string[]): Promise<Client> {
  const key = await createKey(stack, agency.id, {
    requestsPerMinute,
    ...(permissions ? { permissions } : {}),
  });
  return clientOf(stack.baseUrl, key);
}

describe("A key with a limit of 10 requests a minute", () => {
  test("gets ten answers that count down, and a 429 for the eleventh", async () => {
    const client = await limitedTo(10);
    for (let remaining = 9; remaining >= 0; remaining--) {
      const answer = await client.get("/flows");
      expect(answer.status).toBe(200);
      expect(answer.headers.get("ratelimit-limit")).toBe("10");
      expect(answer.headers.get("ratelimit-remaining")).toBe(String(remaining));
      expect(Number(answer.headers.get("ratelimit-reset"))).toBeGreaterThan(0);
      expect(answer.headers.get("retry-after")).toBeNull();
    }
    const refused = await client.get("/flows");
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({ code: "rate_limited" });
    const seconds = refused.body.error.details.retry_after_seconds;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(6);
    expect(refused.headers.get("retry-after")).toBe(String(Math.ceil(seconds)));
    expect(refused.headers.get("ratelimit-limit")).toBe("10");
    expect(refused.headers.get("ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("ratelimit-reset")).toMatch(/^[1-9]\d*$/);
  });

  test("spends requests that are refused or fail, of every kind", async () => {
    const client = await limitedTo(10, ["leads:write"]);
    const kinds = [
      [await client.get("/leads"), 403],
      [await client.post("/leads", "{"), 422],
      [await client.post("/leads", { full_name: 1 }), 422],
      [await client.post("/leads", { full_name: "X", operation_type: "sell" }), 422],
      [await client.post("/leads", { full_name: "X", origin: "fax" }), 422],
      [await client.post("/leads", " ".repeat(1024 * 1024 + 1)), 413],
      [await client.send("/leads", { method: "POST", body: "x" }), 415],
      [await client.patch("/leads/1", {}), 404],
    ] as const;
    for (const [answer, status] of kinds) expect(answer.status).toBe(status);
    const remaining = kinds.map(([{ headers }]) => Number(headers.get("ratelimit-remaining")));
    expect(remaining[0]).toBe(9);
    expect(remaining.at(-1)).toBe(2);
  });

  test("is told 429 before 403, 422 and 404 when it is spent, and nothing is written", async () => {
    const client = await limitedTo(10, ["leads:write"]);
    for (let i = 0; i < 10; i++) await client.get("/flows");
    const before = await fingerprint(stack);
    for (const answer of [
      await client.get("/leads"),
      await client.post("/leads", "{"),
      await client.post("/leads", { full_name: "X" }),
      await client.patch("/leads/1", {}),
      await client.delete("/hooks/1"),
    ]) {
      expect(answer.status).toBe(429);
      expect(answer.headers.get("retry-after")).toMatch(/^[1-6]$/);
    }
    expect(await fingerprint(stack)).toBe(before);
  });

  test("spends exactly ten of forty that come at once", async () => {
    const client = await limitedTo(10);
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.get("/flows")));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  });

  test("spends one request more for its first phone number without a country code, and no later one", async () => {
    const client = await limitedTo(10);
    const remaining: number[] = [];
    for (const phone of ["612345678", "612345679", "+34612345670"]) {
      const answer = await client.post("/leads", { full_name: "X", phone });
      expect(answer.status).toBe(201);
      remaining.push(Number(answer.headers.get("ratelimit-remaining")));
    }
    expect(remaining).toEqual([8, 7, 6]);
  });

  test("does not spend another key's requests", async () => {
    const spent = await limitedTo(10);
    for (let i = 0; i < 11; i++) await spent.get("/flows");
    expect((await (await limitedTo(10)).get("/flows")).headers.get("ratelimit-remaining")).toBe(
      "9",
    );
  });
});

describe("A key made without a limit of its own", () => {
  test("may make 120 requests a minute", async () => {
    const client = clientOf(stack.baseUrl, await stack.createApiKey(agency.id));
    const { headers } = await client.get("/flows");
    expect(headers.get("ratelimit-limit")).toBe("120");
    expect(headers.get("ratelimit-remaining")).toBe("119");
  });
});

describe("A key whose requests are spent", () => {
  test("is answered again while several clients of it keep trying", async () => {
    const client = await limitedTo(60);
    await Promise.all(Array.from({ length: 60 }, () => client.get("/flows")));
    expect((await client.get("/flows")).status).toBe(429);
    // One request a second comes back. A refused one must not use it up, or eager clients would starve each other.
    await expect
      .poll(async () => (await client.get("/flows")).status, { timeout: 5000, interval: 100 })
      .toBe(200);
  });
});

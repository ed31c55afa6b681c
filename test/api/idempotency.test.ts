import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import {
  createAgency,
  createKey,
  createLead,
  createOperation,
  createProperty,
  type TestAgency,
} from "./agency.ts";
import { clientOf } from "./client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

const withKey = (key: string) => ({ "idempotency-key": key });

async function rowsOf(table: string): Promise<number> {
  const [row] = await stack.sql<
    { n: number }[]
  >`select count(*)::int as n from ${stack.sql(`public.${table}`)}`;
  return (row as { n: number }).n;
}

/** A POST of each kind. */
async function posts(): Promise<[path: string, table: string, body: object, other: object][]> {
  const lead_id = await createLead(agency);
  const operation_id = await createOperation(agency, "buy");
  const property_id = await createProperty(stack, agency.id);
  const target_url = `https://example.com/${randomUUID()}`;
  return [
    ["/leads", "leads", { full_name: "Una vez", operation_type: "buy" }, { full_name: "Otra" }],
    [
      "/operations",
      "operations",
      { lead_id, operation_type: "buy" },
      { lead_id, operation_type: "rent" },
    ],
    [
      "/offers",
      "offers",
      { operation_id, property_id, amount: 1 },
      { operation_id, property_id, amount: 2 },
    ],
    [
      "/hooks",
      "subscriptions",
      { event_type: "deal_won", target_url },
      { event_type: "offer_accepted", target_url },
    ],
  ];
}

describe("A POST with an Idempotency-Key", () => {
  test("is done once, and its repetition gets the same answer, marked as replayed", async () => {
    for (const [path, table, body] of await posts()) {
      const key = withKey(randomUUID());
      const before = await rowsOf(table);
      const first = await agency.client.post(path, body, key);
      const second = await agency.client.post(path, body, key);
      expect(first.status).toBe(201);
      expect(first.headers.get("idempotent-replayed")).toBeNull();
      expect(second.status).toBe(201);
      expect(second.headers.get("idempotent-replayed")).toBe("true");
      expect(second.body).toEqual(first.body);
      expect(await rowsOf(table)).toBe(before + 1);
    }
  });

  test("is refused when the key was used with another body, and nothing is written", async () => {
    for (const [path, table, body, other] of await posts()) {
      const key = withKey(randomUUID());
      await agency.client.post(path, body, key);
      const before = await rowsOf(table);
      const answer = await agency.client.post(path, other, key);
      expect(answer.status).toBe(422);
      expect(answer.body.error).toMatchObject({
        code: "validation_error",
        details: { reason: "idempotency_key_reused" },
      });
      expect(await rowsOf(table)).toBe(before);
    }
  });

  test("is refused when the key was used at another endpoint", async () => {
    const key = withKey(randomUUID());
    const lead_id = await createLead(agency);
    await agency.client.post("/leads", { full_name: "X" }, key);
    const answer = await agency.client.post("/operations", { lead_id, operation_type: "buy" }, key);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.reason).toBe("idempotency_key_reused");
  });

  test("replays 200 for an operation that was there already", async () => {
    const lead_id = await createLead(agency);
    const body = { lead_id, operation_type: "sell" };
    await agency.client.post("/operations", body);
    const key = withKey(randomUUID());
    expect((await agency.client.post("/operations", body, key)).status).toBe(200);
    const replay = await agency.client.post("/operations", body, key);
    expect(replay.status).toBe(200);
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
  });

  test("takes the same body with its members in another order, or otherwise spaced", async () => {
    const key = withKey(randomUUID());
    const first = await agency.client.post("/leads", '{"full_name":"X","notes":"y"}', key);
    const second = await agency.client.post("/leads", '{ "notes": "y", "full_name": "X" }', key);
    expect(second.body).toEqual(first.body);
  });

  test("may be tried again with the same key after it was refused", async () => {
    const key = withKey(randomUUID());
    const operation_id = await createOperation(agency, "buy");
    const refused = await agency.client.post("/offers", { operation_id, amount: 1 }, key);
    expect(refused.body.error.details.reason).toBe("property_required");
    const property_id = await createProperty(stack, agency.id);
    const done = await agency.client.post("/offers", { operation_id, amount: 1, property_id }, key);
    expect(done.status).toBe(201);
  });

  test("does not meet the same key of another credential", async () => {
    const key = withKey(randomUUID());
    const colleague = clientOf(stack.baseUrl, await createKey(stack, agency.id));
    const other = await createAgency(stack);
    const body = { full_name: "X" };
    const ids = [
      await agency.client.post("/leads", body, key),
      await colleague.post("/leads", body, key),
      await other.client.post("/leads", body, key),
    ].map((answer) => answer.body.data.id);
    expect(new Set(ids).size).toBe(3);
  });

  test("makes one lead of twenty that come at once, and answers all with it", async () => {
    const key = withKey(randomUUID());
    const before = await rowsOf("leads");
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => agency.client.post("/leads", { full_name: "Prisa" }, key)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    const replayed = answers.filter(({ headers }) => headers.has("idempotent-replayed"));
    expect(replayed).toHaveLength(19);
    expect(await rowsOf("leads")).toBe(before + 1);
  });
});

describe("An Idempotency-Key", () => {
  test.each([
    ["one character", "k"],
    ["255 characters", "k".repeat(255)],
    ["spaces inside", "a b"],
  ])("may have %s", async (_, key) => {
    const answer = await agency.client.post("/leads", { full_name: "X" }, withKey(key));
    expect(answer.status).toBe(201);
  });

  test.each([
    ["none", ""],
    ["256 characters", "k".repeat(256)],
    ["other than ASCII", "clé"],
  ])("may not have %s", async (_, key) => {
    const before = await rowsOf("leads");
    const answer = await agency.client.post("/leads", { full_name: "X" }, withKey(key));
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toMatchObject({
      reason: "invalid_header",
      issues: [{ path: "Idempotency-Key" }],
    });
    expect(await rowsOf("leads")).toBe(before);
  });
});

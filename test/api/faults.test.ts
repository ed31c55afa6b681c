import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ErrorAnswer } from "../../types/contracts/errors.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, type TestAgency } from "./agency.ts";
import type { Answer } from "./client.ts";
import { type FaultyGateway, openFaultyGateway } from "./faulty_gateway.ts";

let gateway: FaultyGateway;
let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  gateway = await openFaultyGateway();
  stack = await testStack({ functions: ["api"], environment: { SUPABASE_URL: gateway.url } });
  gateway.target = stack.baseUrl;
  agency = await createAgency(stack);
});
afterAll(async () => {
  await stack?.stop();
  await gateway?.close();
});
beforeEach(async () => {
  gateway.fault = "none";
  // The connection that the fault then meets is a kept one, which is when a client is tempted to send again.
  await agency.client.get("/flows");
  gateway.arrived.length = 0;
});

function expectUnavailable(answer: Answer): void {
  expect(answer.status, answer.text).toBe(503);
  expect(ErrorAnswer.parse(answer.body).error.code).toBe("unavailable");
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(answer.headers.get("x-request-id")).not.toBeNull();
  expect(answer.text).not.toContain("secret");
}

describe("When the connection to the Data API breaks after the work was done", () => {
  test("a write is answered 503 and was done once", async () => {
    gateway.fault = "reset after the work";
    expectUnavailable(await agency.client.post("/leads", { full_name: "Una sola vez" }));
    expect(gateway.arrived).toEqual(["create_lead"]);
    const leads = await stack.sql`select from public.leads where full_name = 'Una sola vez'`;
    expect(leads).toHaveLength(1);
  });

  test("an Idempotency-Key gets the answer that was lost", async () => {
    const key = { "idempotency-key": "lost-answer" };
    gateway.fault = "reset after the work";
    expectUnavailable(await agency.client.post("/leads", { full_name: "Perdida" }, key));
    gateway.fault = "none";
    const again = await agency.client.post("/leads", { full_name: "Perdida" }, key);
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const leads = await stack.sql`select from public.leads where full_name = 'Perdida'`;
    expect(leads).toHaveLength(1);
  });

  test("every writing endpoint sends its RPC once", async () => {
    const id = "00000000-0000-4000-8000-000000000000";
    gateway.fault = "reset after the work";
    for (const [rpc, answer] of [
      ["update_lead", () => agency.client.patch(`/leads/${id}`, { notes: "x" })],
      ["archive_lead", () => agency.client.delete(`/leads/${id}`)],
      [
        "create_operation",
        () => agency.client.post("/operations", { lead_id: id, operation_type: "buy" }),
      ],
      ["update_operation", () => agency.client.patch(`/operations/${id}`, { stage: "lost" })],
      ["create_offer", () => agency.client.post("/offers", { operation_id: id, amount: 1 })],
      ["delete_hook", () => agency.client.delete(`/hooks/${id}`)],
      [
        "create_hook",
        () =>
          agency.client.post("/hooks", {
            event_type: "deal_won",
            target_url: "https://example.com/x",
          }),
      ],
    ] as const) {
      gateway.fault = "none";
      await agency.client.get("/flows");
      gateway.arrived.length = 0;
      gateway.fault = "reset after the work";
      expectUnavailable(await answer());
      expect(gateway.arrived).toEqual([rpc]);
    }
  });
});

describe("When the connection to the Data API breaks in the middle of an answer", () => {
  test("a list breaks off too, and is not taken for a whole one", async () => {
    gateway.fault = "reset in the answer";
    await expect(agency.client.get("/flows")).rejects.toThrow();
    gateway.fault = "none";
    expect((await agency.client.get("/flows")).body.data).toHaveLength(3);
  });

  test("anything else is answered 503", async () => {
    gateway.fault = "reset in the answer";
    expectUnavailable(await agency.client.post("/leads", { full_name: "A medias" }));
    expect(gateway.arrived).toEqual(["create_lead"]);
  });
});

describe("When nobody reads a list", () => {
  beforeAll(async () => {
    // Long enough not to fit into what a connection holds by itself.
    const notes = "n".repeat(10_000);
    for (let n = 0; n < 50; n++) await agency.client.post("/leads", { full_name: `N ${n}`, notes });
  });

  test("HEAD answers its headers alone, and keeps no connection to the Data API", async () => {
    for (let n = 0; n < 20; n++) {
      const answer = await agency.client.send("/leads", { method: "HEAD" });
      expect(answer.status).toBe(200);
      expect(answer.text).toBe("");
    }
    await expect.poll(() => gateway.connections()).toBeLessThan(5);
  });

  test("a caller who leaves takes the connection to the Data API along", async () => {
    for (let n = 0; n < 20; n++) {
      const answer = await fetch(`${stack.baseUrl}/api/v1/leads`, {
        headers: { authorization: `Bearer ${agency.key}` },
      });
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
    await expect.poll(() => gateway.connections()).toBeLessThan(5);
  });
});

describe("When the Data API cannot be reached", () => {
  test("every endpoint answers 503, health too", async () => {
    gateway.fault = "bad gateway";
    expectUnavailable(await agency.client.get("/leads"));
    expectUnavailable(await agency.client.post("/leads", { full_name: "X" }));
    expectUnavailable(await agency.client.post("/leads", "{"));
    expectUnavailable(await agency.client.get("/health"));
  });
});

describe("When the Data API does not answer", () => {
  test("a request ends with 503 after 30 seconds", { timeout: 45_000 }, async () => {
    gateway.fault = "hang";
    const startedAt = Date.now();
    const answers = await Promise.all([
      agency.client.get("/leads"),
      agency.client.post("/leads", { full_name: "X" }),
      agency.client.get("/health"),
    ]);
    for (const answer of answers) expectUnavailable(answer);
    expect(Date.now() - startedAt).toBeLessThan(40_000);
  });
});

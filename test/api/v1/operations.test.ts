import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Operation } from "../../../types/contracts/operations.ts";
import { listOf, one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, createLead, createOperation, type TestAgency } from "../agency.ts";

let stack: TestStack;
let agency: TestAgency;
let other: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
  other = await createAgency(stack);
});
afterAll(() => stack?.stop());

describe("POST /operations", () => {
  test("answers 201 with the new operation at the first stage of its flow", async () => {
    const lead_id = await createLead(agency);
    const answer = await agency.client.post("/operations", { lead_id, operation_type: "buy" });
    expect(answer.status).toBe(201);
    const { data } = one(Operation).parse(answer.body);
    expect(data).toMatchObject({
      lead_id,
      operation_type: "buy",
      flow: "buy",
      stage: "qualification",
      stage_label: "Cualificación",
      is_terminal: false,
      pending_actions: [],
      property_id: null,
      lost_reason: null,
      won_at: null,
      closed_at: null,
    });
  });

  test.each([
    ["buy", "qualification"],
    ["rent", "qualification"],
    ["sell", "valuation"],
  ] as const)("starts a %s operation at %s", async (operation_type, stage) => {
    const lead_id = await createLead(agency);
    const answer = await agency.client.post("/operations", { lead_id, operation_type });
    expect(answer.body.data).toMatchObject({ flow: operation_type, stage });
  });

  test("takes any active stage as initial stage, without its gate", async () => {
    const lead_id = await createLead(agency);
    const body = { lead_id, operation_type: "rent", stage: "handover" };
    const answer = await agency.client.post("/operations", body);
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({ stage: "handover", stage_label: "Fianza y llaves" });
  });

  test.each(["won", "lost", "listed", "nowhere", ""])(
    "refuses %j as initial stage of a buy operation",
    async (stage) => {
      const lead_id = await createLead(agency);
      const answer = await agency.client.post("/operations", {
        lead_id,
        operation_type: "buy",
        stage,
      });
      expect(answer.status).toBe(422);
      expect(answer.body.error).toMatchObject({
        code: "validation_error",
        details: {
          reason: "invalid_stage",
          stages: ["qualification", "search", "viewings", "offer", "reservation", "closing"],
        },
      });
    },
  );

  test("answers 200 with the open operation that the lead already has of that type", async () => {
    const lead_id = await createLead(agency);
    const first = await agency.client.post("/operations", { lead_id, operation_type: "buy" });
    const second = await agency.client.post("/operations", {
      lead_id,
      operation_type: "buy",
      stage: "viewings",
    });
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    const { body } = await agency.client.get(`/operations?lead_id=${lead_id}`);
    expect(body.data).toHaveLength(1);
  });

  test("opens one of each type for one lead, and a new one once the old one is closed", async () => {
    const lead_id = await createLead(agency);
    const buy = await agency.client.post("/operations", { lead_id, operation_type: "buy" });
    const rent = await agency.client.post("/operations", { lead_id, operation_type: "rent" });
    expect(rent.status).toBe(201);
    await agency.client.patch(`/operations/${buy.body.data.id}`, { stage: "cancelled" });
    const again = await agency.client.post("/operations", { lead_id, operation_type: "buy" });
    expect(again.status).toBe(201);
    expect(again.body.data.id).not.toBe(buy.body.data.id);
  });

  test("refuses a lead that does not exist, or is another agency's, by its path", async () => {
    for (const lead_id of [randomUUID(), await createLead(other)]) {
      const answer = await agency.client.post("/operations", { lead_id, operation_type: "buy" });
      expect(answer.status).toBe(422);
      expect(answer.body.error.details).toMatchObject({
        reason: "unknown_reference",
        issues: [{ path: "lead_id" }],
      });
    }
  });
});

describe("GET /operations/{id}", () => {
  test("answers 200 with the operation", async () => {
    const id = await createOperation(agency, "sell");
    const answer = await agency.client.get(`/operations/${id}`);
    expect(answer.status).toBe(200);
    expect(one(Operation).parse(answer.body).data.id).toBe(id);
  });

  test("takes the id in upper case too", async () => {
    const id = await createOperation(agency, "sell");
    expect((await agency.client.get(`/operations/${id.toUpperCase()}`)).status).toBe(200);
  });

  test("shows the steps that the current stage waits for", async () => {
    const id = await createOperation(agency, "buy", "viewings");
    const { body } = await agency.client.get(`/operations/${id}`);
    expect(body.data.pending_actions).toEqual([
      { id: "propiedadesVisitadas", label: "Propiedades visitadas" },
      { id: "favoritaElegida", label: "Propiedad favorita elegida" },
    ]);
  });

  test("answers 404 for an id that is unknown, malformed or another agency's", async () => {
    for (const id of [randomUUID(), "1", "%00", await createOperation(other, "buy")]) {
      const answer = await agency.client.get(`/operations/${id}`);
      expect(answer.status).toBe(404);
      expect(answer.body.error).toMatchObject({ code: "not_found", details: {} });
    }
  });
});

describe("GET /operations", () => {
  let mine: TestAgency;
  let ids: { buy: string; rent: string; sell: string; closed: string };
  let leadOfBuy: string;

  beforeAll(async () => {
    mine = await createAgency(stack);
    await createOperation(other, "buy");
    ids = {
      buy: await createOperation(mine, "buy", "viewings"),
      rent: await createOperation(mine, "rent", "viewings"),
      sell: await createOperation(mine, "sell"),
      closed: await createOperation(mine, "buy"),
    };
    await mine.client.patch(`/operations/${ids.closed}`, { stage: "expired" });
    leadOfBuy = (await mine.client.get(`/operations/${ids.buy}`)).body.data.lead_id;
  });

  async function listed(query: string): Promise<string[]> {
    const answer = await mine.client.get(`/operations${query}`);
    expect(answer.status).toBe(200);
    return listOf(Operation)
      .parse(answer.body)
      .data.map(({ id }) => id);
  }

  test("lists the agency's operations, newest first, with a null next_cursor at the end", async () => {
    expect(await listed("")).toEqual([ids.closed, ids.sell, ids.rent, ids.buy]);
    expect((await mine.client.get("/operations")).body.next_cursor).toBeNull();
  });

  test("shows each row as GET /operations/{id} does", async () => {
    const { body } = await mine.client.get(`/operations?lead_id=${leadOfBuy}`);
    expect(body.data).toEqual([(await mine.client.get(`/operations/${ids.buy}`)).body.data]);
  });

  test("filters by stage, operation_type and lead_id, alone and together", async () => {
    expect(await listed("?stage=viewings")).toEqual([ids.rent, ids.buy]);
    expect(await listed("?operation_type=buy")).toEqual([ids.closed, ids.buy]);
    expect(await listed(`?lead_id=${leadOfBuy}`)).toEqual([ids.buy]);
    expect(await listed("?operation_type=rent&stage=viewings")).toEqual([ids.rent]);
    expect(await listed("?operation_type=rent&stage=closing")).toEqual([]);
    expect(await listed(`?lead_id=${randomUUID()}`)).toEqual([]);
  });

  test("leaves closed operations out with open_only=true, and only then", async () => {
    expect(await listed("?open_only=true")).toEqual([ids.sell, ids.rent, ids.buy]);
    expect(await listed("?open_only=false")).toContain(ids.closed);
  });

  test.each([
    ["open_only=1", "open_only"],
    ["open_only=", "open_only"],
    ["operation_type=lease", "operation_type"],
    ["lead_id=1", "lead_id"],
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=-1", "limit"],
    ["limit=1.5", "limit"],
    ["limit=1e2", "limit"],
    ["limit=", "limit"],
    ["page=2", "page"],
    ["stage=offer&stage=viewings", "stage"],
    ["stage=a%00b", "stage"],
    ["Stage=offer", "Stage"],
    ["__proto__=1", "__proto__"],
  ])("refuses ?%s and names %s", async (query, path) => {
    const answer = await mine.client.get(`/operations?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toMatchObject({
      reason: "invalid_query",
      issues: [{ path }],
    });
  });

  test.each(["nowhere", "Offer", "", "x".repeat(5000)])(
    "refuses a stage that no flow has: %s",
    async (stage) => {
      const answer = await mine.client.get(`/operations?stage=${stage}`);
      expect(answer.status).toBe(422);
      expect(answer.body.error.details).toMatchObject({
        reason: "invalid_stage",
        issues: [{ path: "stage" }],
        stages: expect.arrayContaining(["qualification", "valuation", "handover", "sold"]),
      });
    },
  );
});

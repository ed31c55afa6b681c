import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Offer } from "../../../types/contracts/offers.ts";
import { one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
  tickStep,
} from "../agency.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

/** A buy operation that has chosen its property. */
async function withProperty(): Promise<{ operation_id: string; property_id: string }> {
  const operation_id = await createOperation(agency, "buy", "offer");
  const property_id = await createProperty(stack, agency.id);
  const answer = await agency.client.patch(`/operations/${operation_id}`, { property_id });
  expect(answer.status).toBe(200);
  return { operation_id, property_id };
}

describe("POST /offers", () => {
  test("answers 201 with the offer received, taking lead and property from the operation", async () => {
    const { operation_id, property_id } = await withProperty();
    const operation = (await agency.client.get(`/operations/${operation_id}`)).body.data;
    const answer = await agency.client.post("/offers", { operation_id, amount: 245000.5 });
    expect(answer.status).toBe(201);
    const { data } = one(Offer).parse(answer.body);
    expect(data).toMatchObject({
      operation_id,
      property_id,
      lead_id: operation.lead_id,
      amount: 245000.5,
      currency: "EUR",
      offer_type: "sale",
      notes: null,
      status: "received",
      accepted_at: null,
    });
    expect(data.public_token.length).toBeGreaterThanOrEqual(32);
    expect((await agency.client.get(`/offers/${data.id}`)).body).toEqual(answer.body);
  });

  test("neither moves the stage nor accepts the offer, and closes ofertaPreparada", async () => {
    const { operation_id } = await withProperty();
    await agency.client.post("/offers", { operation_id, amount: 1 });
    const { body } = await agency.client.get(`/operations/${operation_id}`);
    expect(body.data.stage).toBe("offer");
    expect(body.data.pending_actions.map((step: { id: string }) => step.id)).toEqual([
      "precioAcordado",
    ]);
  });

  test("prefers the property in the body, and keeps what else is sent", async () => {
    const { operation_id } = await withProperty();
    const property_id = await createProperty(stack, agency.id, "rent");
    const answer = await agency.client.post("/offers", {
      operation_id,
      property_id,
      amount: 900,
      currency: "usd",
      offer_type: "sale",
      notes: "Con muebles 🛋️",
    });
    expect(answer.body.data).toMatchObject({
      property_id,
      currency: "USD",
      offer_type: "sale",
      notes: "Con muebles 🛋️",
    });
  });

  test.each(["sale", "rent"] as const)(
    "follows the listing_type %s of the property when offer_type is left out",
    async (listing_type) => {
      const operation_id = await createOperation(agency, "rent");
      const property_id = await createProperty(stack, agency.id, listing_type);
      const answer = await agency.client.post("/offers", {
        operation_id,
        property_id,
        amount: 900,
      });
      expect(answer.body.data.offer_type).toBe(listing_type);
    },
  );

  test("refuses an offer without a property in body or operation", async () => {
    const operation_id = await createOperation(agency, "buy");
    const before = await fingerprint(stack);
    const answer = await agency.client.post("/offers", { operation_id, amount: 1 });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({
      code: "validation_error",
      details: { reason: "property_required" },
    });
    expect(await fingerprint(stack)).toBe(before);
  });

  test("refuses an operation that is unknown or closed", async () => {
    const unknown = await agency.client.post("/offers", { operation_id: randomUUID(), amount: 1 });
    expect(unknown.body.error.details).toMatchObject({
      reason: "unknown_reference",
      issues: [{ path: "operation_id" }],
    });
    const { operation_id } = await withProperty();
    await agency.client.patch(`/operations/${operation_id}`, { stage: "cancelled" });
    const closed = await agency.client.post("/offers", { operation_id, amount: 1 });
    expect(closed.status).toBe(422);
    expect(closed.body.error.details.reason).toBe("operation_closed");
  });

  test("refuses a property that is unknown", async () => {
    const operation_id = await createOperation(agency, "buy");
    const body = { operation_id, property_id: randomUUID(), amount: 1 };
    const answer = await agency.client.post("/offers", body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toMatchObject({
      reason: "unknown_reference",
      issues: [{ path: "property_id" }],
    });
  });
});

describe("An offer that is accepted by closing precioAcordado", () => {
  test("is accepted, returns its property to pending and pauses its listings", async () => {
    const { operation_id, property_id } = await withProperty();
    const first = await agency.client.post("/offers", { operation_id, amount: 1 });
    const latest = await agency.client.post("/offers", { operation_id, amount: 2 });
    await tickStep(stack, operation_id, "precioAcordado");

    const { body } = await agency.client.get(`/offers/${latest.body.data.id}`);
    expect(body.data.status).toBe("accepted");
    expect(body.data.accepted_at).not.toBeNull();
    const other = await agency.client.get(`/offers/${first.body.data.id}`);
    expect(other.body.data.status).toBe("received");

    const state = await stack.sql`
      select p.status as property, l.status as listing
      from public.properties p join public.listings l on l.property_id = p.id where p.id = ${property_id}`;
    expect([...state]).toEqual([{ property: "pending", listing: "paused" }]);
    const sample = await agency.client.get("/hooks/sample?event_type=offer_accepted");
    expect(sample.body.data).toEqual([body.data]);
  });
});

describe("GET /offers", () => {
  test("filters by operation_id, lead_id and status, newest first", async () => {
    const mine = await createAgency(stack);
    const property_id = await createProperty(stack, mine.id);
    const offers: { id: string; operation_id: string; lead_id: string }[] = [];
    for (let i = 0; i < 3; i++) {
      const operation_id = await createOperation(mine, "buy", "offer");
      const answer = await mine.client.post("/offers", {
        operation_id,
        property_id,
        amount: i + 1,
      });
      offers.unshift(answer.body.data);
    }
    const [, middle] = offers as [unknown, (typeof offers)[number]];
    await tickStep(stack, middle.operation_id, "precioAcordado");

    const listed = async (query: string) =>
      (await mine.client.get(`/offers${query}`)).body.data.map(
        (row: unknown) => Offer.parse(row).id,
      );
    expect(await listed("")).toEqual(offers.map(({ id }) => id));
    expect(await listed(`?operation_id=${middle.operation_id}`)).toEqual([middle.id]);
    expect(await listed(`?lead_id=${middle.lead_id}`)).toEqual([middle.id]);
    expect(await listed("?status=accepted")).toEqual([middle.id]);
    expect(await listed("?status=withdrawn")).toEqual([]);
  });

  test.each(["status=open", "operation_id=1", "lead_id=", "property_id=1"])(
    "refuses ?%s",
    async (query) => {
      const answer = await agency.client.get(`/offers?${query}`);
      expect(answer.status).toBe(422);
      expect(answer.body.error.details).toMatchObject({
        reason: "invalid_query",
        issues: [{ path: query.split("=")[0] }],
      });
    },
  );

  test("answers 404 for an unknown or malformed id", async () => {
    expect((await agency.client.get(`/offers/${randomUUID()}`)).status).toBe(404);
    expect((await agency.client.get("/offers/public")).status).toBe(404);
  });
});

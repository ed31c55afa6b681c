import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Document } from "../../../types/contracts/documents.ts";
import { CreatedHook, Hook } from "../../../types/contracts/hooks.ts";
import { Offer } from "../../../types/contracts/offers.ts";
import { Operation } from "../../../types/contracts/operations.ts";
import { listOf } from "../../../types/contracts/pages.ts";
import { Signature } from "../../../types/contracts/signatures.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createKey,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
  tickStep,
} from "../agency.ts";
import { clientOf } from "../client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

const EVENTS = ["deal_won", "offer_accepted", "signature_signed", "document_completed"] as const;

describe("POST /hooks", () => {
  test.each(EVENTS)(
    "subscribes to %s: 201 with a flat body that holds only id",
    async (event_type) => {
      const target_url = `https://example.com/${event_type}`;
      const answer = await agency.client.post("/hooks", { event_type, target_url });
      expect(answer.status).toBe(201);
      CreatedHook.parse(answer.body);
      expect(Object.keys(answer.body)).toEqual(["id"]);
    },
  );

  test("takes 20 of an event and no more, however they come; the same one again is not more", async () => {
    const own = await createAgency(stack);
    const hook = (n: number) => ({
      event_type: "deal_won",
      target_url: `https://example.com:8443/hook/${n}`,
    });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => own.client.post("/hooks", hook(n))),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(10);
    for (const { status, body } of refused) {
      expect(status).toBe(422);
      expect(body.error.details).toEqual({ reason: "too_many_hooks", max_hooks: 20 });
    }
    const taken = answers.findIndex(({ status }) => status === 201);
    const again = await own.client.post("/hooks", hook(taken));
    expect(again.body.id).toBe(answers[taken]?.body.id);
    const other = { ...hook(99), event_type: "offer_accepted" };
    expect((await own.client.post("/hooks", other)).status).toBe(201);
    await own.client.delete(`/hooks/${again.body.id}`);
    expect((await own.client.post("/hooks", hook(99))).status).toBe(201);
  });

  test("answers 201 with the same id for the same event and URL", async () => {
    const body = { event_type: "deal_won", target_url: "https://example.com/same" };
    const first = await agency.client.post("/hooks", body);
    const second = await agency.client.post("/hooks", body);
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    const other = await agency.client.post("/hooks", { ...body, event_type: "offer_accepted" });
    expect(other.body.id).not.toBe(first.body.id);
  });

  test.each([
    "https://EXAMPLE.com/one",
    "https://example.com:443/one",
    "https://example.com/one#a",
    "https://example.com./one",
  ])("takes %s for the target that it is, which gets an event once", async (spelling) => {
    const body = { event_type: "deal_won", target_url: "https://example.com/one" };
    const first = await agency.client.post("/hooks", body);
    const second = await agency.client.post("/hooks", { ...body, target_url: spelling });
    expect(second.body).toEqual(first.body);
  });

  test.each([
    "http://example.com/hook",
    "ftp://example.com/hook",
    "example.com/hook",
    "javascript:alert(1)",
    "https://",
    "https://user:password@example.com/hook",
    "https://localhost/hook",
    "https://127.0.0.1/hook",
    "https://2130706433/hook",
    "https://0x7f.1/hook",
    "https://10.1.2.3/hook",
    "https://172.16.0.1/hook",
    "https://192.168.1.1/hook",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/hook",
    "https://0.0.0.0/hook",
    "https://[::1]/hook",
    "https://[::ffff:127.0.0.1]/hook",
    "https://[fd00::1]/hook",
    "https://metadata.google.internal/hook",
    "https://intranet/hook",
    "https://example.com:0/hook",
    `https://example.com/${"ñ".repeat(700)}`,
  ])("refuses the target %s", async (target_url) => {
    const before = await fingerprint(stack);
    const answer = await agency.client.post("/hooks", { event_type: "deal_won", target_url });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({
      code: "validation_error",
      details: { reason: "invalid_target", issues: [{ path: "target_url" }] },
    });
    expect(await fingerprint(stack)).toBe(before);
  });

  test.each([
    [
      "an unknown event",
      { event_type: "deal_lost", target_url: "https://example.com" },
      "event_type",
    ],
    ["no event", { target_url: "https://example.com" }, "event_type"],
    ["no target", { event_type: "deal_won" }, "target_url"],
    ["an empty target", { event_type: "deal_won", target_url: " " }, "target_url"],
    ["a target that is no text", { event_type: "deal_won", target_url: 1 }, "target_url"],
    [
      "a target that is too long",
      { event_type: "deal_won", target_url: `https://example.com/${"x".repeat(2000)}` },
      "target_url",
    ],
    [
      "an unknown member",
      { event_type: "deal_won", target_url: "https://example.com", secret: "x" },
      "secret",
    ],
  ])("refuses %s", async (_, body, path) => {
    const before = await fingerprint(stack);
    const answer = await agency.client.post("/hooks", body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toMatchObject({ reason: "invalid_body", issues: [{ path }] });
    expect(await fingerprint(stack)).toBe(before);
  });
});

describe("DELETE /hooks/{id}", () => {
  test("answers 204 always: the first time, repeated, unknown, malformed", async () => {
    const body = { event_type: "deal_won", target_url: "https://example.com/gone" };
    const { id } = (await agency.client.post("/hooks", body)).body;
    for (const path of [id, id, randomUUID(), "not-a-uuid", "%00"]) {
      const answer = await agency.client.delete(`/hooks/${path}`);
      expect(answer.status).toBe(204);
      expect(answer.text).toBe("");
      expect(answer.headers.get("ratelimit-remaining")).not.toBeNull();
    }
    expect((await agency.client.get("/hooks?limit=200")).text).not.toContain(id);
  });

  test("deletes whatever the permissions of the key", async () => {
    const body = { event_type: "deal_won", target_url: "https://example.com/any" };
    const { id } = (await agency.client.post("/hooks", body)).body;
    const key = await createKey(stack, agency.id, { permissions: ["documents:read"] });
    expect((await clientOf(stack.baseUrl, key).delete(`/hooks/${id}`)).status).toBe(204);
    expect((await agency.client.get("/hooks?limit=200")).text).not.toContain(id);
  });

  test("leaves another agency's hook", async () => {
    const other = await createAgency(stack);
    const body = { event_type: "deal_won", target_url: "https://example.com/theirs" };
    const { id } = (await other.client.post("/hooks", body)).body;
    expect((await agency.client.delete(`/hooks/${id}`)).status).toBe(204);
    expect((await other.client.get("/hooks")).body.data).toMatchObject([{ id }]);
  });

  test("needs a credential, even for an id that is none", async () => {
    expect((await clientOf(stack.baseUrl).delete("/hooks/not-a-uuid")).status).toBe(401);
    const unknown = clientOf(stack.baseUrl, `cor_00000000_${"0".repeat(48)}`);
    expect((await unknown.delete("/hooks/not-a-uuid")).status).toBe(401);
  });
});

describe("GET /hooks", () => {
  test("lists the agency's hooks, newest first, of the events that the key may read", async () => {
    const mine = await createAgency(stack);
    const ids: string[] = [];
    for (const event_type of EVENTS) {
      const body = { event_type, target_url: "https://example.com/list" };
      ids.unshift((await mine.client.post("/hooks", body)).body.id);
    }
    const { body } = await mine.client.get("/hooks");
    expect(
      listOf(Hook)
        .parse(body)
        .data.map(({ id }) => id),
    ).toEqual(ids);

    const key = await createKey(stack, mine.id, { permissions: ["offers:read"] });
    const limited = await clientOf(stack.baseUrl, key).get("/hooks");
    expect(limited.body.data).toMatchObject([{ event_type: "offer_accepted" }]);
  });
});

describe("GET /hooks/sample", () => {
  test("shows rows already in the state of each event, as their lists show them", async () => {
    const mine = await createAgency(stack);
    const { sql } = stack;
    const won = await createOperation(mine, "buy", "closing");
    await mine.client.patch(`/operations/${won}`, { stage: "won" });
    await createOperation(mine, "buy");
    const property_id = await createProperty(stack, mine.id);
    const operation_id = await createOperation(mine, "buy", "offer");
    const offer = await mine.client.post("/offers", { operation_id, amount: 5, property_id });
    await tickStep(stack, operation_id, "precioAcordado");
    await sql`insert into public.documents (agency_id, operation_id, status)
      values (${mine.id}, ${won}, 'received'), (${mine.id}, ${won}, 'requested')`;
    await sql`insert into public.signatures (agency_id, operation_id, status)
      values (${mine.id}, ${won}, 'signed'), (${mine.id}, ${won}, 'sent')`;

    const sample = async (event: string) =>
      (await mine.client.get(`/hooks/sample?event_type=${event}`)).body;
    expect(listOf(Operation).parse(await sample("deal_won")).data).toEqual([
      (await mine.client.get(`/operations/${won}`)).body.data,
    ]);
    expect(listOf(Offer).parse(await sample("offer_accepted")).data).toEqual([
      (await mine.client.get(`/offers/${offer.body.data.id}`)).body.data,
    ]);
    expect(listOf(Signature).parse(await sample("signature_signed")).data).toMatchObject([
      { operation_id: won, status: "signed" },
    ]);
    expect(listOf(Document).parse(await sample("document_completed")).data).toMatchObject([
      { operation_id: won, status: "received" },
    ]);
  });

  test.each([
    ["", "event_type"],
    ["?event_type=", "event_type"],
    ["?event_type=deal_lost", "event_type"],
    ["?event_type=deal_won&since=1", "since"],
  ])("refuses %j", async (query, path) => {
    const answer = await agency.client.get(`/hooks/sample${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body.error.details).toMatchObject({
      reason: "invalid_query",
      issues: [{ path }],
    });
  });
});

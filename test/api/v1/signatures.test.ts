import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { one } from "../../../types/contracts/pages.ts";
import { Signature } from "../../../types/contracts/signatures.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createKey,
  createOperation,
  fingerprint,
  type TestAgency,
} from "../agency.ts";
import { clientOf } from "../client.ts";
import { describeReads, expectRefused, idsOf } from "../reads.ts";

let stack: TestStack;
let agency: TestAgency;
let operation_id: string;
let document_id: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

beforeEach(async () => {
  agency = await createAgency(stack);
  operation_id = await createOperation(agency, "sell");
  document_id = await createDocument(agency, operation_id);
});

async function createDocument(owner: TestAgency, operation: string): Promise<string> {
  const body = { operation_id: operation, kind: "contract" };
  return (await owner.client.post("/documents", body)).body.data.id;
}

async function prepare(more: object = {}): Promise<string> {
  const answer = await agency.client.post("/signatures", { document_id, ...more });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.id;
}

describeReads({
  path: "/signatures",
  row: Signature,
  permission: "signatures:read",
  stack: () => stack,
  async create(owner) {
    const body = { operation_id: await createOperation(owner, "buy") };
    return (await owner.client.post("/signatures", body)).body.data.id;
  },
});

describe("GET /signatures", () => {
  test("filters by operation, document, status and signer", async () => {
    const ana = await prepare({ signer_email: "Ana@Correo.example", status: "sent" });
    const other = await createOperation(agency, "buy");
    const luis = await prepare({ document_id: null, operation_id: other });

    expect(await idsOf(agency, `/signatures?operation_id=${operation_id}`)).toEqual([ana]);
    expect(await idsOf(agency, `/signatures?operation_id=${other}`)).toEqual([luis]);
    expect(await idsOf(agency, `/signatures?document_id=${document_id}`)).toEqual([ana]);
    expect(await idsOf(agency, "/signatures?status=draft")).toEqual([luis]);
    expect(await idsOf(agency, "/signatures?signer_email=ANA@correo.example")).toEqual([ana]);
    expectRefused(await agency.client.get("/signatures?status=done"), "invalid_query", "status");
  });

  test("shows the object that the event carries", async () => {
    const hook = { event_type: "signature_signed", target_url: "https://example.com/hook" };
    await agency.client.post("/hooks", hook);
    const id = await prepare({ status: "sent" });
    await agency.client.patch(`/signatures/${id}`, { status: "signed" });
    const [event] = await stack.sql<{ body: string }[]>`
      select private.event_body(event_type, agency_id, subject_id) as body
      from public.events where subject_id = ${id}`;
    const { body } = await agency.client.get("/signatures");
    expect(JSON.parse(event?.body ?? "")).toEqual(body.data[0]);
  });
});

describe("POST /signatures", () => {
  test("answers 201 with a draft that takes its operation from the document", async () => {
    const body = { document_id, signer_name: " Ana Ruiz ", signer_email: " Ana@Correo.example " };
    const answer = await agency.client.post("/signatures", body);
    expect(answer.status).toBe(201);
    expect(one(Signature).parse(answer.body).data).toMatchObject({
      document_id,
      operation_id,
      signer_name: "Ana Ruiz",
      signer_email: "ana@correo.example",
      status: "draft",
      signed_at: null,
    });
  });

  test.each([
    ["document_id", { document_id: null }],
    ["document_id", { document_id: "1" }],
    ["signer_email", { signer_email: "ana" }],
    ["signer_name", { signer_name: "x".repeat(201) }],
    ["status", { status: "signed" }],
    ["signed_at", { signed_at: "2027-01-01T00:00:00Z" }],
  ])("refuses a body and names %s: %j", async (path, more) => {
    const answer = await agency.client.post("/signatures", { document_id, ...more });
    expectRefused(answer, "invalid_body", path);
  });

  test("refuses what another agency has, and a document of another operation", async () => {
    const other = await createAgency(stack);
    const foreign = await createOperation(other, "buy");
    const hidden = await createDocument(other, foreign);
    const sibling = await createOperation(agency, "buy");
    const before = await fingerprint(stack);
    for (const [path, more] of [
      ["document_id", { document_id: hidden }],
      ["operation_id", { operation_id: foreign }],
      ["document_id", { document_id: randomUUID() }],
      ["document_id", { operation_id: sibling }],
    ] as const) {
      const answer = await agency.client.post("/signatures", { document_id, ...more });
      expectRefused(answer, "unknown_reference", path);
    }
    expect(await fingerprint(stack)).toBe(before);
  });

  test("replays the answer to the same Idempotency-Key", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await agency.client.post("/signatures", { document_id }, headers);
    const second = await agency.client.post("/signatures", { document_id }, headers);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.body).toEqual(first.body);
    expect(await idsOf(agency, "/signatures")).toHaveLength(1);
  });
});

describe("PATCH /signatures/{id}", () => {
  function change(id: string, status: unknown) {
    return agency.client.patch(`/signatures/${id}`, { status });
  }

  test("signed dates it and queues the event, once", async () => {
    const hook = { event_type: "signature_signed", target_url: "https://example.com/hook" };
    await agency.client.post("/hooks", hook);
    const id = await prepare();
    const first = await change(id, "signed");
    expect(one(Signature).parse(first.body).data.signed_at).not.toBeNull();
    const answers = await Promise.all(Array.from({ length: 5 }, () => change(id, "signed")));
    for (const answer of answers) expect(answer.body).toEqual(first.body);
    const events = await stack.sql`select from public.events where subject_id = ${id}`;
    expect(events).toHaveLength(1);
  });

  test("lets one of two contrary answers through", async () => {
    const id = await prepare({ status: "sent" });
    const answers = await Promise.all([change(id, "signed"), change(id, "declined")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  const statuses = ["draft", "sent", "signed", "declined", "expired"];
  const rank = { draft: 0, sent: 1, signed: 2, declined: 2, expired: 2 } as Record<string, number>;
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))(
    "from %s to %s goes forward or is refused",
    async (from, to) => {
      const id = await prepare();
      await stack.sql`update public.signatures set status = ${from} where id = ${id}`;
      const before = await fingerprint(stack);
      const answer = await change(id, to);
      if (from === to || Number(rank[to]) > Number(rank[from])) {
        expect(answer.status).toBe(200);
        expect(answer.body.data.status).toBe(to);
      } else {
        expectRefused(answer, "invalid_transition");
      }
      if (from === to || answer.status !== 200) expect(await fingerprint(stack)).toBe(before);
    },
  );

  test("refuses what is no status, and a patch of nothing", async () => {
    const id = await prepare();
    expectRefused(await change(id, "done"), "invalid_body", "status");
    expectRefused(await agency.client.patch(`/signatures/${id}`, {}), "nothing_to_change");
  });

  test("answers 404 for another agency's signature, and needs signatures:write", async () => {
    const id = await prepare();
    const other = await createAgency(stack);
    expect((await other.client.patch(`/signatures/${id}`, { status: "sent" })).status).toBe(404);
    const key = await createKey(stack, agency.id, { permissions: ["signatures:read"] });
    const reader = clientOf(stack.baseUrl, key);
    expect((await reader.patch(`/signatures/${id}`, { status: "sent" })).status).toBe(403);
    expect((await reader.post("/signatures", { document_id })).status).toBe(403);
    expect((await agency.client.get(`/signatures/${id}`)).body.data.status).toBe("draft");
  });
});

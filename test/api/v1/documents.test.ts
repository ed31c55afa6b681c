import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Document, DocumentWithUpload } from "../../../types/contracts/documents.ts";
import { one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createKey,
  createLead,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
} from "../agency.ts";
import { clientOf } from "../client.ts";
import { describeReads, expectRefused, idsOf } from "../reads.ts";

let stack: TestStack;
let agency: TestAgency;
let operation_id: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

beforeEach(async () => {
  agency = await createAgency(stack);
  operation_id = await createOperation(agency, "buy", "viewings");
});

async function ask(body: object): Promise<string> {
  const answer = await agency.client.post("/documents", body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.id;
}

describeReads({
  path: "/documents",
  row: Document,
  permission: "documents:read",
  stack: () => stack,
  async create(owner) {
    const lead_id = await createLead(owner);
    return (await owner.client.post("/documents", { lead_id })).body.data.id;
  },
});

describe("GET /documents", () => {
  test("filters by operation, lead, property, kind and status", async () => {
    const lead_id = await createLead(agency);
    const property_id = await createProperty(stack, agency.id);
    const deed = await ask({ operation_id, kind: "deed" });
    const identity = await ask({ lead_id, kind: "identity" });
    const note = await ask({ property_id, kind: "land_registry_note" });
    await agency.client.patch(`/documents/${note}`, { status: "received" });

    expect(await idsOf(agency, `/documents?operation_id=${operation_id}`)).toEqual([deed]);
    expect(await idsOf(agency, `/documents?lead_id=${lead_id}`)).toEqual([identity]);
    expect(await idsOf(agency, `/documents?property_id=${property_id}`)).toEqual([note]);
    expect(await idsOf(agency, "/documents?kind=deed")).toEqual([deed]);
    expect(await idsOf(agency, "/documents?status=requested")).toEqual([identity, deed]);
    expect(await idsOf(agency, "/documents?status=received&kind=deed")).toEqual([]);
    expectRefused(await agency.client.get("/documents?kind=letter"), "invalid_query", "kind");
    expectRefused(await agency.client.get("/documents?status=lost"), "invalid_query", "status");
  });

  test("shows the object that the event carries", async () => {
    const hook = { event_type: "document_completed", target_url: "https://example.com/hook" };
    await agency.client.post("/hooks", hook);
    const id = await ask({ operation_id, kind: "deed", name: "Escritura" });
    await agency.client.patch(`/documents/${id}`, { status: "verified" });
    const [event] = await stack.sql<{ body: string }[]>`
      select private.event_body(event_type, agency_id, subject_id) as body
      from public.events where subject_id = ${id}`;
    const { body } = await agency.client.get("/documents");
    expect(JSON.parse(event?.body ?? "")).toEqual(body.data[0]);
  });
});

describe("POST /documents", () => {
  test("answers 201 with a document that is asked for, and no upload without a file", async () => {
    const body = { operation_id, kind: "identity", name: "DNI de María" };
    const answer = await agency.client.post("/documents", body);
    expect(answer.status).toBe(201);
    expect(DocumentWithUpload.parse(answer.body)).toMatchObject({
      data: {
        operation_id,
        lead_id: null,
        property_id: null,
        kind: "identity",
        name: "DNI de María",
        status: "requested",
        completed_at: null,
        content_type: null,
        size_bytes: null,
        uploaded_at: null,
      },
      upload: null,
    });
  });

  test.each([
    ["operation_id", {}],
    ["operation_id", { operation_id: null }],
    ["kind", { kind: "letter" }],
    ["name", { name: " " }],
    ["name", { name: "x".repeat(301) }],
    ["name", { name: "a\u0000b" }],
    ["size_bytes", { content_type: "application/pdf" }],
    ["content_type", { size_bytes: 10 }],
    ["content_type", { content_type: "text/html", size_bytes: 10 }],
    ["content_type", { content_type: "application/x-msdownload", size_bytes: 10 }],
    ["size_bytes", { content_type: "application/pdf", size_bytes: 20 * 1024 * 1024 + 1 }],
    ["size_bytes", { content_type: "application/pdf", size_bytes: 0 }],
    ["status", { status: "verified" }],
  ])("refuses a body and names %s: %j", async (path, more) => {
    const base = path === "operation_id" ? {} : { operation_id };
    const before = await fingerprint(stack);
    expectRefused(
      await agency.client.post("/documents", { ...base, ...more }),
      "invalid_body",
      path,
    );
    expect(await fingerprint(stack)).toBe(before);
  });

  test("refuses what another agency has, by its path", async () => {
    const other = await createAgency(stack);
    const body = {
      lead_id: await createLead(other),
      property_id: await createProperty(stack, other.id),
      operation_id: await createOperation(other, "buy"),
    };
    for (const [path, value] of [...Object.entries(body), ["lead_id", randomUUID()]] as const) {
      const answer = await agency.client.post("/documents", { [path]: value });
      expectRefused(answer, "unknown_reference", path);
    }
  });

  test("replays the document to the same Idempotency-Key, with an upload that works", async () => {
    const body = { operation_id, content_type: "application/pdf", size_bytes: 3 };
    const headers = { "idempotency-key": "once" };
    const first = await agency.client.post("/documents", body, headers);
    const second = await agency.client.post("/documents", body, headers);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.body.data).toEqual(first.body.data);
    expect(DocumentWithUpload.parse(second.body).upload).not.toBeNull();
  });

  test("needs documents:write", async () => {
    const key = await createKey(stack, agency.id, { permissions: ["documents:read"] });
    const answer = await clientOf(stack.baseUrl, key).post("/documents", { operation_id });
    expect(answer.body.error.details).toEqual({ required_permission: "documents:write" });
  });
});

describe("PATCH /documents/{id}", () => {
  function change(id: string, status: unknown) {
    return agency.client.patch(`/documents/${id}`, { status });
  }

  test("received dates it, and a received viewing sheet closes propiedadesVisitadas", async () => {
    const id = await ask({ operation_id, kind: "viewing_sheet" });
    const answer = await change(id, "received");
    expect(answer.status).toBe(200);
    const { data } = one(Document).parse(answer.body);
    expect(data).toMatchObject({ status: "received", completed_at: expect.any(String) });
    const operation = await agency.client.get(`/operations/${operation_id}`);
    expect(operation.body.data.pending_actions).toMatchObject([{ id: "favoritaElegida" }]);
    expect((await change(id, "verified")).body.data.completed_at).toBe(data.completed_at);
  });

  const forward = ["requested>received", "requested>verified", "requested>rejected"].concat(
    ["received>verified", "received>rejected"],
    ["requested", "received", "verified", "rejected"].map((same) => `${same}>${same}`),
  );
  const statuses = ["requested", "received", "verified", "rejected"];
  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to] as const)))(
    "from %s to %s goes forward or is refused",
    async (from, to) => {
      const id = await ask({ operation_id });
      await stack.sql`update public.documents set status = ${from} where id = ${id}`;
      const before = await fingerprint(stack);
      const answer = await change(id, to);
      if (forward.includes(`${from}>${to}`)) {
        expect(answer.status).toBe(200);
        expect(answer.body.data.status).toBe(to);
      } else {
        expectRefused(answer, "invalid_transition");
      }
      if (from === to || answer.status !== 200) expect(await fingerprint(stack)).toBe(before);
    },
  );

  test("refuses what is no status, and a patch of nothing", async () => {
    const id = await ask({ operation_id });
    expectRefused(await change(id, "lost"), "invalid_body", "status");
    expectRefused(await change(id, null), "invalid_body", "status");
    expectRefused(await agency.client.patch(`/documents/${id}`, {}), "nothing_to_change");
  });

  test("answers 404 for another agency's document and leaves it as it was", async () => {
    const id = await ask({ operation_id });
    const other = await createAgency(stack);
    const before = await fingerprint(stack);
    expect((await other.client.patch(`/documents/${id}`, { status: "verified" })).status).toBe(404);
    expect(await fingerprint(stack)).toBe(before);
  });
});

import { randomUUID } from "node:crypto";
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DocumentWithUpload, Download } from "../../../types/contracts/documents.ts";
import { one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, createOperation, type TestAgency } from "../agency.ts";
import { clientOf } from "../client.ts";
import { expectRefused } from "../reads.ts";

let stack: TestStack;
let agency: TestAgency;
let operation_id: string;

const PDF = new TextEncoder().encode("%PDF-1.7 hola");
const pdf = { content_type: "application/pdf", size_bytes: PDF.byteLength };

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

beforeEach(async () => {
  agency = await createAgency(stack);
  operation_id = await createOperation(agency, "buy", "viewings");
});

async function announce(more: object = {}) {
  const answer = await agency.client.post("/documents", { operation_id, ...pdf, ...more });
  expect(answer.status, answer.text).toBe(201);
  return DocumentWithUpload.parse(answer.body);
}

function put(url = "", body: BodyInit = PDF, type = "application/pdf"): Promise<Response> {
  return fetch(url, { method: "PUT", headers: { "content-type": type }, body });
}

/** Storage as supabase-js calls it, with the agency's key as the function sends it. */
function storageAs(owner: TestAgency) {
  const headers = { "x-corredor-key": owner.key };
  const client = createClient(stack.baseUrl, stack.publishableKey, { global: { headers } });
  return client.storage.from("documents");
}

function pathOf(url: string): string {
  return decodeURI(new URL(url).pathname.replace(/^.*\/documents\//, ""));
}

describe("the file of a document", () => {
  test("is uploaded to a signed URL below the agency and the document", async () => {
    const { data, upload } = await announce({ name: "DNI María (anverso).PDF" });
    expect(upload).toMatchObject({ method: "PUT", headers: { "content-type": "application/pdf" } });
    expect(pathOf(upload?.url ?? "")).toBe(`${agency.id}/${data.id}/dni-maria-anverso.pdf`);
    expect(Date.parse(upload?.expires_at ?? "") - Date.now()).toBeGreaterThan(60 * 60 * 1000);
    expect((await put(upload?.url)).status).toBe(200);
  });

  test("makes a requested document received, once it is there", async () => {
    const { data, upload } = await announce({ kind: "viewing_sheet" });
    expect(data).toMatchObject({ ...pdf, status: "requested", uploaded_at: null });
    await put(upload?.url);
    const { body } = await agency.client.get(`/documents/${data.id}`);
    expect(body.data).toMatchObject({
      ...pdf,
      status: "received",
      completed_at: expect.any(String),
      uploaded_at: expect.any(String),
    });
    const operation = await agency.client.get(`/operations/${operation_id}`);
    expect(operation.body.data.pending_actions).toMatchObject([{ id: "favoritaElegida" }]);
  });

  test("arrives whatever else the uploader's request says about who they are", async () => {
    const other = await createAgency(stack);
    const headers = { "content-type": "application/pdf", authorization: "Bearer x" };
    for (const key of ["cor_x", other.key]) {
      const { data, upload } = await announce({ kind: "viewing_sheet" });
      const sent = await fetch(upload?.url ?? "", {
        method: "PUT",
        headers: { ...headers, "x-corredor-key": key },
        body: PDF,
      });
      expect(sent.status, await sent.text()).toBe(200);
      expect((await agency.client.get(`/documents/${data.id}`)).body.data.status).toBe("received");
    }
  });

  test("is downloaded by a signed URL under its name", async () => {
    const { data, upload } = await announce({ name: "Contrato" });
    await put(upload?.url);
    const answer = await agency.client.get(`/documents/${data.id}/download`);
    expect(answer.status).toBe(200);
    const download = one(Download).parse(answer.body).data;
    const file = await fetch(download.url);
    expect(file.status).toBe(200);
    expect(file.headers.get("content-type")).toBe("application/pdf");
    expect(file.headers.get("content-disposition")).toContain("contrato.pdf");
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(PDF);
  });

  test("is not there before it was uploaded, and not for another agency", async () => {
    const { data, upload } = await announce();
    expect((await agency.client.get(`/documents/${data.id}/download`)).status).toBe(404);
    await put(upload?.url);
    const other = await createAgency(stack);
    expect((await other.client.get(`/documents/${data.id}/download`)).status).toBe(404);
    expect((await other.client.post(`/documents/${data.id}/upload`, pdf)).status).toBe(404);
  });

  test.each(["received", "verified"])(
    "makes the document %s when it is there, and no request does before",
    async (status) => {
      const { data, upload } = await announce();
      const early = await agency.client.patch(`/documents/${data.id}`, { status });
      expectRefused(early, "invalid_transition");
      expect((await agency.client.get(`/documents/${data.id}`)).body.data).toEqual(data);
      await put(upload?.url);
      const answer = await agency.client.patch(`/documents/${data.id}`, { status });
      expect(answer.status).toBe(200);
      expect(answer.body.data.status).toBe(status);
    },
  );

  test("that never comes keeps nobody from rejecting the document", async () => {
    const { data } = await announce();
    const answer = await agency.client.patch(`/documents/${data.id}`, { status: "rejected" });
    expect(answer.status).toBe(200);
  });

  test("of a document on paper may come after it was received, or not at all", async () => {
    const asked = await agency.client.post("/documents", { operation_id });
    const path = `/documents/${asked.body.data.id}`;
    await agency.client.patch(path, { status: "received" });
    expect((await agency.client.post(`${path}/upload`, pdf)).status).toBe(201);
    const answer = await agency.client.patch(path, { status: "verified" });
    expect(answer.body.data).toMatchObject({ status: "verified", uploaded_at: null });
  });

  test("may be smaller than it was announced, and is not taken when it is larger", async () => {
    const { data, upload } = await announce({ size_bytes: PDF.byteLength + 1 });
    const larger = new Uint8Array(PDF.byteLength + 2);
    const refused = await put(upload?.url, larger);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      statusCode: "403",
      message: "The file has 15 bytes, and at most the announced 14 are taken.",
    });
    expect((await agency.client.get(`/documents/${data.id}`)).body.data).toEqual(data);
    expect((await put(upload?.url)).status).toBe(200);
    const { body } = await agency.client.get(`/documents/${data.id}`);
    expect(body.data).toMatchObject({ status: "received", size_bytes: PDF.byteLength });
  });

  test("is not empty", async () => {
    const { data, upload } = await announce();
    const refused = await put(upload?.url, "");
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ message: "The file is empty." });
    expect((await agency.client.get(`/documents/${data.id}`)).body.data).toEqual(data);
  });

  test("larger than announced is not taken either when its length is not told", async () => {
    const { data, upload } = await announce();
    const body = new Blob([PDF, PDF]).stream();
    const sent = { method: "PUT", headers: { "content-type": "application/pdf" }, body };
    const refused = await fetch(upload?.url ?? "", { ...sent, duplex: "half" } as RequestInit);
    expect(refused.status).toBe(400);
    expect((await refused.json()).message).toContain("at most the announced 13 are taken");
    expect((await agency.client.get(`/documents/${data.id}`)).body.data).toEqual(data);
  });

  test("is not replaced by a URL that was signed to do so", async () => {
    const { data, upload } = await announce();
    const path = pathOf(upload?.url ?? "");
    const signed = await storageAs(agency).createSignedUploadUrl(path, { upsert: true });
    expect((await put(upload?.url)).status).toBe(200);
    const refused = await put(signed.data?.signedUrl, "%PDF other");
    expect(refused.status).toBe(400);
    expect((await refused.json()).message).toContain("neither moved nor replaced");
    const download = await agency.client.get(`/documents/${data.id}/download`);
    const file = await fetch(download.body.data.url);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(PDF);
  });

  test("arrives once: a second upload is refused, and the first file stays", async () => {
    const { data, upload } = await announce();
    await put(upload?.url);
    const second = await put(upload?.url, "%PDF other");
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ statusCode: "409", error: "Duplicate" });
    const again = await agency.client.post(`/documents/${data.id}/upload`, pdf);
    expect(again.status).toBe(409);
    expect(again.body.error.code).toBe("conflict");
  });

  test("may be announced later, and again as another type while it is not there", async () => {
    const asked = await agency.client.post("/documents", { operation_id });
    const path = `/documents/${asked.body.data.id}/upload`;
    const first = DocumentWithUpload.parse((await agency.client.post(path, pdf)).body);
    const body = { content_type: "image/jpeg", size_bytes: 3 };
    const answer = await agency.client.post(path, body);
    expect(answer.status).toBe(201);
    const second = DocumentWithUpload.parse(answer.body);
    expect(second.data).toMatchObject(body);
    const late = await put(first.upload?.url);
    expect(late.status).toBe(400);
    expect((await late.json()).message).toContain("announced as another one");
    expect((await put(second.upload?.url, "jpg", "image/jpeg")).status).toBe(200);
  });

  test("is uploaded and downloaded by a signed-in agent as well", async () => {
    const user = randomUUID();
    const email = `${user}@agencia.example`;
    await stack.sql`insert into auth.users (id, email) values (${user}, ${email})`;
    await stack.sql`
      insert into public.agents (agency_id, name, email, role, user_id)
      values (${agency.id}, 'Ana', ${email}, 'agent', ${user})`;
    const ana = clientOf(stack.baseUrl, stack.accessToken({ sub: user }));
    const { body } = await ana.post("/documents", { operation_id, ...pdf });
    expect((await put(DocumentWithUpload.parse(body).upload?.url)).status).toBe(200);
    const download = await ana.get(`/documents/${body.data.id}/download`);
    expect((await fetch(download.body.data.url)).status).toBe(200);
  });

  test.each([
    ["size_bytes", { ...pdf, size_bytes: 20 * 1024 * 1024 + 1 }],
    ["content_type", { ...pdf, content_type: "image/gif" }],
    ["content_type", { size_bytes: 1 }],
  ])("is refused before it is uploaded, naming %s: %j", async (path, body) => {
    const asked = await agency.client.post("/documents", { operation_id });
    const answer = await agency.client.post(`/documents/${asked.body.data.id}/upload`, body);
    expectRefused(answer, "invalid_body", path);
  });
});

describe("the bucket", () => {
  test("takes no other kind and no larger file than it says, whatever was announced", async () => {
    const { data, upload } = await announce({ size_bytes: 20 * 1024 * 1024 });
    expect(await (await put(upload?.url, "<html>", "text/html")).json()).toMatchObject({
      statusCode: "415",
    });
    const large = new Uint8Array(20 * 1024 * 1024 + 1);
    expect(await (await put(upload?.url, large)).json()).toMatchObject({ statusCode: "413" });
    const { body } = await agency.client.get(`/documents/${data.id}`);
    expect(body.data).toMatchObject({ status: "requested", uploaded_at: null });
    expect((await put(upload?.url, large.slice(1))).status).toBe(200);
  });

  test("signs with supabase-js as well, for documents of the caller's agency", async () => {
    const { data, upload } = await announce();
    const path = pathOf(upload?.url ?? "");
    const signed = await storageAs(agency).createSignedUploadUrl(path);
    const file = new Blob([PDF], { type: "application/pdf" });
    const sent = await storageAs(agency).uploadToSignedUrl(path, signed.data?.token ?? "", file);
    expect(sent.error).toBeNull();
    const download = await storageAs(agency).createSignedUrl(path, 60);
    expect((await fetch(download.data?.signedUrl ?? "")).status).toBe(200);
    expect((await agency.client.get(`/documents/${data.id}`)).body.data.status).toBe("received");
  });

  test("signs nothing for another agency, for nobody, or where no document waits", async () => {
    const { upload } = await announce();
    const path = pathOf(upload?.url ?? "");
    const other = await createAgency(stack);
    const nobody = createClient(stack.baseUrl, stack.publishableKey).storage.from("documents");
    for (const storage of [storageAs(other), nobody]) {
      expect((await storage.createSignedUploadUrl(path)).error?.message).toContain("row-level");
    }
    const elsewhere = `${agency.id}/elsewhere/file.pdf`;
    expect((await storageAs(agency).createSignedUploadUrl(elsewhere)).error).not.toBeNull();

    await put(upload?.url);
    for (const storage of [storageAs(other), nobody]) {
      expect((await storage.createSignedUrl(path, 60)).error?.message).toBe("Object not found");
    }
  });

  test("refuses a URL whose token is missing, another's or for something else", async () => {
    const mine = (await announce()).upload?.url ?? "";
    const url = (await announce()).upload?.url ?? "";
    const bare = url.split("?")[0] ?? "";
    const foreign = `${bare}?token=${new URL(mine).searchParams.get("token")}`;
    for (const wrong of [bare, `${bare}?token=x`, foreign]) {
      expect((await put(wrong)).status).toBe(400);
    }
    const asDownload = url.replace("/upload/sign/", "/sign/");
    expect((await fetch(asDownload)).status).toBe(400);
    expect((await put(url)).status).toBe(200);
  });
});

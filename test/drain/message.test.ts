import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { World } from "./world.ts";

let world: World;
let agency: string;
let key: string;

beforeAll(async () => {
  world = await World.open({ functions: ["api", "drain"] });
  agency = await world.stack.createAgency();
  key = await world.stack.createApiKey(agency);
});
afterAll(() => world?.close());
afterEach(() => world.stack.sql`delete from public.subscriptions`);

async function get(path: string): Promise<{ data: Record<string, unknown>[] }> {
  const response = await fetch(`${world.stack.baseUrl}/api/v1${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { data: Record<string, unknown>[] };
}

async function post(path: string, body: unknown): Promise<Response> {
  return fetch(`${world.stack.baseUrl}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

test("a delivery is a POST with the headers of the contract and a signature over its exact bytes", async () => {
  const secret = "clave secreta de la agencia ñ";
  await world.stack.sql`select admin.set_signing_secret(${agency}, ${secret})`;
  await world.subscribe(agency, world.receiver.url("/signed"));
  const [document] = await world.completeDocuments(agency);
  await world.drain();
  const [received] = world.receiver.at("/signed");
  const event = await world.event(document);
  expect(received?.method).toBe("POST");
  expect(received?.headers).toMatchObject({
    "content-type": "application/json",
    "x-service-event": "document_completed",
    "x-service-delivery": event.id,
    "x-service-signature": `sha256=${createHmac("sha256", secret)
      .update(received?.bytes ?? "")
      .digest("hex")}`,
  });
  expect(received?.bytes.toString()).toBe(event.body);
  expect(received?.bytes.toString()).toContain("🏠");
});

test("a new secret signs from the next run on, and without one the signature header is omitted", async () => {
  await world.subscribe(agency, world.receiver.url("/rotated"));
  await world.stack.sql`select admin.set_signing_secret(${agency}, ${"another secret"})`;
  await world.completeDocuments(agency);
  await world.drain();
  await world.stack.sql`select admin.set_signing_secret(${agency}, null)`;
  await world.completeDocuments(agency);
  await world.drain();
  const [signed, unsigned] = world.receiver.at("/rotated");
  const digest = createHmac("sha256", "another secret")
    .update(signed?.bytes ?? "")
    .digest("hex");
  expect(signed?.headers["x-service-signature"]).toBe(`sha256=${digest}`);
  expect(unsigned?.headers).not.toHaveProperty("x-service-signature");
});

test("each agency's events are signed with its own secret", async () => {
  const other = await world.stack.createAgency("Otra");
  await world.stack.sql`select admin.set_signing_secret(${agency}, ${"secret of one"})`;
  await world.stack.sql`select admin.set_signing_secret(${other}, ${"secret of the other"})`;
  await world.subscribe(agency, world.receiver.url("/one"));
  await world.subscribe(other, world.receiver.url("/other"));
  await world.completeDocuments(agency);
  await world.completeDocuments(other);
  await world.drain();
  for (const [path, secret] of [
    ["/one", "secret of one"],
    ["/other", "secret of the other"],
  ] as const) {
    const [received] = world.receiver.at(path);
    const digest = createHmac("sha256", secret)
      .update(received?.bytes ?? "")
      .digest("hex");
    expect(received?.headers["x-service-signature"]).toBe(`sha256=${digest}`);
  }
});

test("deal_won and offer_accepted carry exactly what the list endpoints show", async () => {
  const hooks = ["deal_won", "offer_accepted"].map((event_type) =>
    post("/hooks", { event_type, target_url: world.receiver.url(`/${event_type}`) }),
  );
  for (const hook of await Promise.all(hooks)) expect(hook.status).toBe(201);
  const lead = await post("/leads", { full_name: "Ana Pérez", email: "ana@example.com" });
  const { data } = (await lead.json()) as { data: { id: string } };
  const { sql } = world.stack;
  const [property] = await sql`
    insert into public.properties (agency_id, title, listing_type) values (${agency}, 'Piso', 'sale') returning id`;
  const [operation] = await sql`
    insert into public.operations (agency_id, lead_id, operation_type, stage, property_id)
    values (${agency}, ${data.id}, 'buy', 'offer', ${property?.id}) returning id`;
  await post("/offers", { operation_id: operation?.id, amount: 250000.5 });
  await sql`update public.operation_steps set done = true where operation_id = ${operation?.id} and step_id = 'precioAcordado'`;
  for (const stage of ["reservation", "closing", "won"]) {
    const moved = await fetch(`${world.stack.baseUrl}/api/v1/operations/${operation?.id}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ stage }),
    });
    expect(moved.status, await moved.clone().text()).toBe(200);
  }
  await world.drain();
  for (const [path, list] of [
    ["/deal_won", "/operations"],
    ["/offer_accepted", "/offers"],
  ] as const) {
    const [received, ...more] = world.receiver.at(path);
    expect(more).toHaveLength(0);
    const {
      data: [shown],
    } = await get(list);
    expect(JSON.parse(received?.bytes.toString() ?? "null")).toEqual(shown);
  }
});

test("signature_signed and document_completed carry what the lists and the sample show", async () => {
  for (const event of ["signature_signed", "document_completed"] as const) {
    await world.subscribe(agency, world.receiver.url(`/${event}`), event);
  }
  await world.stack.sql`
    insert into public.signatures (agency_id, signer_name, status) values (${agency}, 'Ana Pérez', 'signed')`;
  await world.completeDocuments(agency);
  await world.drain();
  for (const [event, list] of [
    ["signature_signed", "/signatures"],
    ["document_completed", "/documents"],
  ] as const) {
    const [received] = world.receiver.at(`/${event}`);
    for (const path of [list, `/hooks/sample?event_type=${event}`]) {
      const {
        data: [shown],
      } = await get(path);
      expect(JSON.parse(received?.bytes.toString() ?? "null")).toEqual(shown);
    }
  }
});

test("the drain takes POST with the secret key and nothing else", async () => {
  const { baseUrl, publishableKey, secretKey } = world.stack;
  const url = `${baseUrl}/functions/v1/drain`;
  for (const headers of [{}, { apikey: publishableKey }, { apikey: `${secretKey}x` }]) {
    const refused = await fetch(url, { method: "POST", headers });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: "unauthorized" } });
  }
  expect((await fetch(url, { headers: { apikey: secretKey } })).status).toBe(405);
  expect((await fetch(url, { method: "POST", headers: { apikey: secretKey } })).status).toBe(202);
});

import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PublicOffer } from "../../../types/contracts/offers.ts";
import { one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createKey,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
} from "../agency.ts";
import { type Client, clientOf } from "../client.ts";

let stack: TestStack;
let agency: TestAgency;
let anybody: Client;
let offer: { id: string; public_token: string; created_at: string };

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  anybody = clientOf(stack.baseUrl);
});
afterAll(() => stack?.stop());

beforeEach(async () => {
  agency = await createAgency(stack);
  const property_id = await createProperty(stack, agency.id);
  await stack.sql`
    update public.properties
    set street = 'Calle Sueca 21', zone = 'Ruzafa', city = 'Valencia', description = 'Secreta'
    where id = ${property_id}`;
  const answer = await agency.client.post("/offers", {
    operation_id: await createOperation(agency, "buy"),
    property_id,
    amount: 275000.5,
    notes: "Puede subir a 290000",
  });
  offer = answer.body.data;
});

function look(token = offer.public_token) {
  return anybody.get(`/offers/public/${token}`);
}

describe("GET /offers/public/{public_token}", () => {
  test("shows what a client may see, and nothing else, without a credential", async () => {
    const answer = await look();
    expect(answer.status).toBe(200);
    const [row] = await stack.sql`select name from public.agencies where id = ${agency.id}`;
    expect(one(PublicOffer).parse(answer.body).data).toEqual({
      amount: 275000.5,
      currency: "EUR",
      offer_type: "sale",
      status: "received",
      created_at: offer.created_at,
      property: { title: "Piso en Gracia", zone: "Ruzafa", city: "Valencia" },
      agency: { name: row?.name },
    });
    for (const hidden of ["Sueca", "Secreta", "290000", offer.id, agency.id]) {
      expect(answer.text).not.toContain(hidden);
    }
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("follows the offer's status", async () => {
    await stack.sql`update public.offers set status = 'rejected' where id = ${offer.id}`;
    expect((await look()).body.data.status).toBe("rejected");
  });

  test("answers 404 for a token that is unknown or malformed, and for the offer's id", async () => {
    const unknown = randomBytes(24).toString("hex");
    for (const token of [unknown, "x", offer.id, offer.public_token.toUpperCase(), "%00"]) {
      const answer = await look(token);
      expect(answer.status).toBe(404);
      expect(answer.body.error).toMatchObject({ code: "not_found", details: {} });
    }
  });

  test("refuses other methods and any parameter", async () => {
    const path = `/offers/public/${offer.public_token}`;
    expect((await anybody.post(path, {})).status).toBe(405);
    expect((await anybody.get(`${path}?full=true`)).status).toBe(422);
  });

  test("takes 60 requests a minute for one link, and other links go on", async () => {
    const answers = [];
    for (let n = 0; n < 64; n += 1) answers.push(await look());
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(60);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.body.error.code).toBe("rate_limited");
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect(refused[0]?.headers.get("ratelimit-limit")).toBe("60");
    expect(refused[0]?.headers.get("ratelimit-remaining")).toBe("0");
    expect(answers[0]?.headers.get("ratelimit-remaining")).toBe("59");

    const { body } = await agency.client.post(`/offers/${offer.id}/link`, undefined);
    expect((await look(body.data.public_token)).status).toBe(429);
    await stack.sql`delete from public.request_buckets where key = ${`link:${offer.id}`}`;
    expect((await look(body.data.public_token)).status).toBe(200);
  });

  test("takes no more than 600 guesses a minute, and guesses do not touch real links", async () => {
    await stack.sql`
      insert into public.request_buckets values ('link:unknown', now() + interval '61 seconds')
      on conflict (key) do update set full_at = excluded.full_at`;
    expect((await look(randomBytes(24).toString("hex"))).status).toBe(429);
    expect((await look()).status).toBe(200);
    await stack.sql`delete from public.request_buckets`;
    expect((await look(randomBytes(24).toString("hex"))).status).toBe(404);
    const [bucket] = await stack.sql`
      select full_at > now() as counted from public.request_buckets where key = 'link:unknown'`;
    expect(bucket?.counted).toBe(true);
  });
});

test("a link whose offer cannot be shown is not written to the log: it is the credential", async () => {
  await stack.sql`alter function private.public_offer(text) rename to public_offer_away`;
  try {
    expect((await look()).status).toBe(500);
    await expect.poll(() => stack.logs.join("\n")).toContain("/api/v1/offers/public/:token");
    expect(stack.logs.join("\n")).not.toContain(offer.public_token);
  } finally {
    await stack.sql`alter function private.public_offer_away(text) rename to public_offer`;
  }
});

describe("POST /offers/{id}/link", () => {
  test("gives the offer another link and revokes the old one", async () => {
    const answer = await agency.client.post(`/offers/${offer.id}/link`, {});
    expect(answer.status).toBe(201);
    const { public_token, ...rest } = answer.body.data;
    expect(public_token).toMatch(/^[0-9a-f]{48}$/);
    expect(public_token).not.toBe(offer.public_token);
    expect({ ...rest, public_token: offer.public_token, updated_at: null }).toEqual({
      ...offer,
      updated_at: null,
    });
    expect((await look()).status).toBe(404);
    expect((await look(public_token)).status).toBe(200);
  });

  test("replays the answer to the same Idempotency-Key", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await agency.client.post(`/offers/${offer.id}/link`, undefined, headers);
    const second = await agency.client.post(`/offers/${offer.id}/link`, undefined, headers);
    expect(second.body).toEqual(first.body);
    expect((await look(first.body.data.public_token)).status).toBe(200);
  });

  test("answers 404 for an offer that is unknown or another agency's, and changes nothing", async () => {
    const other = await createAgency(stack);
    const before = await fingerprint(stack);
    for (const id of [offer.id, randomUUID(), "1"]) {
      expect((await other.client.post(`/offers/${id}/link`, undefined)).status).toBe(404);
    }
    expect(await fingerprint(stack)).toBe(before);
  });

  test("needs offers:write", async () => {
    const key = await createKey(stack, agency.id, { permissions: ["offers:read"] });
    const answer = await clientOf(stack.baseUrl, key).post(`/offers/${offer.id}/link`, undefined);
    expect(answer.body.error.details).toEqual({ required_permission: "offers:write" });
  });
});

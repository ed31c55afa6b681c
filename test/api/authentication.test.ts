import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Permission } from "../../types/contracts/permissions.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import {
  createAgency,
  createAgent,
  createKey,
  createLead,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
} from "./agency.ts";
import { type Answer, clientOf } from "./client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

const id = randomUUID();
/** Every endpoint that takes a credential, with the permission it needs; null means any credential. */
const ENDPOINTS = [
  ["GET", "/operations", "operations:read"],
  ["GET", `/operations/${id}`, "operations:read"],
  ["POST", "/operations", "operations:write"],
  ["PATCH", `/operations/${id}`, "operations:write"],
  ["GET", "/leads", "leads:read"],
  ["GET", `/leads/${id}`, "leads:read"],
  ["POST", "/leads", "leads:write"],
  ["PATCH", `/leads/${id}`, "leads:write"],
  ["DELETE", `/leads/${id}`, "leads:write"],
  ["GET", "/offers", "offers:read"],
  ["GET", `/offers/${id}`, "offers:read"],
  ["POST", "/offers", "offers:write"],
  ["GET", "/hooks", null],
  ["POST", "/hooks", null],
  ["DELETE", `/hooks/${id}`, null],
  ["GET", "/hooks/sample?event_type=deal_won", "operations:read"],
  ["GET", "/flows", null],
] as const;

function expectUnauthorized(answer: Answer, challenge: string): void {
  expect(answer.status).toBe(401);
  expect(answer.body.error).toMatchObject({ code: "unauthorized", details: {} });
  expect(answer.headers.get("www-authenticate")).toBe(challenge);
}
const NO_TOKEN = 'Bearer realm="corredor"';
const BAD_TOKEN = 'Bearer realm="corredor", error="invalid_token"';

describe.each(ENDPOINTS)("%s %s", (method, path) => {
  test("answers 401 without a credential", async () => {
    expectUnauthorized(await clientOf(stack.baseUrl).send(path, { method }), NO_TOKEN);
  });

  test("answers 401 to an unknown key", async () => {
    const client = clientOf(stack.baseUrl, `cor_00000000_${"0".repeat(48)}`);
    expectUnauthorized(await client.send(path, { method }), BAD_TOKEN);
  });
});

describe.each(ENDPOINTS.filter(([, , permission]) => permission !== null))(
  "%s %s",
  (method, path, permission) => {
    test("answers 403 to a key that has every permission but this one", async () => {
      const permissions = Permission.options.filter((name) => name !== permission);
      const key = await createKey(stack, agency.id, { permissions });
      const before = await fingerprint(stack);
      const answer = await clientOf(stack.baseUrl, key).send(path, { method });
      expect(answer.status).toBe(403);
      expect(answer.body.error).toMatchObject({
        code: "forbidden",
        details: { required_permission: permission },
      });
      expect(answer.headers.get("ratelimit-limit")).not.toBeNull();
      expect(await fingerprint(stack)).toBe(before);
    });
  },
);

describe("The permission of POST /hooks and GET /hooks/sample", () => {
  test.each([
    ["deal_won", "operations:read"],
    ["offer_accepted", "offers:read"],
    ["signature_signed", "signatures:read"],
    ["document_completed", "documents:read"],
  ])("for %s is %s alone", async (event_type, permission) => {
    const right = clientOf(
      stack.baseUrl,
      await createKey(stack, agency.id, { permissions: [permission] }),
    );
    const target_url = `https://example.com/${event_type}`;
    expect((await right.post("/hooks", { event_type, target_url })).status).toBe(201);
    expect((await right.get(`/hooks/sample?event_type=${event_type}`)).status).toBe(200);

    const wrong = clientOf(
      stack.baseUrl,
      await createKey(stack, agency.id, { permissions: ["leads:write"] }),
    );
    for (const answer of [
      await wrong.post("/hooks", { event_type, target_url }),
      // Also when the target would be refused: who may not subscribe is told that first.
      await wrong.post("/hooks", { event_type, target_url: "http://127.0.0.1" }),
      await wrong.get(`/hooks/sample?event_type=${event_type}`),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.body.error.details).toEqual({ required_permission: permission });
    }
  });
});

describe("A credential", () => {
  test.each([
    ["of another scheme", "Basic Y29yOmNvcg=="],
    ["without a scheme", "cor_00000000_00"],
    ["that is empty", "Bearer "],
    ["of two words", "Bearer cor_00000000_00 x"],
    ["that is neither key nor token", "Bearer sb_secret_x"],
    ["that is too long", `Bearer cor_${"0".repeat(9000)}`],
  ])("%s is none", async (_, authorization) => {
    const answer = await clientOf(stack.baseUrl).get("/flows", { headers: { authorization } });
    expectUnauthorized(answer, NO_TOKEN);
  });

  test("that is the project's own secret or publishable key is none", async () => {
    for (const key of [stack.secretKey, stack.publishableKey]) {
      expect((await clientOf(stack.baseUrl, key).get("/flows")).status).toBe(401);
    }
  });

  test("is read whatever the case of its scheme", async () => {
    const headers = { authorization: `bearer ${agency.key}` };
    expect((await clientOf(stack.baseUrl).get("/flows", { headers })).status).toBe(200);
  });

  test("with a wrong secret, another case or something behind it is refused", async () => {
    const [, prefix, secret] = agency.key.split("_") as [string, string, string];
    for (const key of [
      `cor_${prefix}_${"0".repeat(secret.length)}`,
      `cor_${prefix}_`,
      `cor_${prefix}`,
      `${agency.key}0`,
      `${agency.key}_0`,
      agency.key.toUpperCase().replace("COR_", "cor_"),
    ]) {
      expectUnauthorized(await clientOf(stack.baseUrl, key).get("/flows"), BAD_TOKEN);
    }
  });

  test("is refused from the moment it is revoked", async () => {
    const key = await createKey(stack, agency.id);
    const client = clientOf(stack.baseUrl, key);
    expect((await client.get("/flows")).status).toBe(200);
    await stack.sql`
      select admin.revoke_api_key(id) from public.api_keys where prefix = ${key.split("_")[1] as string}`;
    const before = await fingerprint(stack);
    expectUnauthorized(await client.get("/flows"), BAD_TOKEN);
    expectUnauthorized(await client.post("/leads", { full_name: "Nadie" }), BAD_TOKEN);
    expect(await fingerprint(stack)).toBe(before);
  });

  test("is refused once it has expired", async () => {
    const expiresAt = new Date(Date.now() - 1000);
    const client = clientOf(stack.baseUrl, await createKey(stack, agency.id, { expiresAt }));
    expectUnauthorized(await client.get("/flows"), BAD_TOKEN);
    const later = new Date(Date.now() + 60_000);
    const valid = clientOf(stack.baseUrl, await createKey(stack, agency.id, { expiresAt: later }));
    expect((await valid.get("/flows")).status).toBe(200);
  });
});

describe("An access token", () => {
  async function tokenOf(role: string, claims: Record<string, unknown> = {}): Promise<string> {
    const agentId = await createAgent(stack, agency.id);
    const userId = randomUUID();
    await stack.sql`insert into auth.users (id) values (${userId})`;
    await stack.sql`update public.agents set user_id = ${userId}, role = ${role} where id = ${agentId}`;
    return stack.accessToken({ sub: userId, ...claims });
  }

  test("of an agent's user works in the agent's agency", async () => {
    const lead = await createLead(agency);
    const client = clientOf(stack.baseUrl, await tokenOf("agent"));
    expect((await client.get(`/leads/${lead}`)).status).toBe(200);
    expect((await client.post("/leads", { full_name: "De un agente" })).status).toBe(201);
    expect((await client.get("/flows")).headers.get("ratelimit-limit")).toBe("120");
  });

  test("of a viewer reads and does not write", async () => {
    const client = clientOf(stack.baseUrl, await tokenOf("viewer"));
    expect((await client.get("/leads")).status).toBe(200);
    const answer = await client.post("/leads", { full_name: "De un mirón" });
    expect(answer.status).toBe(403);
    expect(answer.body.error.details).toEqual({ required_permission: "leads:write" });
  });

  test("that is expired, forged or of nobody is refused", async () => {
    const expired = await tokenOf("agent", { exp: Math.floor(Date.now() / 1000) - 60 });
    const good = await tokenOf("agent");
    for (const token of [
      expired,
      `${good.slice(0, -4)}AAAA`,
      stack.accessToken({ sub: randomUUID() }),
      stack.accessToken({ role: "service_role" }),
      stack.accessToken({ role: "postgres", sub: randomUUID() }),
      stack.accessToken({ role: "anon", sub: randomUUID() }),
      "a.b.c",
    ]) {
      expectUnauthorized(await clientOf(stack.baseUrl, token).get("/flows"), BAD_TOKEN);
      const bad = await clientOf(stack.baseUrl, token).post("/leads", "{");
      expectUnauthorized(bad, BAD_TOKEN);
    }
  });
});

describe("Another agency", () => {
  test("is not seen, not changed and not referred to", async () => {
    const other = await createAgency(stack);
    const lead = await createLead(other);
    const operation = await createOperation(other, "buy");
    const property = await createProperty(stack, other.id);
    const offer = await other.client.post("/offers", {
      operation_id: operation,
      amount: 1,
      property_id: property,
    });
    const hook = await other.client.post("/hooks", {
      event_type: "deal_won",
      target_url: "https://example.com/other",
    });
    const mine = {
      lead: await createLead(agency),
      operation: await createOperation(agency, "buy"),
    };
    const before = await fingerprint(stack);
    const { client } = agency;

    for (const answer of [
      await client.get(`/leads/${lead}`),
      await client.patch(`/leads/${lead}`, { full_name: "Robada" }),
      await client.delete(`/leads/${lead}`),
      await client.get(`/operations/${operation}`),
      await client.patch(`/operations/${operation}`, { stage: "search" }),
      await client.get(`/offers/${offer.body.data.id}`),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body.error.code).toBe("not_found");
    }

    for (const [answer, path] of [
      [await client.post("/operations", { lead_id: lead, operation_type: "buy" }), "lead_id"],
      [await client.post("/offers", { operation_id: operation, amount: 1 }), "operation_id"],
      [
        await client.post("/offers", {
          operation_id: mine.operation,
          amount: 1,
          property_id: property,
        }),
        "property_id",
      ],
      [
        await client.patch(`/leads/${mine.lead}`, {
          assigned_agent_id: await createAgent(stack, other.id),
        }),
        "assigned_agent_id",
      ],
    ] as const) {
      expect(answer.status, answer.text).toBe(422);
      expect(answer.body.error.details).toMatchObject({
        reason: "unknown_reference",
        issues: [{ path }],
      });
    }

    expect((await client.delete(`/hooks/${hook.body.id}`)).status).toBe(204);
    for (const path of [
      `/operations?lead_id=${lead}`,
      `/offers?operation_id=${operation}`,
      "/hooks/sample?event_type=deal_won",
    ]) {
      expect((await client.get(path)).body.data).toEqual([]);
    }
    expect((await client.get("/hooks?limit=200")).text).not.toContain(hook.body.id);

    await stack.sql`delete from public.agents where agency_id = ${other.id}`;
    expect(await fingerprint(stack)).toBe(before);
  });
});

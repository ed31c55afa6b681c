import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { ListAgentsQuery } from "../../../types/contracts/agents.ts";
import { ListDocumentsQuery } from "../../../types/contracts/documents.ts";
import { SampleHookQuery } from "../../../types/contracts/hooks.ts";
import { ArchiveLeadQuery, ListLeadsQuery } from "../../../types/contracts/leads.ts";
import { ListOffersQuery } from "../../../types/contracts/offers.ts";
import { ListOperationsQuery } from "../../../types/contracts/operations.ts";
import { PageQuery } from "../../../types/contracts/pages.ts";
import { ListPropertiesQuery } from "../../../types/contracts/properties.ts";
import { ListSignaturesQuery } from "../../../types/contracts/signatures.ts";
import { ListViewingsQuery } from "../../../types/contracts/viewings.ts";
import { toolsOf } from "../../mcp/client.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createLead,
  createOperation,
  fingerprint,
  type TestAgency,
} from "../agency.ts";
import { type Member, read } from "./contracts.ts";
import { CONNECTOR, callerOfRpcs, NOTHING_TO_JUDGE, QUERIES, WRITES } from "./rpc.ts";

let stack: TestStack;
let agency: TestAgency;
let lead: string;
let operation: string;
let rpc: ReturnType<typeof callerOfRpcs>;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
  lead = await createLead(agency);
  operation = await createOperation(agency, "buy");
  rpc = callerOfRpcs(stack, agency.key);
});
afterAll(() => stack?.stop());

test("no RPC that a key may call is forgotten here", async () => {
  const callable = await stack.sql<{ name: string }[]>`
    select distinct proname as name from pg_proc
    where pronamespace = 'api'::regnamespace
      and (has_function_privilege('anon', oid, 'execute') or has_function_privilege('authenticated', oid, 'execute'))`;
  const known = [...WRITES, ...QUERIES, ...CONNECTOR, ...NOTHING_TO_JUDGE];
  expect(callable.map(({ name }) => name).sort()).toEqual(known.sort());
});

test("what takes text, numbers or JSON is judged, or is named as what need not be", async () => {
  const unjudged = await stack.sql<{ name: string }[]>`
    select proname as name from pg_proc
    where pronamespace = 'api'::regnamespace and has_function_privilege('anon', oid, 'execute')
      and exists (select from unnest(proargtypes) t where t <> all ('{uuid,boolean}'::regtype[]))
      and prosrc !~ 'private[.](check_request|list_page)[(]' and proname <> all (${[...NOTHING_TO_JUDGE]})
    order by 1`;
  // These hand on what they got: to private.update_operation, and to api.create_viewing.
  expect(unjudged.map(({ name }) => name)).toEqual(["mcp_create_viewing", "update_operation"]);
});

const queries: Record<(typeof QUERIES)[number], [path: () => string, contract: z.ZodType]> = {
  list_leads: [() => "/leads", ListLeadsQuery],
  list_operations: [() => "/operations", ListOperationsQuery],
  list_offers: [() => "/offers", ListOffersQuery],
  list_properties: [() => "/properties", ListPropertiesQuery],
  list_viewings: [() => "/viewings", ListViewingsQuery],
  list_documents: [() => "/documents", ListDocumentsQuery],
  list_signatures: [() => "/signatures", ListSignaturesQuery],
  list_agents: [() => "/agents", ListAgentsQuery],
  list_hooks: [() => "/hooks", PageQuery],
  sample_hook: [() => "/hooks/sample", SampleHookQuery],
  archive_lead: [() => `/leads/${lead}`, ArchiveLeadQuery],
};

/** Values that a query parameter may not have, as far as an argument of the RPC's type can have them. */
function badTexts({ type, format, ...rule }: Member): (string | number)[] {
  if (type === "integer" || type === "number") {
    const values = [(rule.minimum ?? 0) - 1, (rule.maximum ?? 0) + 1];
    return type === "number" ? [...values, 100.005, 1e30] : values;
  }
  const bad: string[] = [];
  if (rule.enum) bad.push("ZZZ", (rule.enum[0] ?? "").toUpperCase());
  if (format === "email") bad.push("x", "a@b");
  if (rule.pattern && format !== "uuid") bad.push("tomorrow", "infinity", "2026-02-30T10:00");
  if (rule.minLength) bad.push("", " \u200b");
  if (rule.maxLength) bad.push("x".repeat(rule.maxLength + 1));
  return bad;
}

const ARGUMENT: Record<string, string> = { limit: "page_limit", cursor: "page_cursor" };

describe.each(QUERIES)("api.%s", (name) => {
  const [path, contract] = queries[name];
  const { members } = read(contract);
  const needed = name === "sample_hook" ? { event_type: "deal_won" } : {};
  const needs = name === "archive_lead" ? () => ({ lead_id: lead }) : () => needed;

  test.each(Object.keys(members))("refuses what %s may not be", async (member) => {
    const rule = members[member];
    if (rule === undefined) throw new Error(`no rule for ${member}`);
    const before = await fingerprint(stack);
    for (const value of badTexts(rule)) {
      const query = new URLSearchParams({ ...needed, [member]: String(value) });
      const send = name === "archive_lead" ? agency.client.delete : agency.client.get;
      const { status, body } = await send(`${path()}?${query}`);
      const direct = await rpc(name, { ...needs(), [ARGUMENT[member] ?? member]: value });
      expect(status).toBe(422);
      expect(direct, `${member}=${String(value).slice(0, 50)}`).toMatchObject({
        status,
        code: body.error.code,
        reason: body.error.details.reason,
        paths: [member],
      });
    }
    expect(await fingerprint(stack)).toBe(before);
  });
});

describe("An argument that is not of its type", () => {
  test.each([
    ["get_lead", { lead_id: "x" }],
    ["list_leads", { include_archived: "maybe" }],
    ["list_properties", { bedrooms_min: 1.5 }],
    ["list_properties", { page_limit: "many" }],
  ])("is refused by the Data API itself: api.%s %j", async (name, args) => {
    const answer = await direct(name, args);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: "22P02" });
  });

  test("and an argument that the RPC does not have names no RPC", async () => {
    expect((await direct("list_leads", { agency_id: agency.id })).status).toBe(404);
    expect((await direct("create_lead", { body: {}, limit: 1 })).status).toBe(404);
  });

  async function direct(name: string, args: object) {
    const response = await fetch(`${stack.baseUrl}/rest/v1/rpc/${name}`, {
      method: "POST",
      headers: {
        apikey: stack.publishableKey,
        "content-profile": "api",
        "content-type": "application/json",
        "x-corredor-key": agency.key,
      },
      body: JSON.stringify(args),
    });
    return { status: response.status, body: await response.json() };
  }
});

describe("The connector's RPCs", () => {
  test.each<[string, object, (typeof CONNECTOR)[number], object, string]>([
    ["buscar", { query: "x".repeat(201) }, "mcp_search", { query: "x".repeat(201) }, "query"],
    ["buscar", { query: " \u200b" }, "mcp_search", { query: " \u200b" }, "query"],
    ["buscar", { query: "x", limit: 0 }, "mcp_search", { query: "x", page_limit: 0 }, "limit"],
    ["buscar", { query: "x", limit: 26 }, "mcp_search", { query: "x", page_limit: 26 }, "limit"],
    ["mi_jornada", { limit: 0 }, "mcp_my_day", { page_limit: 0 }, "limit"],
    ["mi_jornada", { limit: 51 }, "mcp_my_day", { page_limit: 51 }, "limit"],
    ["agenda", { limit: 101 }, "mcp_agenda", { page_limit: 101 }, "limit"],
    ...["tomorrow", "04/05/2026", "infinity", "2026-02-30", "2026-05-04 17:30"].map(
      (starts_from): [string, object, "mcp_agenda", object, string] => [
        "agenda",
        { starts_from },
        "mcp_agenda",
        { starts_from },
        "starts_from",
      ],
    ),
    [
      "buscar_propiedades",
      { query: "piso", limit: 26 },
      "mcp_search_properties",
      { filters: {}, words: [], page_limit: 26 },
      "limit",
    ],
  ])("refuse what the tool %s refuses: %j", async (tool, args, name, direct, member) => {
    const told = await toolsOf(stack.baseUrl, agency.key)(tool, args);
    expect(told.error.details.issues).toMatchObject([{ path: member }]);
    expect(await rpc(name, direct)).toMatchObject({
      status: 422,
      code: told.error.code,
      reason: "invalid_query",
      paths: [member],
    });
  });

  test.each([
    ["words", { filters: {}, words: Array(13).fill("piso") }],
    ["words", { filters: {}, words: ["x".repeat(501)] }],
    ["words", { filters: {}, words: [null] }],
    ["words", { filters: {}, words: null }],
    ["query", { filters: [], words: [] }],
    ["places", { filters: { places: ["Ruzafa"] }, words: [] }],
    ["property_types", { filters: { property_types: ["castle"] }, words: [] }],
    ["property_types", { filters: { property_types: "flat" }, words: [] }],
    ["price_min", { filters: { price_min: -1 }, words: [] }],
    ["price_max", { filters: { price_max: "1" }, words: [] }],
    ["bedrooms_min", { filters: { bedrooms_min: 1e20 }, words: [] }],
    ["bathrooms_min", { filters: { bathrooms_min: 1.5 }, words: [] }],
    ["area_min_m2", { filters: { area_min_m2: [] }, words: [] }],
    ["listing_type", { filters: { listing_type: "swap" }, words: [] }],
  ])("a described search has no other %s: %j", async (member, args) => {
    expect(await rpc("mcp_search_properties", args)).toMatchObject({
      status: 422,
      reason: "invalid_query",
      paths: [member],
    });
  });

  test("and none takes a text that would hold a connection", async () => {
    const started = performance.now();
    const long = { status: 422, reason: "invalid_query" };
    expect(await rpc("mcp_search", { query: "ana ".repeat(225_000) })).toMatchObject(long);
    const words = Array.from({ length: 20_000 }, (_, n) => `palabra${n}`);
    expect(await rpc("mcp_search_properties", { filters: {}, words })).toMatchObject(long);
    expect(performance.now() - started).toBeLessThan(1500);
  });

  test("a move to the next stage takes a property and nothing else", async () => {
    for (const patch of [{ stage: "won" }, { lost_reason: "x" }, { notes: "x" }, [], "x", null]) {
      expect(await rpc("mcp_advance_stage", { operation_id: operation, patch })).toMatchObject({
        status: 422,
        reason: "invalid_body",
      });
    }
  });

  test("a viewing has the rules of POST /viewings", async () => {
    expect(await rpc("mcp_create_viewing", { body: { lead_id: "x", note: 1 } })).toMatchObject({
      reason: "invalid_body",
      paths: ["lead_id", "note", "property_id", "starts_at"],
    });
  });

  test("a price with hundreds of digits is a price", async () => {
    const query = `piso hasta ${"9".repeat(400)} euros`;
    const answer = await toolsOf(stack.baseUrl, agency.key)("buscar_propiedades", { query });
    expect(answer.isError).toBe(false);
  });
});

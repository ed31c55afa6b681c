import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { z } from "zod";
import { CURRENCIES } from "../../../types/contracts/currencies.ts";
import {
  CreateDocument,
  CreateDocumentUpload,
  UpdateDocument,
} from "../../../types/contracts/documents.ts";
import { CreateHook } from "../../../types/contracts/hooks.ts";
import { CreateLead, UpdateLead } from "../../../types/contracts/leads.ts";
import { CreateOffer } from "../../../types/contracts/offers.ts";
import { CreateOperation, UpdateOperation } from "../../../types/contracts/operations.ts";
import { CreateSignature, UpdateSignature } from "../../../types/contracts/signatures.ts";
import { CreateViewing, UpdateViewing } from "../../../types/contracts/viewings.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createLead,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
} from "../agency.ts";
import { type BadValue, badValues, read, ruleInSql } from "./contracts.ts";
import { callerOfRpcs, type Refused, WRITES } from "./rpc.ts";

// A key opens the Data API too, so whoever has one may leave the functions out. What they refuse, the database refuses.

let stack: TestStack;
let agency: TestAgency;
let rpc: ReturnType<typeof callerOfRpcs>;
let ids: Record<"lead" | "operation" | "property" | "document" | "signature" | "viewing", string>;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
  rpc = callerOfRpcs(stack, agency.key);
  const operation = await createOperation(agency, "buy");
  const property = await createProperty(stack, agency.id);
  const lead = await createLead(agency);
  const made = async (path: string, body: object) =>
    (await agency.client.post(path, body)).body.data.id;
  ids = {
    lead,
    operation,
    property,
    document: await made("/documents", { lead_id: lead }),
    signature: await made("/signatures", { operation_id: operation }),
    viewing: await made("/viewings", {
      lead_id: lead,
      property_id: property,
      starts_at: "2040-03-10T10:00",
    }),
  };
});
afterAll(() => stack?.stop());

type Body = Record<string, unknown>;

interface Write {
  contract: z.ZodType;
  /** A body that is fine, of which one member at a time is spoilt. */
  good(): Body;
  path(): string;
  /** Where the RPC takes the body, and what else it takes. */
  args(body: unknown): object;
}

const created = (path: string, contract: z.ZodType, good: () => Body): Write => ({
  contract,
  good,
  path: () => path,
  args: (body) => ({ body }),
});
const changed = (
  resource: keyof typeof ids,
  path: string,
  contract: z.ZodType,
  good: () => Body,
): Write => ({
  contract,
  good,
  path: () => `/${path}/${ids[resource]}`,
  args: (patch) => ({ [`${resource}_id`]: ids[resource], patch }),
});

const writes: Record<(typeof WRITES)[number], Write> = {
  create_lead: created("/leads", CreateLead, () => ({ full_name: "Ana" })),
  create_operation: created("/operations", CreateOperation, () => ({
    lead_id: ids.lead,
    operation_type: "rent",
  })),
  create_offer: created("/offers", CreateOffer, () => ({
    operation_id: ids.operation,
    property_id: ids.property,
    amount: 100,
  })),
  create_viewing: created("/viewings", CreateViewing, () => ({
    lead_id: ids.lead,
    property_id: ids.property,
    starts_at: "2040-05-10T10:00",
  })),
  create_document: created("/documents", CreateDocument, () => ({
    lead_id: ids.lead,
    operation_id: ids.operation,
    content_type: "application/pdf",
    size_bytes: 10,
  })),
  create_signature: created("/signatures", CreateSignature, () => ({
    operation_id: ids.operation,
    document_id: null,
  })),
  create_hook: created("/hooks", CreateHook, () => ({
    event_type: "deal_won",
    target_url: "https://hooks.example.com/a",
  })),
  create_document_upload: {
    contract: CreateDocumentUpload,
    good: () => ({ content_type: "application/pdf", size_bytes: 10 }),
    path: () => `/documents/${ids.document}/upload`,
    args: (body) => ({ document_id: ids.document, body }),
  },
  update_lead: changed("lead", "leads", UpdateLead, () => ({ notes: "x" })),
  update_operation: changed("operation", "operations", UpdateOperation, () => ({
    property_id: ids.property,
  })),
  update_viewing: changed("viewing", "viewings", UpdateViewing, () => ({ notes: "x" })),
  update_document: changed("document", "documents", UpdateDocument, () => ({
    status: "requested",
  })),
  update_signature: changed("signature", "signatures", UpdateSignature, () => ({
    status: "draft",
  })),
};

/** Sends the same body to the endpoint and to the RPC, and asserts one refusal. */
async function expectSameRefusal(name: (typeof WRITES)[number], body: unknown): Promise<Refused> {
  const { path, args } = writes[name];
  const send = name.startsWith("update_") ? agency.client.patch : agency.client.post;
  const answer = await send(path(), JSON.stringify(body));
  expect(answer.status, answer.text).toBe(422);
  const direct = await rpc(name, args(body));
  const { code, details } = answer.body.error;
  expect(direct).toMatchObject({
    status: 422,
    code,
    reason: details.reason,
    paths: pathsOf(details.issues),
  });
  return direct;
}

/** Whatever the tests of a group send, the database stays as it was. */
function expectNothingChanged(): void {
  let before: string;
  beforeEach(async () => {
    before = await fingerprint(stack);
  });
  afterEach(async () => {
    expect(await fingerprint(stack)).toBe(before);
  });
}

function pathsOf(issues: { path: string }[] = []): string[] {
  return [...new Set(issues.map(({ path }) => path))].sort();
}

describe.each(WRITES)("api.%s", (name) => {
  expectNothingChanged();
  const { contract, good, args } = writes[name];
  const { required, members } = read(contract);

  test.each(Object.keys(members))("refuses what %s may not be", async (member) => {
    const rule = members[member];
    if (rule === undefined) throw new Error(`no rule for ${member}`);
    for (const [why, value] of badValues(rule) as BadValue[]) {
      const direct = await expectSameRefusal(name, { ...good(), [member]: value });
      expect(direct.paths, `${member} is ${why}`).toContain(member);
    }
  });

  test("refuses to miss what is required", async () => {
    for (const member of required) {
      const { [member]: _, ...rest } = good();
      const direct = await expectSameRefusal(name, rest);
      expect(direct.paths).toContain(member);
    }
    if (required.length === 0) return;
    expect((await expectSameRefusal(name, {})).paths).toEqual([...required].sort());
  });

  test("refuses members that nobody knows, and what is no object", async () => {
    for (const member of ["agency_id", "id", "Full_name", "__proto__x", ""]) {
      const direct = await expectSameRefusal(name, { ...good(), [member]: {} });
      expect(direct.paths).toContain(member);
    }
    for (const body of [[], "x", 1, true]) {
      expect((await expectSameRefusal(name, body)).paths).toEqual(["body"]);
    }
    expect(await rpc(name, args(null))).toMatchObject({ paths: ["body"] });
  });

  test("has the very rules of the functions' contract", async () => {
    const rules = Object.entries(members).map(([member, rule]) => [member, ruleInSql(rule)]);
    const expected = Object.fromEntries(rules);
    // That a text is one line is the one rule that zod does not put into a schema.
    if (expected.summary) expected.summary.oneLine = true;
    // Which types there are is said by the rows of flows.
    delete expected.operation_type?.enum;
    const [row] = await stack.sql<{ source: string }[]>`
      select string_agg(prosrc, '') as source from pg_proc
      where proname = ${name} and pronamespace in ('api'::regnamespace, 'private'::regnamespace)`;
    const literal = /check_request\((?:body|patch), '(\{[\s\S]*?\}\s*\})'/.exec(
      row?.source ?? "",
    )?.[1];
    const inSql = JSON.parse(literal ?? "{}");
    expect(inSql.properties).toEqual(expected);
    expect(inSql.required ?? []).toEqual(required);
  });
});

describe("What a contract says of several members", () => {
  expectNothingChanged();

  test.each<[(typeof WRITES)[number], () => Body, string]>([
    ["create_document", () => ({ kind: "deed" }), "operation_id"],
    ["create_document", () => ({ operation_id: null, name: "DNI" }), "operation_id"],
    [
      "create_document",
      () => ({ lead_id: ids.lead, content_type: "application/pdf" }),
      "size_bytes",
    ],
    ["create_document", () => ({ lead_id: ids.lead, size_bytes: 5 }), "content_type"],
    ["create_signature", () => ({ signer_name: "Ana" }), "document_id"],
    ["create_signature", () => ({ operation_id: ids.operation, status: "signed" }), "status"],
    [
      "create_viewing",
      () => ({
        lead_id: ids.lead,
        property_id: ids.property,
        starts_at: "2040-05-10T10:00",
        ends_at: "2040-05-10T11:00",
        duration_minutes: 60,
      }),
      "duration_minutes",
    ],
    [
      "update_viewing",
      () => ({ ends_at: "2040-03-10T11:00", duration_minutes: 60 }),
      "duration_minutes",
    ],
    ["update_operation", () => ({ lost_reason: "Se fue" }), "lost_reason"],
    ["update_operation", () => ({ stage: "search", lost_reason: "Se fue" }), "lost_reason"],
    ["create_lead", () => ({ full_name: "Ana", operation_type: "sell" }), "operation_type"],
    ["update_lead", () => ({ summary: "una\notra" }), "summary"],
    ["create_viewing", () => ({ starts_at: "2040-02-30T10:00" }), "starts_at"],
    ["create_viewing", () => ({ starts_at: "tomorrow" }), "starts_at"],
    ["create_viewing", () => ({ starts_at: "infinity" }), "starts_at"],
    ["create_signature", () => ({ operation_id: "{}", signer_email: "a@b" }), "signer_email"],
  ])("api.%s looks at them together: %#", async (name, body, member) => {
    expect((await expectSameRefusal(name, body())).paths).toContain(member);
  });

  test("an Idempotency-Key is printable and short", async () => {
    for (const key of ["", "x".repeat(256), "ñ", "a\nb"]) {
      const args = { body: { full_name: "Ana" }, idempotency_key: key };
      expect(await rpc("create_lead", args)).toMatchObject({
        status: 422,
        reason: "invalid_header",
        paths: ["Idempotency-Key"],
      });
    }
  });
});

test("a text may have blanks around it and be long in bytes, and 3.0 is a whole number", async () => {
  const full_name = ` ${"🏠".repeat(200)} `;
  const answer = await rpc(
    "create_lead",
    `{"body":{"full_name":"${full_name}","bedrooms_min":3.0}}`,
  );
  expect(answer).toMatchObject({ status: 200 });
});

test("the currencies are those of the functions, also for who writes SQL", async () => {
  const codes = await stack.sql<{ code: string }[]>`
    select a || b || c as code
    from (select chr(n) as a from generate_series(65, 90) n) x,
      (select chr(n) as b from generate_series(65, 90) n) y, (select chr(n) as c from generate_series(65, 90) n) z
    where private.is_currency(a || b || c)`;
  expect(codes.map(({ code }) => code).sort()).toEqual([...CURRENCIES].sort());
  const offer = stack.sql`
    insert into public.offers (agency_id, operation_id, property_id, amount, currency)
    values (${agency.id}, ${ids.operation}, ${ids.property}, 1, 'ZZZ')`;
  await expect(offer).rejects.toThrow(/currency_is_iso_4217/);
});

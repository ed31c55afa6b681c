import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ErrorAnswer } from "../../types/contracts/errors.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import {
  createAgency,
  createLead,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
} from "./agency.ts";

let stack: TestStack;
let agency: TestAgency;
let lead: string;
let operation: string;
let property: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
  lead = await createLead(agency);
  operation = await createOperation(agency, "buy");
  property = await createProperty(stack, agency.id);
});
afterAll(() => stack?.stop());

/** Sends a body and asserts a 422 that names the member, and an unchanged database. */
async function expectRefused(
  method: "POST" | "PATCH",
  path: string,
  body: unknown,
  member: string,
) {
  const before = await fingerprint(stack);
  const send = method === "POST" ? agency.client.post : agency.client.patch;
  const answer = await send(path, body);
  expect(answer.status, answer.text).toBe(422);
  const { error } = ErrorAnswer.parse(answer.body);
  expect(error).toMatchObject({ code: "validation_error", details: { reason: "invalid_body" } });
  expect(error.details.issues?.map((issue) => issue.path)).toContain(member);
  expect(await fingerprint(stack)).toBe(before);
}

const raw = (member: string, json: string) => `{"full_name":"X","${member}":${json}}`;

describe("A lead's member", () => {
  test.each([
    ["full_name", ["null", "1", "true", "[]", "{}", '""', '"   "', `"${"x".repeat(201)}"`]],
    ["phone", ["1", "34612345678", "true", "[]", "{}", '["612345678"]']],
    ["email", ["1", "true", "[]", "{}", '["ana@example.com"]']],
    ["origin", ["1", '""', '"fax"', '"EMAIL"', '["web"]']],
    ["operation_type", ["1", '""', '"lease"', '"BUY"', '["buy"]']],
    [
      "budget_max",
      ["-1", "0", "-0.01", "1000000000.01", "1e10", "1e400", "-1e400", "0.001", "1e-7"],
    ],
    ["budget_max", ['"1000"', "true", "[1]", '""', '"NaN"', "1234567.891"]],
    ["bedrooms_min", ["-1", "51", "1.5", "1e400", '"2"', "true", "[]", "9007199254740993"]],
    ["intent", ["1", `"${"x".repeat(501)}"`]],
    ["notes", ["1", "{}", `"${"x".repeat(10_001)}"`]],
    ["email_subject", ["1", `"${"x".repeat(1_001)}"`]],
    ["email_body", ["1", `"${"x".repeat(100_001)}"`]],
  ])("%s is refused as any of %j", async (member, values) => {
    for (const json of values) {
      const body = member === "full_name" ? `{"full_name":${json}}` : raw(member, json);
      await expectRefused("POST", "/leads", body, member);
    }
  });

  test("is refused when it is not known, whatever it is called", async () => {
    for (const member of [
      "fullname",
      "Full_name",
      "id",
      "agency_id",
      "lead_status",
      "__proto__",
      "",
    ]) {
      await expectRefused("POST", "/leads", raw(member, "{}"), member);
    }
  });

  test("is called required when it is missing", async () => {
    const lead = await agency.client.post("/leads", {});
    expect(lead.body.error.details.issues).toEqual([{ path: "full_name", message: "is required" }]);
    const offer = await agency.client.post("/offers", {});
    expect(offer.body.error.details.issues).toEqual([
      { path: "operation_id", message: "is required" },
      { path: "amount", message: "is required" },
    ]);
  });

  test.each(["", "[]", '"x"', "null", "1"])(
    "needs a body that is an object, not %j",
    async (body) => {
      const answer = await agency.client.post("/leads", body);
      expect(answer.status).toBe(422);
      expect(answer.body.error.details).toEqual({
        reason: "invalid_body",
        issues: [{ path: "body", message: "must be a JSON object" }],
      });
    },
  );

  test("is counted in characters and not in bytes", async () => {
    const name = "🏠".repeat(200);
    const answer = await agency.client.post("/leads", { full_name: name });
    expect(answer.status).toBe(201);
    expect(answer.body.data.full_name).toBe(name);
    await expectRefused("POST", "/leads", { full_name: `${name}🏠` }, "full_name");
  });
});

describe("Text that the database cannot store", () => {
  const MEMBERS = ["full_name", "intent", "notes", "email_subject", "email_body"];

  test.each([
    ["U+0000", "a\\u0000b"],
    ["a high surrogate alone", "a\\ud83d"],
    ["a low surrogate alone", "\\ude00b"],
    ["surrogates in the wrong order", "\\ude00\\ud83d"],
  ])("with %s is refused in every member", async (_, escaped) => {
    for (const member of MEMBERS) {
      const body =
        member === "full_name" ? `{"full_name":"${escaped}"}` : raw(member, `"${escaped}"`);
      await expectRefused("POST", "/leads", body, member);
    }
    await expectRefused("PATCH", `/operations/${operation}`, `{"stage":"${escaped}"}`, "stage");
    await expectRefused(
      "PATCH",
      `/operations/${operation}`,
      `{"stage":"lost","lost_reason":"${escaped}"}`,
      "lost_reason",
    );
    await expectRefused(
      "POST",
      "/offers",
      `{"operation_id":"${operation}","property_id":"${property}","amount":1,"notes":"${escaped}"}`,
      "notes",
    );
    await expectRefused(
      "POST",
      "/hooks",
      `{"event_type":"deal_won","target_url":"https://example.com/${escaped}"}`,
      "target_url",
    );
  });

  test("is refused in a query too", async () => {
    for (const query of ["stage=a%00b", "cursor=a%00b", "lead_id=%00"]) {
      const answer = await agency.client.get(`/operations?${query}`);
      expect(answer.status).toBe(422);
      expect(answer.body.error.details.issues).toMatchObject([{ path: query.split("=")[0] }]);
    }
    const answer = await agency.client.delete(`/leads/${lead}?reason=%00`);
    expect(answer.status).toBe(422);
  });

  test("is no text with emoji, accents or other scripts, which is kept as it is", async () => {
    const text = "👩‍👩‍👧‍👦 Ñandú 王伟 العربية \u{1F3F4}\u{E0067}\u{E0062}";
    const answer = await agency.client.post("/leads", { full_name: text, notes: text });
    expect(answer.body.data).toMatchObject({ full_name: text, notes: text });
  });
});

describe("An operation's member", () => {
  test.each([
    ["lead_id", ["null", "1", '""', '"x"', '"00000000"', "[]"]],
    ["operation_type", ["null", "1", '""', '"lease"', '"Buy"']],
    ["stage", ["1", "true", "[]", "{}"]],
    ["property_id", ['"00000000-0000-0000-0000-000000000000"']],
  ])("%s is refused on creation as any of %j", async (member, values) => {
    for (const json of values) {
      const members = { lead_id: `"${lead}"`, operation_type: '"buy"', [member]: json };
      const body = `{${Object.entries(members)
        .map(([name, value]) => `"${name}":${value}`)
        .join(",")}}`;
      await expectRefused("POST", "/operations", body, member);
    }
  });

  test("lost_reason is refused when it is too long or no text", async () => {
    for (const lost_reason of ["x".repeat(1001), 1, [], {}]) {
      const body = { stage: "lost", lost_reason };
      await expectRefused("PATCH", `/operations/${operation}`, body, "lost_reason");
    }
  });
});

describe("An offer's member", () => {
  test.each([
    ["operation_id", ["null", "1", '""', '"x"']],
    ["property_id", ["1", '""', '"x"']],
    [
      "amount",
      ["null", "0", "-1", "-0.01", "1000000000.01", "1e400", "0.001", "99.999", '"100"', "[]"],
    ],
    ["currency", ["1", '""', '"EURO"', '"E"', '"ZZZ"', '"€"', '"E R"']],
    ["offer_type", ["1", '""', '"buy"', '"Sale"']],
    ["notes", ["1", `"${"x".repeat(10_001)}"`]],
    ["status", ['"accepted"']],
    ["lead_id", ['"00000000-0000-0000-0000-000000000000"']],
    ["public_token", ['"x"']],
  ])("%s is refused as any of %j", async (member, values) => {
    for (const json of values) {
      const members = {
        operation_id: `"${operation}"`,
        property_id: `"${property}"`,
        amount: "1",
        [member]: json,
      };
      const body = `{${Object.entries(members)
        .map(([name, value]) => `"${name}":${value}`)
        .join(",")}}`;
      await expectRefused("POST", "/offers", body, member);
    }
  });

  test("amount takes the smallest and the largest sum, exactly", async () => {
    for (const amount of [0.01, 19.99, 0.07, 999_999_999.99, 1_000_000_000]) {
      const body = { operation_id: operation, property_id: property, amount };
      const answer = await agency.client.post("/offers", body);
      expect(answer.status).toBe(201);
      expect(answer.body.data.amount).toBe(amount);
    }
  });
});

describe("A body of an odd build", () => {
  test("counts the last of two members with one name, as JSON readers do", async () => {
    const answer = await agency.client.post(
      "/leads",
      '{"full_name":"Primera","full_name":"Última"}',
    );
    expect(answer.body.data.full_name).toBe("Última");
    await expectRefused("POST", "/leads", '{"full_name":"X","full_name":1}', "full_name");
  });

  test("is refused by its member, however deep it is nested", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    await expectRefused("POST", "/leads", `{"full_name":${deep}}`, "full_name");
    await expectRefused("POST", "/leads", `{"full_name":"X","more":${deep}}`, "more");
    const objects = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    await expectRefused("POST", "/leads", raw("notes", objects), "notes");
  });
});

describe("An answer to bad input", () => {
  test("names every member that is wrong", async () => {
    const answer = await agency.client.post("/leads", { phone: 1, email: 2, colour: "red" });
    expect(
      answer.body.error.details.issues.map((issue: { path: string }) => issue.path).sort(),
    ).toEqual(["colour", "email", "full_name", "phone"]);
  });

  test("stays small, however much is wrong", async () => {
    const members = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, i) => [`member_${i}_${"x".repeat(20)}`, i]),
    );
    const many = await agency.client.post("/leads", { full_name: "X", ...members });
    expect(many.status).toBe(422);
    expect(ErrorAnswer.parse(many.body).error.details.issues).toHaveLength(50);
    const long = await agency.client.post("/leads", { full_name: "X", ["y".repeat(500_000)]: 1 });
    expect(long.status).toBe(422);
    expect(long.text.length).toBeLessThan(1000);
  });
});

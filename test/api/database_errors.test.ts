import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ErrorAnswer } from "../../types/contracts/errors.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, type TestAgency } from "./agency.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

/** Makes GET /flows meet an error that the database raises by itself, as a fault in our SQL would. */
async function answerTo(sqlstate: string) {
  await stack.sql.unsafe(`
    create or replace function api.list_flows() returns jsonb language plpgsql set search_path = '' as $$
    begin
      raise exception using errcode = '${sqlstate}', message = 'secret message', detail = 'secret detail', hint = 'secret hint';
    end $$`);
  return agency.client.get("/flows", { headers: { "x-request-id": `cause-${sqlstate}` } });
}

describe("An error that the database raises by itself", () => {
  test.each([
    ["22P02", 422, "validation_error", { reason: "invalid_value" }],
    ["22003", 422, "validation_error", { reason: "invalid_value" }],
    ["22021", 422, "validation_error", { reason: "invalid_value" }],
    ["22P05", 422, "validation_error", { reason: "invalid_value" }],
    ["23514", 422, "validation_error", { reason: "invalid_value" }],
    ["23502", 422, "validation_error", { reason: "invalid_value" }],
    ["23503", 422, "validation_error", { reason: "unknown_reference" }],
    ["23505", 409, "conflict", {}],
    ["40001", 503, "unavailable", {}],
    ["40P01", 503, "unavailable", {}],
    ["55P03", 503, "unavailable", {}],
    ["57014", 503, "unavailable", {}],
    ["42501", 500, "internal_error", {}],
    ["42P01", 500, "internal_error", {}],
    ["P0001", 500, "internal_error", {}],
    ["XX000", 500, "internal_error", {}],
    ["PT422", 500, "internal_error", {}],
  ])("%s is answered with %i %s", async (sqlstate, status, code, details) => {
    const answer = await answerTo(sqlstate);
    expect(answer.status).toBe(status);
    expect(ErrorAnswer.parse(answer.body).error).toMatchObject({ code, details });
    expect(answer.headers.has("retry-after")).toBe(status === 503);
    expect(answer.text).not.toContain("secret");
  });

  test("is logged with its cause in one line of JSON, under the request's id", async () => {
    await answerTo("XX000");
    const line = await expect
      .poll(() => stack.logs.find((entry) => entry.includes("cause-XX000")))
      .toBeDefined()
      .then(() => stack.logs.find((entry) => entry.includes("cause-XX000")) as string);
    const logged = JSON.parse(line.slice(line.indexOf("{")));
    expect(logged).toMatchObject({
      level: "error",
      request_id: "cause-XX000",
      method: "GET",
      path: "/api/v1/flows",
      status: 500,
      code: "internal_error",
    });
    expect(JSON.stringify(logged.cause)).toContain("secret message");
    expect(line).not.toContain(agency.key);
  });

  test("is logged also when it is answered as a refusal, since the contract should have caught it", async () => {
    await answerTo("23514");
    await expect
      .poll(() => stack.logs.find((entry) => entry.includes("cause-23514")))
      .toContain('"status":422');
  });

  test("is not what a rule of the contract raises: that leaves the log quiet", async () => {
    const headers = { "x-request-id": "quiet" };
    await agency.client.get("/leads/00000000-0000-4000-8000-000000000000", { headers });
    await agency.client.post("/leads", "{", headers);
    await agency.client.get("/flows", { headers: { ...headers, authorization: "Bearer a.b.c" } });
    // The log is read in order, so once this line is there, those of the requests before it would be too.
    await answerTo("XX001");
    await expect.poll(() => stack.logs.some((entry) => entry.includes("cause-XX001"))).toBe(true);
    expect(stack.logs.filter((entry) => entry.includes("quiet"))).toEqual([]);
  });
});

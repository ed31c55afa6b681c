import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
} from "../agency.ts";
import type { Answer } from "../client.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

const patch = (id: string, body: object) => agency.client.patch(`/operations/${id}`, body);

/** Asserts that a change is refused for one reason, and that nothing is written. */
async function expectRefused(id: string, body: object, reason: string): Promise<Answer> {
  const before = await fingerprint(stack);
  const answer = await patch(id, body);
  expect(answer.status).toBe(422);
  expect(answer.body.error.details.reason).toBe(reason);
  expect(await fingerprint(stack)).toBe(before);
  return answer;
}

describe("PATCH /operations/{id}", () => {
  test("refuses a change of nothing", async () => {
    const id = await createOperation(agency, "buy");
    await expectRefused(id, {}, "nothing_to_change");
    await expectRefused(id, { lost_reason: "" }, "nothing_to_change");
  });

  test("refuses lost_reason without stage lost", async () => {
    const id = await createOperation(agency, "buy");
    for (const body of [{ lost_reason: "x" }, { stage: "search", lost_reason: "x" }]) {
      const answer = await expectRefused(id, body, "invalid_body");
      expect(answer.body.error.details.issues).toMatchObject([{ path: "lost_reason" }]);
    }
  });

  test("refuses members that an update does not have", async () => {
    const id = await createOperation(agency, "buy");
    for (const member of ["id", "flow", "lead_id", "operation_type", "won_at", "deposit_paid_at"]) {
      const answer = await expectRefused(id, { [member]: null }, "invalid_body");
      expect(answer.body.error.details.issues).toMatchObject([{ path: member }]);
    }
  });

  test("refuses a property that the agency does not have", async () => {
    const id = await createOperation(agency, "buy");
    const other = await createAgency(stack);
    const property_id = await createProperty(stack, other.id);
    const answer = await expectRefused(id, { property_id }, "unknown_reference");
    expect(answer.body.error.details.issues).toMatchObject([{ path: "property_id" }]);
  });

  test("answers 404 for another agency's operation, and leaves it as it is", async () => {
    const other = await createAgency(stack);
    const id = await createOperation(other, "buy");
    const before = await fingerprint(stack);
    for (const body of [{ stage: "search" }, { stage: "lost" }, { property_id: null }]) {
      const answer = await patch(id, body);
      expect(answer.status).toBe(404);
      expect(answer.body.error.code).toBe("not_found");
    }
    expect(await fingerprint(stack)).toBe(before);
  });

  test("chooses the property, and takes the choice back", async () => {
    const id = await createOperation(agency, "buy");
    const property_id = await createProperty(stack, agency.id);
    for (const choice of [property_id, null]) {
      const answer = await patch(id, { property_id: choice });
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({ property_id: choice, stage: "qualification" });
    }
  });
});

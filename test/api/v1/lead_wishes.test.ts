import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Lead } from "../../../types/contracts/leads.ts";
import { one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, createLead, type TestAgency } from "../agency.ts";

let stack: TestStack;
let agency: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  agency = await createAgency(stack);
});
afterAll(() => stack?.stop());

const WISHES = {
  zone: "Chamberí, Retiro",
  language: "en",
  urgency: "soon",
  summary: "Two bedrooms",
};

describe("PATCH /leads/{id}: what qualification fills", () => {
  test("a person may set and clear", async () => {
    const id = await createLead(agency);
    const set = await agency.client.patch(`/leads/${id}`, WISHES);
    expect(one(Lead).parse(set.body).data).toMatchObject(WISHES);
    const cleared = await agency.client.patch(`/leads/${id}`, {
      zone: null,
      language: null,
      urgency: null,
      summary: null,
    });
    expect(cleared.body.data).toMatchObject({
      zone: null,
      language: null,
      urgency: null,
      summary: null,
    });
  });

  test.each([
    ["zone", " "],
    ["zone", "x".repeat(201)],
    ["language", "español"],
    ["language", "ES"],
    ["urgency", "now"],
    ["summary", "two\nlines"],
    ["summary", "x".repeat(301)],
    ["summary", 5],
  ])("%s is not %j", async (member, value) => {
    const id = await createLead(agency);
    const answer = await agency.client.patch(`/leads/${id}`, { [member]: value });
    expect(answer.status).toBe(422);
    expect(answer.body.error.details.issues[0].path).toBe(member);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent } from "../../../types/contracts/agents.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, createAgent } from "../agency.ts";
import { describeReads, expectRefused, idsOf } from "../reads.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

describeReads({
  path: "/agents",
  row: Agent,
  stack: () => stack,
  create: (agency) => createAgent(stack, agency.id),
});

describe("GET /agents", () => {
  test("lists the active ones, or the others, on request", async () => {
    const agency = await createAgency(stack);
    const gone = await createAgent(stack, agency.id);
    const here = await createAgent(stack, agency.id);
    await stack.sql`update public.agents set active = false where id = ${gone}`;
    expect(await idsOf(agency, "/agents")).toEqual([here, gone]);
    expect(await idsOf(agency, "/agents?active=true")).toEqual([here]);
    expect(await idsOf(agency, "/agents?active=false")).toEqual([gone]);
    expectRefused(await agency.client.get("/agents?active=1"), "invalid_query", "active");
  });

  test("shows no e-mail address", async () => {
    const agency = await createAgency(stack);
    await createAgent(stack, agency.id);
    expect((await agency.client.get("/agents")).text).not.toContain("@");
  });
});

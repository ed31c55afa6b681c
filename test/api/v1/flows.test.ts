import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ListOfFlows } from "../../../types/contracts/flows.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, createKey } from "../agency.ts";
import { clientOf } from "../client.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

describe("GET /flows", () => {
  test("lists each flow's stages in order, active ones first, with their gates", async () => {
    const { client } = await createAgency(stack);
    const answer = await client.get("/flows");
    expect(answer.status).toBe(200);
    const flows = ListOfFlows.parse(answer.body).data;
    expect(
      Object.fromEntries(flows.map((flow) => [flow.id, flow.stages.map(({ id }) => id)])),
    ).toEqual({
      buy: [
        ...["qualification", "search", "viewings", "offer", "reservation", "closing"],
        ...["won", "lost", "expired", "cancelled"],
      ],
      rent: [
        ...["qualification", "search", "viewings", "offer", "contract", "handover"],
        ...["rented", "won", "lost", "expired", "cancelled"],
      ],
      sell: [
        ...["valuation", "mandate", "listed", "offer", "reservation", "closing"],
        ...["sold", "won", "lost", "expired", "cancelled"],
      ],
    });
    const gates = flows
      .find(({ id }) => id === "sell")
      ?.stages.filter(({ gate_steps }) => gate_steps.length > 0);
    expect(gates).toMatchObject([
      { id: "offer", gate_steps: [{ id: "ofertaPreparada" }, { id: "precioAcordado" }] },
    ]);
    for (const stage of flows.flatMap(({ stages }) => stages)) {
      expect(stage.is_terminal).toBe(stage.outcome !== null);
      expect(stage.position === null).toBe(stage.is_terminal);
    }
  });

  test("takes any valid credential, and no parameters", async () => {
    const { id } = await createAgency(stack);
    const client = clientOf(
      stack.baseUrl,
      await createKey(stack, id, { permissions: ["offers:read"] }),
    );
    expect((await client.get("/flows")).status).toBe(200);
    expect((await client.get("/flows?limit=1")).status).toBe(422);
    expect((await clientOf(stack.baseUrl).get("/flows")).status).toBe(401);
  });
});

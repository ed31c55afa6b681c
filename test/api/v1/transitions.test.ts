import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Operation } from "../../../types/contracts/operations.ts";
import { one } from "../../../types/contracts/pages.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import {
  createAgency,
  createOperation,
  createProperty,
  fingerprint,
  type TestAgency,
  tickStep,
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

/** Asserts that a move is refused for one reason, and that nothing is written. */
async function expectRefused(id: string, body: object, reason: string): Promise<Answer> {
  const before = await fingerprint(stack);
  const answer = await patch(id, body);
  expect(answer.status).toBe(422);
  expect(answer.body.error).toMatchObject({ code: "validation_error", details: { reason } });
  expect(await fingerprint(stack)).toBe(before);
  return answer;
}

/** Asserts that a move is done. */
async function expectMoved(id: string, body: { stage: string }): Promise<Answer> {
  const answer = await patch(id, body);
  expect(answer.status, answer.text).toBe(200);
  expect(one(Operation).parse(answer.body).data).toMatchObject({ id, stage: body.stage });
  return answer;
}

const FLOWS = {
  buy: ["qualification", "search", "viewings", "offer", "reservation", "closing"],
  rent: ["qualification", "search", "viewings", "offer", "contract", "handover"],
  sell: ["valuation", "mandate", "listed", "offer", "reservation", "closing"],
} as const;
const SUCCESSES = { buy: ["won"], rent: ["rented", "won"], sell: ["sold", "won"] } as const;
type Flow = keyof typeof FLOWS;
const flows = Object.keys(FLOWS) as Flow[];

/** Does everything that the gate of a stage waits for, by the precise actions. */
async function passGate(id: string, flow: Flow, stage: string): Promise<void> {
  if (stage === "viewings") {
    await tickStep(stack, id, "propiedadesVisitadas");
    const property_id = await createProperty(stack, agency.id, flow === "rent" ? "rent" : "sale");
    await patch(id, { property_id });
  }
  if (stage === "offer") {
    const property_id = await createProperty(stack, agency.id);
    const offer = await agency.client.post("/offers", {
      operation_id: id,
      amount: 1000,
      property_id,
    });
    expect(offer.status).toBe(201);
    await tickStep(stack, id, "precioAcordado");
  }
}

describe.each(flows)("PATCH /operations/{id} in the flow %s", (flow) => {
  const stages = FLOWS[flow];
  const last = stages.at(-1) as string;

  test("moves one step forward at a time, through every gate, and closes as a success", async () => {
    const id = await createOperation(agency, flow);
    for (const [position, stage] of stages.entries()) {
      if (position > 0) await expectMoved(id, { stage });
      await passGate(id, flow, stage);
    }
    if (flow === "rent") {
      await stack.sql`update public.operations set deposit_paid_at = now() where id = ${id}`;
    }
    const { body } = await expectMoved(id, { stage: SUCCESSES[flow][0] });
    expect(body.data.is_terminal).toBe(true);
    expect(body.data.won_at).not.toBeNull();
    expect(body.data.closed_at).toBe(body.data.won_at);
  });

  test.each(SUCCESSES[flow])("closes as %s from the last active stage", async (stage) => {
    const id = await createOperation(agency, flow, last);
    await stack.sql`update public.operations set deposit_paid_at = now() where id = ${id}`;
    await expectMoved(id, { stage });
  });

  test("refuses to skip a stage", async () => {
    const id = await createOperation(agency, flow, stages[0]);
    for (const stage of stages.slice(2)) await expectRefused(id, { stage }, "invalid_transition");
  });

  test("refuses to move backward, or to where it is", async () => {
    const id = await createOperation(agency, flow, last);
    for (const stage of stages) await expectRefused(id, { stage }, "invalid_transition");
  });

  test("refuses success from any stage but the last active one", async () => {
    for (const stage of stages.slice(0, -1)) {
      const id = await createOperation(agency, flow, stage);
      for (const success of SUCCESSES[flow]) {
        await expectRefused(id, { stage: success }, "invalid_transition");
      }
    }
  });

  test.each(["expired", "cancelled"])(
    "closes as %s from any stage, whatever its gate",
    async (stage) => {
      for (const from of stages) {
        const { body } = await expectMoved(await createOperation(agency, flow, from), { stage });
        expect(body.data).toMatchObject({ is_terminal: true, won_at: null });
        expect(body.data.closed_at).not.toBeNull();
      }
    },
  );

  test("closes as lost from any stage, with its reason", async () => {
    for (const from of stages) {
      const id = await createOperation(agency, flow, from);
      const answer = await patch(id, { stage: "lost", lost_reason: "Compró otro piso" });
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({ stage: "lost", lost_reason: "Compró otro piso" });
    }
  });

  test("refuses the successes of the other flows as invalid_stage", async () => {
    const id = await createOperation(agency, flow, last);
    const own: readonly string[] = SUCCESSES[flow];
    for (const stage of ["won", "sold", "rented"].filter((success) => !own.includes(success))) {
      await expectRefused(id, { stage }, "invalid_stage");
    }
  });
});

describe("PATCH /operations/{id} with stage lost", () => {
  test.each([
    ["without lost_reason", {}],
    ["with an empty lost_reason", { lost_reason: "" }],
    ["with a blank lost_reason", { lost_reason: " \n\t" }],
    ["with a null lost_reason", { lost_reason: null }],
  ])("is refused %s", async (_, more) => {
    const id = await createOperation(agency, "buy");
    await expectRefused(id, { stage: "lost", ...more }, "lost_reason_required");
  });
});

describe("PATCH /operations/{id} with a stage that is not valid", () => {
  test.each([
    ["an unknown word", "nowhere"],
    ["the empty string", ""],
    ["a stage of another flow", "mandate"],
    ["another case", "Search"],
    ["an emoji", "🏠"],
    ["a very long word", "x".repeat(5000)],
    ["a very long emoji word", "🏠".repeat(5000)],
  ])("refuses %s as invalid_stage", async (_, stage) => {
    const id = await createOperation(agency, "buy");
    const answer = await expectRefused(id, { stage }, "invalid_stage");
    expect(answer.body.error.details.stages).toEqual([
      ...["qualification", "search", "viewings", "offer", "reservation", "closing"],
      ...["won", "lost", "expired", "cancelled"],
    ]);
  });

  test.each([[1], [null], [true], [["search"]], [{ id: "search" }]])(
    "refuses %j as no string at all",
    async (stage) => {
      const id = await createOperation(agency, "buy");
      const answer = await expectRefused(id, { stage }, "invalid_body");
      expect(answer.body.error.details.issues).toMatchObject([{ path: "stage" }]);
    },
  );
});

describe("PATCH /operations/{id} of a closed operation", () => {
  test.each(["won", "lost", "expired", "cancelled"])("is refused after %s", async (closed) => {
    const id = await createOperation(agency, "buy", "closing");
    const close = await patch(id, {
      stage: closed,
      ...(closed === "lost" ? { lost_reason: "Sin respuesta" } : {}),
    });
    expect(close.status).toBe(200);
    for (const stage of ["search", "won", "expired", "cancelled", "nowhere", ""]) {
      await expectRefused(id, { stage }, "operation_closed");
    }
    // Closed is judged before the value and before the reason.
    await expectRefused(id, { stage: "lost" }, "operation_closed");
  });

  test("is refused of its property too, which stays", async () => {
    const id = await createOperation(agency, "sell", "closing");
    const property_id = await createProperty(stack, agency.id);
    await patch(id, { property_id });
    expect((await patch(id, { stage: "sold" })).status).toBe(200);
    await expectRefused(id, { property_id: null }, "operation_closed");
    await expectRefused(
      id,
      { property_id: await createProperty(stack, agency.id) },
      "operation_closed",
    );
    expect((await patch(id, { property_id })).body.data.property_id).toBe(property_id);
  });
});

describe("PATCH /operations/{id} at a gate", () => {
  test("refuses the next stage and lists the steps that are missing, in their order", async () => {
    const id = await createOperation(agency, "buy", "viewings");
    const { body } = await expectRefused(id, { stage: "offer" }, "stage_gate_blocked");
    expect(body.error.details.pending_actions).toEqual([
      { id: "propiedadesVisitadas", label: "Propiedades visitadas" },
      { id: "favoritaElegida", label: "Propiedad favorita elegida" },
    ]);
  });

  test("lists only the steps that are still to do", async () => {
    const id = await createOperation(agency, "rent", "viewings");
    await tickStep(stack, id, "propiedadesVisitadas");
    const { body } = await expectRefused(id, { stage: "offer" }, "stage_gate_blocked");
    expect(body.error.details.pending_actions.map((step: { id: string }) => step.id)).toEqual([
      "favoritaElegida",
    ]);
  });

  test.each(flows)("waits in the flow %s for an offer and for its acceptance", async (flow) => {
    const id = await createOperation(agency, flow, "offer");
    const next = FLOWS[flow][4];
    const { body } = await expectRefused(id, { stage: next }, "stage_gate_blocked");
    expect(body.error.details.pending_actions.map((step: { id: string }) => step.id)).toEqual([
      "ofertaPreparada",
      "precioAcordado",
    ]);
  });

  test("judges the transition before the gate", async () => {
    const id = await createOperation(agency, "buy", "viewings");
    await expectRefused(id, { stage: "reservation" }, "invalid_transition");
  });

  test("chooses the property and moves in one request", async () => {
    const id = await createOperation(agency, "buy", "viewings");
    await tickStep(stack, id, "propiedadesVisitadas");
    const property_id = await createProperty(stack, agency.id);
    const answer = await patch(id, { property_id, stage: "offer" });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ property_id, stage: "offer" });
  });

  test("writes nothing of a request whose stage is refused", async () => {
    const id = await createOperation(agency, "buy", "viewings");
    const property_id = await createProperty(stack, agency.id);
    await expectRefused(id, { property_id, stage: "offer" }, "stage_gate_blocked");
  });
});

describe("PATCH /operations/{id} at the database's own gate", () => {
  test.each(["rented", "won"])(
    "refuses to close a rental as %s before the deposit",
    async (stage) => {
      const id = await createOperation(agency, "rent", "handover");
      await expectRefused(id, { stage }, "db_gate_blocked");
      await stack.sql`update public.operations set deposit_paid_at = now() where id = ${id}`;
      await expectMoved(id, { stage });
    },
  );

  test("closes a rental as a failure without the deposit", async () => {
    await expectMoved(await createOperation(agency, "rent", "handover"), { stage: "cancelled" });
  });
});

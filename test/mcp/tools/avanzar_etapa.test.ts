import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createLead, createOperation, tickStep } from "../../api/agency.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createHome, createWorld, type World } from "./world.ts";

let stack: TestStack;
let world: World;
let operation_id: string;

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
beforeEach(async () => {
  world = await createWorld(stack);
  operation_id = await createOperation(world, "buy");
});
afterAll(() => stack?.stop());

async function stageOf(id: string): Promise<string> {
  return (await world.client.get(`/operations/${id}`)).body.data.stage;
}

test("without a stage it goes to the next one", async () => {
  const first = await world.call("avanzar_etapa", { operation_id });
  expect(first.content).toMatchObject({ operation_id, stage: "search", stage_label: "Búsqueda" });
  const second = await world.call("avanzar_etapa", { operation_id });
  expect(second.content).toMatchObject({
    stage: "viewings",
    is_terminal: false,
    pending_actions: [{ id: "propiedadesVisitadas" }, { id: "favoritaElegida" }],
  });
});

test("a stage may be named, as in REST", async () => {
  const { content } = await world.call("avanzar_etapa", { operation_id, stage: "search" });
  expect(content.stage).toBe("search");
});

test("a gate answers with its pending steps, and nothing changes", async () => {
  const id = await createOperation(world, "buy", "viewings");
  for (const args of [{ operation_id: id }, { operation_id: id, stage: "offer" }]) {
    const answer = await world.call("avanzar_etapa", args);
    expect(answer.isError).toBe(true);
    expect(answer.error).toMatchObject({
      code: "validation_error",
      message: expect.stringContaining("pasos pendientes"),
      details: {
        reason: "stage_gate_blocked",
        pending_actions: [
          { id: "propiedadesVisitadas", label: "Propiedades visitadas" },
          { id: "favoritaElegida", label: "Propiedad favorita elegida" },
        ],
      },
    });
  }
  expect(await stageOf(id)).toBe("viewings");
});

test("choosing the property closes its step in the same call", async () => {
  const id = await createOperation(world, "buy", "viewings");
  await tickStep(stack, id, "propiedadesVisitadas");
  const property_id = await createHome(stack, world.id);
  const { content } = await world.call("avanzar_etapa", { operation_id: id, property_id });
  expect(content).toMatchObject({ stage: "offer", property_id });
});

test("the last stage asks how to close, and closes so", async () => {
  const id = await createOperation(world, "buy", "closing");
  const asked = await world.call("avanzar_etapa", { operation_id: id });
  expect(asked.error.details).toMatchObject({
    reason: "stage_required",
    stages: ["won", "lost", "expired", "cancelled"],
  });
  const won = await world.call("avanzar_etapa", { operation_id: id, stage: "won" });
  expect(won.content).toMatchObject({ stage: "won", is_terminal: true });
  const again = await world.call("avanzar_etapa", { operation_id: id });
  expect(again.error.details.reason).toBe("operation_closed");
});

test.each([
  [{ stage: "offer" }, "invalid_transition"],
  [{ stage: "won" }, "invalid_transition"],
  [{ stage: "nowhere" }, "invalid_stage"],
  [{ stage: "lost" }, "lost_reason_required"],
  [{ lost_reason: "x" }, "invalid_arguments"],
  [{ property_id: randomUUID() }, "unknown_reference"],
])("%j is refused with the reason of REST: %s", async (args, reason) => {
  const answer = await world.call("avanzar_etapa", { operation_id, ...args });
  expect(answer.isError).toBe(true);
  expect(answer.error.details.reason).toBe(reason);
  expect(await stageOf(operation_id)).toBe("qualification");
});

test("lost takes its reason", async () => {
  const { content } = await world.call("avanzar_etapa", {
    operation_id,
    stage: "lost",
    lost_reason: "Compró en otro sitio",
  });
  expect(content).toMatchObject({
    stage: "lost",
    is_terminal: true,
    lost_reason: "Compró en otro sitio",
  });
});

test("a rental waits for the deposit", async () => {
  const id = await createOperation(world, "rent", "handover");
  const answer = await world.call("avanzar_etapa", { operation_id: id, stage: "rented" });
  expect(answer.error.details.reason).toBe("db_gate_blocked");
});

test("another agency's operation is not found, and stays as it was", async () => {
  const other = await createWorld(stack);
  const theirs = await createOperation(other, "buy");
  for (const args of [{ operation_id: theirs }, { operation_id: theirs, stage: "search" }]) {
    const answer = await world.call("avanzar_etapa", args);
    expect(answer.error).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("No encontrado"),
    });
  }
  expect((await other.client.get(`/operations/${theirs}`)).body.data.stage).toBe("qualification");
});

test("it needs operations:write", async () => {
  const call = await world.callWith(["operations:read"]);
  for (const id of [operation_id, await createOperation(world, "buy", "closing")]) {
    const answer = await call("avanzar_etapa", { operation_id: id });
    expect(answer.error.details.required_permission).toBe("operations:write");
  }
});

test("each call is counted once", async () => {
  const lead_id = await createLead(world);
  expect(lead_id).toBeDefined();
  const key = await stack.createApiKey(world.id);
  const { post, request } = await import("../client.ts");
  const params = { name: "avanzar_etapa", arguments: { operation_id } };
  const answer = await post(stack.baseUrl, request("tools/call", params), { token: key });
  expect(answer.headers.get("ratelimit-remaining")).toBe("119");
});

test("a gate that holds says of each step how it is done, also of one that only a person can do", async () => {
  const viewings = await createOperation(world, "buy", "viewings");
  const first = await world.call("avanzar_etapa", { operation_id: viewings });
  expect(first.error.details.pending_actions).toEqual([
    { id: "propiedadesVisitadas", label: "Propiedades visitadas" },
    { id: "favoritaElegida", label: "Propiedad favorita elegida" },
  ]);
  expect(first.error.message).toMatch(/Propiedades visitadas: .*«agendar_visita».*operation_id/);
  expect(first.error.message).toMatch(/Propiedad favorita elegida: .*property_id.*«avanzar_etapa»/);
  const offer = await createOperation(world, "buy", "offer");
  const second = await world.call("avanzar_etapa", { operation_id: offer });
  expect(second.error.message).toContain("«registrar_oferta»");
  expect(second.error.message).toMatch(/Precio acordado: .*Ninguna herramienta lo hace/);
});

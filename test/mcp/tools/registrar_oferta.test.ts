import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createOperation, fingerprint } from "../../api/agency.ts";
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
  operation_id = await createOperation(world, "buy", "offer");
});
afterAll(() => stack?.stop());

test("an offer is recorded, not accepted, and the stage stays", async () => {
  const property_id = await createHome(stack, world.id);
  const { content } = await world.call("registrar_oferta", {
    operation_id,
    property_id,
    amount: 285_000.5,
    notes: "Sujeta a hipoteca",
  });
  expect(content).toMatchObject({
    operation_id,
    property_id,
    amount: 285_000.5,
    currency: "EUR",
    offer_type: "sale",
    status: "received",
    notes: "Sujeta a hipoteca",
  });
  expect(content.public_token).toMatch(/^[0-9a-f]{48}$/);
  const operation = await world.client.get(`/operations/${operation_id}`);
  expect(operation.body.data).toMatchObject({
    stage: "offer",
    pending_actions: [{ id: "precioAcordado" }],
  });
});

test("without a property anywhere it is refused", async () => {
  const answer = await world.call("registrar_oferta", { operation_id, amount: 1 });
  expect(answer.error.details.reason).toBe("property_required");
});

test.each([
  ["amount", { amount: 0 }],
  ["amount", { amount: "1" }],
  ["amount", {}],
  ["currency", { amount: 1, currency: "ZZZ" }],
  ["status", { amount: 1, status: "accepted" }],
])("a wrong %s is named and nothing is stored", async (path, args) => {
  const before = await fingerprint(stack);
  const answer = await world.call("registrar_oferta", { operation_id, ...args });
  expect(answer.error).toMatchObject({ code: "validation_error", details: { issues: [{ path }] } });
  expect(await fingerprint(stack)).toBe(before);
});

test("another agency's operation or property is not found", async () => {
  const other = await createWorld(stack);
  const theirs = await createHome(stack, other.id);
  for (const args of [{ operation_id: randomUUID() }, { operation_id, property_id: theirs }]) {
    const answer = await world.call("registrar_oferta", { amount: 1, ...args });
    expect(answer.error.details.reason).toBe("unknown_reference");
    expect(answer.error.message).toContain("No encontrado");
  }
});

test("it needs offers:write", async () => {
  const call = await world.callWith(["offers:read"]);
  const answer = await call("registrar_oferta", { operation_id, amount: 1 });
  expect(answer.error.details.required_permission).toBe("offers:write");
});

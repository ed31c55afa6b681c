import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createHome, createWorld, type World } from "./world.ts";

let stack: TestStack;
let world: World;
let other: World;
const leads: Record<string, string> = {};
const homes: Record<string, string> = {};

const PEOPLE = [
  { full_name: "José García López", phone: "+34611000001", email: "jose.garcia@correo.example" },
  { full_name: "María Jiménez Ruiz", phone: "+34611000002", email: "maria@correo.example" },
  { full_name: "Begoña Fernández", phone: "+34611000003" },
  { full_name: "Иван Петров", phone: "+34611000004" },
  { full_name: "Emma Clarke", phone: "+442071838750" },
];

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  world = await createWorld(stack);
  other = await createWorld(stack);
  for (const person of PEOPLE) {
    const answer = await world.client.post("/leads", { ...person, operation_type: "buy" });
    leads[person.full_name] = answer.body.data.id;
  }
  await other.client.post("/leads", { full_name: "José García Ajeno", phone: "+34611000001" });
  homes.sueca = await createHome(stack, world.id, {
    reference: "VLC-001",
    title: "Piso reformado",
    street: "Calle Sueca 21",
    zone: "Ruzafa",
    city: "Valencia",
  });
  await createHome(stack, other.id, { street: "Calle Sueca 99" });
});
afterAll(() => stack?.stop());

async function found(query: string) {
  const { content } = await world.call("buscar", { query });
  return content.results;
}

test.each([
  ["José García López", "José García López"],
  ["jose garcia", "José García López"],
  ["GARCÍA LÓPEZ JOSÉ", "José García López"],
  ["garsia lopes", "José García López"],
  ["jimenez", "María Jiménez Ruiz"],
  ["Gimenez ruis", "María Jiménez Ruiz"],
  ["garsia", "José García López"],
  ["begona fernandes", "Begoña Fernández"],
  ["Fernan", "Begoña Fernández"],
  ["иван", "Иван Петров"],
  ["611000002", "María Jiménez Ruiz"],
  ["611 00 00 02", "María Jiménez Ruiz"],
  ["+34 611-000-002", "María Jiménez Ruiz"],
  ["0034611000002", "María Jiménez Ruiz"],
  ["(020) 7183-8750", "Emma Clarke"],
  ["maria@correo.example", "María Jiménez Ruiz"],
  ["MARIA@Correo.example ", "María Jiménez Ruiz"],
])("%j finds the client first", async (query, full_name) => {
  const [first] = await found(query);
  expect(first).toMatchObject({ kind: "client", client: { full_name }, property: null });
  expect(first.client.leads.items[0]).toMatchObject({
    lead_id: leads[full_name],
    open_operations: [{ operation_type: "buy", stage: "qualification" }],
  });
});

test.each(["calle sueca 21", "Sueca", "VLC-001", "sueka ruzafa"])(
  "%j finds the property first",
  async (query) => {
    const [first] = await found(query);
    expect(first).toMatchObject({
      kind: "property",
      client: null,
      property: { property_id: homes.sueca, address: "Calle Sueca 21, Ruzafa, Valencia" },
    });
  },
);

test("what it was found by is told", async () => {
  expect((await found("611000003"))[0].matched_by).toBe("phone");
  expect((await found("maria@correo.example"))[0].matched_by).toBe("email");
  expect((await found("begoña"))[0].matched_by).toBe("full_name");
});

test("a lead that was renamed is found by either name", async () => {
  await world.client.patch(`/leads/${leads["Emma Clarke"]}`, { full_name: "Emma Thompson" });
  for (const query of ["Emma Thompson", "Emma Clarke"]) {
    const [first] = await found(query);
    expect(first.client.leads.items[0].lead_id).toBe(leads["Emma Clarke"]);
  }
});

test("a contact that was merged is found by all it was known by, once, as the one that was kept", async () => {
  const people = [
    { full_name: "Concepción Arribas", phone: "+34611000021", email: "concha@correo.example" },
    { full_name: "Conchita Arribas", phone: "+34611000022", email: "arribas@trabajo.example" },
  ];
  for (const person of people) await world.client.post("/leads", person);
  const [kept, merged] = await Promise.all(
    people.map(async ({ email }) => {
      const [row] = await stack.sql`
        select id from public.contacts where agency_id = ${world.id} and email = ${email}`;
      return row?.id;
    }),
  );
  await stack.sql`select admin.merge_contacts(${kept}, ${merged})`;
  for (const query of [
    "Conchita Arribas",
    "611000022",
    "arribas@trabajo.example",
    "Arribas",
    "arribes",
  ]) {
    const clients = (await found(query)).map(
      ({ client }: { client: { contact_id: string } | null }) => client?.contact_id,
    );
    expect(clients, query).toEqual([kept]);
  }
  const [first] = await found("Conchita");
  expect(first.client).toMatchObject({ full_name: "Concepción Arribas", phone: "+34611000021" });
  expect(first.client.leads.items).toHaveLength(2);
});

test("another agency's clients and properties are not seen", async () => {
  const results = await found("garcia");
  expect(JSON.stringify(results)).not.toContain("Ajeno");
  expect(await found("calle sueca 99")).toEqual(
    expect.not.arrayContaining([
      expect.objectContaining({ property: { address: "Calle Sueca 99" } }),
    ]),
  );
});

test.each(["zzzzqqqq", "!!!", "700111222", "' or 1=1 --", "a & b | !c"])(
  "%j finds nobody, and is no error",
  async (query) => {
    const answer = await world.call("buscar", { query });
    expect(answer.isError).toBe(false);
    expect(answer.content.truncated).toBe(false);
  },
);

test("more than asked is cut and said", async () => {
  for (let n = 0; n < 4; n++)
    await world.client.post("/leads", { full_name: `Rosa Repetida ${n}` });
  const { content } = await world.call("buscar", { query: "rosa repetida", limit: 3 });
  expect(content.results).toHaveLength(3);
  expect(content.truncated).toBe(true);
});

test("blank and too long queries are refused by name", async () => {
  for (const query of ["  ", "x".repeat(201), "a\u0000b", 7]) {
    const answer = await world.call("buscar", { query });
    expect(answer.error.details.issues).toMatchObject([{ path: "query" }]);
  }
});

test("it needs leads:read", async () => {
  const call = await world.callWith(["properties:read"]);
  expect((await call("buscar", { query: "a" })).error.details.required_permission).toBe(
    "leads:read",
  );
});

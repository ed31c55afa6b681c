import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createHome, createWorld, type World } from "./world.ts";

let stack: TestStack;
let world: World;
const homes: Record<string, string> = {};

const HOMES = {
  terrace: {
    title: "Piso con terraza",
    property_type: "flat",
    price: 289_000,
    bedrooms: 3,
    bathrooms: 2,
    area_m2: 98,
    zone: "Ruzafa",
    city: "Valencia",
    description: "Reformado, con ascensor y gran terraza.",
  },
  plain: {
    title: "Piso exterior",
    property_type: "flat",
    price: 250_000,
    bedrooms: 3,
    zone: "Ruzafa",
    city: "Valencia",
  },
  dear: {
    title: "Piso señorial",
    property_type: "flat",
    price: 620_000,
    bedrooms: 5,
    zone: "Ruzafa",
  },
  elsewhere: {
    title: "Casa con terrazas",
    property_type: "house",
    price: 200_000,
    bedrooms: 4,
    zone: "El Cabanyal",
    city: "Valencia",
  },
  rented: {
    title: "Piso luminoso",
    property_type: "flat",
    listing_type: "rent",
    price: 1150,
    bedrooms: 3,
    zone: "Algirós",
    city: "Valencia",
  },
  sold: {
    title: "Piso vendido con terraza",
    property_type: "flat",
    price: 280_000,
    bedrooms: 3,
    zone: "Ruzafa",
    status: "sold",
  },
};

beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
  world = await createWorld(stack);
  for (const [name, home] of Object.entries(HOMES))
    homes[name] = await createHome(stack, world.id, home);
  const other = await createWorld(stack);
  await createHome(stack, other.id, { ...HOMES.terrace, zone: "Benimaclet" });
});
afterAll(() => stack?.stop());

async function search(query: string, more: object = {}) {
  const answer = await world.call("buscar_propiedades", { query, ...more });
  expect(answer.error).toBeUndefined();
  return {
    ...answer.content,
    ids: answer.content.properties.items.map((home: { property_id: string }) => home.property_id),
  };
}

test("a description becomes filters, places and words, and says which", async () => {
  const { understood, ids, properties } = await search(
    "piso de 3 habitaciones en Ruzafa, hasta 300.000, con terraza",
  );
  expect(understood).toEqual({
    property_types: ["flat", "penthouse", "duplex", "studio"],
    bedrooms_min: 3,
    price_max: 300_000,
    listing_type: "sale",
    places: ["ruzafa"],
    terms: ["terraza"],
  });
  expect(ids).toEqual([homes.terrace, homes.plain]);
  expect(properties.items[0]).toMatchObject({
    address: "Ruzafa, Valencia",
    matched_terms: ["terraza"],
    missing_terms: [],
    excerpt: "Reformado, con ascensor y gran terraza.",
  });
  expect(properties.items[1]).toMatchObject({ matched_terms: [], missing_terms: ["terraza"] });
});

test.each(["Rusafa", "RUZAFA", "ruzáfa"])("the zone may be written %j", async (zone) => {
  const { understood } = await search(`piso en ${zone}`);
  expect(understood.places).toEqual(["ruzafa"]);
  expect(understood.terms).toEqual([]);
});

test("words are compared by their stem and without accents", async () => {
  const { ids, understood } = await search("viviendas con TERRAZAS en Valencia");
  expect(understood.places).toEqual(["valencia"]);
  expect(ids.slice(0, 2).sort()).toEqual([homes.terrace, homes.elsewhere].sort());
});

test("rent and sale are told apart, also by the price alone", async () => {
  expect((await search("piso en alquiler")).ids).toEqual([homes.rented]);
  expect((await search("piso por 1.200 euros")).ids).toEqual([homes.rented]);
});

test("arguments prevail over the description", async () => {
  const { ids, understood } = await search("piso hasta 300.000", {
    price_max: 700_000,
    bedrooms_min: 5,
  });
  expect(understood).toMatchObject({ price_max: 700_000, bedrooms_min: 5 });
  expect(ids).toEqual([homes.dear]);
});

test("a place that the agency does not have is a word that is missing", async () => {
  const { understood, properties } = await search("piso en Benimaclet");
  expect(understood).toMatchObject({ places: [], terms: ["Benimaclet"] });
  expect(properties.items[0].missing_terms).toEqual(["Benimaclet"]);
});

test("more than asked is cut and said", async () => {
  const { properties } = await search("inmueble", { limit: 2 });
  expect(properties).toMatchObject({ total: 5, truncated: true });
  expect(properties.items).toHaveLength(2);
});

test.each(["'", "a & !b", "\\", "😀", "%"])("%j is no error", async (query) => {
  expect((await search(query)).understood.places).toEqual([]);
});

test("it needs properties:read", async () => {
  const call = await world.callWith(["leads:read"]);
  const answer = await call("buscar_propiedades", { query: "piso" });
  expect(answer.error.details.required_permission).toBe("properties:read");
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Property } from "../../../types/contracts/properties.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { createAgency, createLead, createProperty, type TestAgency } from "../agency.ts";
import { describeReads, expectRefused, idsOf } from "../reads.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await testStack({ functions: ["api"] });
});
afterAll(() => stack?.stop());

describeReads({
  path: "/properties",
  row: Property,
  permission: "properties:read",
  stack: () => stack,
  create: (agency) => createProperty(stack, agency.id),
});

describe("GET /properties", () => {
  let agency: TestAgency;
  let flat: string;
  let house: string;
  let owner: string;

  async function insert(row: Record<string, unknown>): Promise<string> {
    const [stored] = await stack.sql<{ id: string }[]>`
      insert into public.properties ${stack.sql({ agency_id: agency.id, ...row })} returning id`;
    return (stored as { id: string }).id;
  }

  beforeAll(async () => {
    agency = await createAgency(stack);
    owner = await createLead(agency);
    flat = await insert({
      reference: "VLC-1",
      listing_type: "rent",
      property_type: "flat",
      price: 950.5,
      bedrooms: 2,
      area_m2: 71.5,
      city: "València",
      zone: "Ruzafa",
    });
    house = await insert({
      reference: "VLC-2",
      listing_type: "sale",
      status: "pending",
      property_type: "house",
      price: 335000,
      bedrooms: 4,
      city: "Sagunto",
      zone: "Puerto",
      owner_lead_id: owner,
    });
  });

  test("shows numbers as numbers", async () => {
    const { body } = await agency.client.get(`/properties/${flat}`);
    expect(body.data).toMatchObject({ price: 950.5, area_m2: 71.5, bedrooms: 2 });
  });

  test.each([
    ["status=pending", "house"],
    ["listing_type=rent", "flat"],
    ["property_type=house", "house"],
    ["city=valència", "flat"],
    ["zone=PUERTO", "house"],
    ["price_max=950.50", "flat"],
    ["price_min=950.51", "house"],
    ["price_min=900&price_max=1000", "flat"],
    ["bedrooms_min=3", "house"],
    ["reference=VLC-1", "flat"],
  ])("filters by %s", async (query, name) => {
    expect(await idsOf(agency, `/properties?${query}`)).toEqual([name === "flat" ? flat : house]);
  });

  test("filters by owner, and by several things together", async () => {
    expect(await idsOf(agency, `/properties?owner_lead_id=${owner}`)).toEqual([house]);
    expect(await idsOf(agency, "/properties?bedrooms_min=2")).toEqual([house, flat]);
    expect(await idsOf(agency, "/properties?city=Sagunto&listing_type=rent")).toEqual([]);
  });

  test.each([
    ["status=gone", "status"],
    ["listing_type=lease", "listing_type"],
    ["property_type=castle", "property_type"],
    ["price_min=-1", "price_min"],
    ["price_max=1e9", "price_max"],
    ["price_max=1000000001", "price_max"],
    ["price_min=1.234", "price_min"],
    ["bedrooms_min=two", "bedrooms_min"],
    ["bedrooms_min=201", "bedrooms_min"],
    ["city=", "city"],
    ["owner_lead_id=1", "owner_lead_id"],
  ])("refuses ?%s and names %s", async (query, path) => {
    expectRefused(await agency.client.get(`/properties?${query}`), "invalid_query", path);
  });
});

import { expect, test } from "vitest";
import { readDescribedSearch } from "../../functions/api/mcp/described_search.ts";

const FLATS = ["flat", "penthouse", "duplex", "studio"];

test.each([
  [
    "piso de 3 habitaciones en Ruzafa, hasta 300.000, con terraza",
    { property_types: FLATS, bedrooms_min: 3, price_max: 300_000, listing_type: "sale" },
    ["Ruzafa", "terraza"],
  ],
  [
    "Busco un ático en alquiler por menos de 1.200 € al mes con dos dormitorios y ascensor",
    { property_types: ["penthouse"], listing_type: "rent", price_max: 1200, bedrooms_min: 2 },
    ["ascensor"],
  ],
  [
    "casa con piscina en El Cabanyal entre 200 y 350 mil euros",
    { property_types: ["house"], price_min: 200_000, price_max: 350_000, listing_type: "sale" },
    ["piscina", "Cabanyal"],
  ],
  [
    "local comercial de más de 120 m2 en venta",
    { property_types: ["premises"], area_min_m2: 120, listing_type: "sale" },
    [],
  ],
  [
    "desde 150k hasta 0,5 millones",
    { price_min: 150_000, price_max: 500_000, listing_type: "sale" },
    [],
  ],
  ["estudio 900€", { property_types: ["studio"], price_max: 900, listing_type: "rent" }, []],
  ["4 hab 2 baños", { bedrooms_min: 4, bathrooms_min: 2 }, []],
  ["Dúplex luminoso cerca del mar", { property_types: ["duplex"] }, ["luminoso", "mar"]],
  ["casa o chalet con jardín", { property_types: ["house"] }, ["jardín"]],
  ["presupuesto máximo de 250.000", { price_max: 250_000, listing_type: "sale" }, []],
  ["😀 piso", { property_types: FLATS }, []],
  ["", {}, []],
])("%j", (description, filters, words) => {
  expect(readDescribedSearch(description)).toEqual({ filters, words });
});

test("a long text leaves a bounded number of words", () => {
  expect(readDescribedSearch("palabra ".repeat(60)).words).toHaveLength(12);
});

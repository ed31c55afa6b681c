import { z } from "zod";
import { id, MAX_AMOUNT, moment, textOrNull, words } from "./fields.ts";
import { page } from "./pages.ts";

export const ListingType = z
  .enum(["sale", "rent"])
  .describe("Whether the property is for sale or for rent.");
export const PropertyStatus = z
  .enum(["available", "pending", "sold", "rented", "withdrawn"])
  .describe("Whether it is on the market; pending from an accepted offer until the deal closes.");
export const PropertyType = z
  .enum([
    "flat",
    "house",
    "penthouse",
    "duplex",
    "studio",
    "office",
    "premises",
    "garage",
    "storage",
    "land",
    "building",
    "other",
  ])
  .describe("What kind of property it is.");

const price = z
  .string()
  .regex(/^[0-9]{1,10}(\.[0-9]{1,2})?$/, "must be an amount with at most 2 decimals")
  .transform(Number)
  .pipe(z.number().max(MAX_AMOUNT))
  .meta({ type: "number", minimum: 0, maximum: MAX_AMOUNT, pattern: undefined });

export const ListPropertiesQuery = z
  .strictObject({
    status: PropertyStatus.optional().describe("Only properties in this status."),
    listing_type: ListingType.optional().describe("Only properties for sale, or only for rent."),
    property_type: PropertyType.optional().describe("Only properties of this kind."),
    city: words(200)
      .optional()
      .describe("Only properties in this town or city, in any letter case."),
    zone: words(200)
      .optional()
      .describe("Only properties in this neighbourhood, in any letter case."),
    price_min: price.optional().describe("Only properties at this price or more."),
    price_max: price.optional().describe("Only properties at this price or less."),
    bedrooms_min: z
      .string()
      .regex(/^[0-9]{1,3}$/, "must be a whole number from 0 to 200")
      .transform(Number)
      .pipe(z.int().max(200))
      .optional()
      .meta({ type: "integer", minimum: 0, maximum: 200, pattern: undefined })
      .describe("Only properties with this many bedrooms or more."),
    reference: words(200).optional().describe("Only the property with this reference."),
    owner_lead_id: id.optional().describe("Only properties of this owner."),
    ...page,
  })
  .describe("Which properties to list.");

export const Property = z
  .strictObject({
    id: id.describe("Identifier of the property."),
    reference: textOrNull.describe("The agency's own reference."),
    title: textOrNull.describe("One line for people."),
    listing_type: ListingType,
    status: PropertyStatus,
    property_type: PropertyType,
    price: z.number().nullable().describe("The asking price, or the monthly rent, in EUR."),
    bedrooms: z.int().nullable().describe("Number of bedrooms."),
    bathrooms: z.int().nullable().describe("Number of bathrooms."),
    area_m2: z.number().nullable().describe("Built area in square metres."),
    street: textOrNull.describe("Street and number."),
    zone: textOrNull.describe("Neighbourhood."),
    city: textOrNull.describe("Town or city."),
    postal_code: textOrNull.describe("Postal code."),
    description: textOrNull.describe("Text of the advertisement."),
    owner_lead_id: id.nullable().describe("The listing lead of the owner, if known."),
    created_at: moment.describe("When it was added."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("A home, premises or land that the agency sells or lets.");

import { z } from "zod";
import { CURRENCIES } from "./currencies.ts";
import { amount, id, moment, optional, text, textOrNull } from "./fields.ts";
import { issue } from "./issues.ts";
import { page } from "./pages.ts";

export const OfferType = z.enum(["sale", "rent"]).describe("Whether it offers to buy or to rent.");
export const OfferStatus = z
  .enum(["received", "accepted", "rejected", "withdrawn"])
  .describe("What became of the offer.");

export const ListOffersQuery = z
  .strictObject({
    operation_id: id.optional().describe("Only offers of this operation."),
    lead_id: id.optional().describe("Only offers of this lead."),
    status: OfferStatus.optional().describe("Only offers in this status."),
    ...page,
  })
  .describe("Which offers to list.");

export const CreateOffer = z
  .strictObject({
    operation_id: id.describe("The operation the offer belongs to; it also gives the lead."),
    amount: amount.describe(
      "The sum offered: above 0, at most 1,000,000,000, with at most 2 decimals.",
    ),
    property_id: optional(id).describe(
      "The property the offer is for; the operation's by default.",
    ),
    currency: optional(
      z
        .string()
        .toUpperCase()
        .refine((code) => CURRENCIES.has(code), issue("not_a_currency"))
        .meta({ minLength: 3, maxLength: 3 }),
    ).describe("ISO 4217 currency code; EUR by default."),
    notes: optional(text(10_000)).describe("Free text."),
    offer_type: optional(OfferType).describe(
      "sale or rent; by default, whichever the property is listed for.",
    ),
  })
  .describe("A received offer. Recording it neither accepts it nor moves the stage.");

export const Offer = z
  .strictObject({
    id: id.describe("Identifier of the offer."),
    operation_id: id.describe("The operation it belongs to."),
    lead_id: id.describe("The lead who made it."),
    property_id: id.describe("The property it is for."),
    amount: z.number().describe("The sum offered."),
    currency: z.string().describe("ISO 4217 currency code."),
    offer_type: OfferType,
    notes: textOrNull.describe("Free text."),
    status: OfferStatus,
    public_token: z.string().describe("Token of the offer's shareable link."),
    accepted_at: moment.nullable().describe("When it was first accepted."),
    created_at: moment.describe("When it was recorded."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("An offer on a property, recorded on an operation.");

/** A new link needs no body; an empty object is accepted too. */
export const CreateOfferLink = z.strictObject({}).describe("A new public link takes no members.");

/** What anyone with an offer's link sees. */
export const PublicOffer = z
  .strictObject({
    amount: z.number().describe("The sum offered."),
    currency: z.string().describe("ISO 4217 currency code."),
    offer_type: OfferType,
    status: OfferStatus,
    created_at: moment.describe("When it was recorded."),
    property: z
      .strictObject({
        title: textOrNull.describe("One line for people."),
        zone: textOrNull.describe("Neighbourhood."),
        city: textOrNull.describe("Town or city."),
      })
      .describe("The property it is for, without its street."),
    agency: z
      .strictObject({ name: z.string().describe("The agency's name.") })
      .describe("The agency that recorded it."),
  })
  .describe("An offer as its public link shows it.");

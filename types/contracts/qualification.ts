import { z } from "zod";
import { line, MAX_AMOUNT } from "./fields.ts";
import { Language, Temperature, Urgency } from "./leads.ts";

export const Intent = z
  .enum(["buy", "rent", "sell", "let"])
  .describe("buy or rent a home, or sell or let their own.");

/** What a message says about a lead's wishes; both a model's answer and what the rules find have this form. */
export const Qualification = z
  .strictObject({
    temperature: Temperature.nullable().describe(
      "hot: will act within a month or has the money ready; warm: wants something definite; cold: only looks around.",
    ),
    intent: Intent.nullable(),
    budget_max: z
      .number()
      .positive()
      .max(MAX_AMOUNT)
      .nullable()
      .describe(
        "The most the person would pay, in whole units: the price, or the rent a month. Never the price of the property they ask about.",
      ),
    bedrooms_min: z
      .int()
      .min(0)
      .max(50)
      .nullable()
      .describe("The fewest bedrooms the person accepts."),
    zone: line(200)
      .nullable()
      .describe("Towns or neighbourhoods where the person looks, as written, separated by commas."),
    language: Language.nullable().describe("The language of the person's text, ISO 639-1."),
    urgency: Urgency.nullable(),
    summary: line(300).nullable().describe("The wishes in one line, in the language of the text."),
  })
  .describe("What a message says of a lead's wishes; null for what it does not say.");

export type Qualification = z.infer<typeof Qualification>;

import type { Qualification } from "../../../types/contracts/qualification.ts";
import { findBedrooms } from "./bedrooms.ts";
import { findBudget } from "./budget.ts";
import { findIntent } from "./intent.ts";
import { findLanguage } from "./language.ts";
import { withoutMachineTalk } from "./machine.ts";
import { readMail } from "./mail.ts";
import { soughtByOwner } from "./sought.ts";
import { summarize } from "./summary.ts";
import { findTemperature } from "./temperature.ts";
import { findUrgency } from "./urgency.ts";
import { findZone } from "./zone.ts";

/** Recorded with each result; raise it when the rules change what they find. */
export const RULES_VERSION = "rules-4";

/** Bulk mail states nobody's wishes. */
const BULK =
  /\b(?:darse de baja|date de baja|cancelar (?:la|tu) suscripci[oó]n|unsubscribe|manage your preferences)\b/iu;
const NOTHING: Qualification = {
  temperature: null,
  intent: null,
  budget_max: null,
  bedrooms_min: null,
  zone: null,
  language: null,
  urgency: null,
  summary: null,
};

/** Reads a mail for a lead's wishes, mainly in Spanish and English. */
export function qualifyByRules(subject: string | null, body: string): Qualification {
  const mail = readMail(subject, body);
  if (BULK.test(mail.own)) return NOTHING;
  const own = withoutMachineTalk(mail.own);
  const listing = withoutMachineTalk(mail.listing);

  const budget = findBudget(own);
  const intent = findIntent(own, listing) ?? intentOf(budget) ?? null;
  const isOwner = intent === "sell" || intent === "let";
  // An owner's sum is an asking price, and the home's bedrooms are not a wish; only what they look for instead is.
  const sought = isOwner ? soughtByOwner(own) : own;
  const found = {
    intent,
    budget_max: (isOwner ? findBudget(sought) : budget) ?? null,
    bedrooms_min: findBedrooms(sought) ?? null,
    zone: findZone(own) ?? findZone(listing) ?? null,
    language: findLanguage(own) ?? null,
    urgency: findUrgency(own) ?? null,
  };
  return {
    ...found,
    temperature: findTemperature(own, found) ?? null,
    summary: summarize(found),
  };
}

/** The highest rents are below the lowest prices, so the sum tells which is meant. */
function intentOf(budget: number | undefined): "buy" | "rent" | undefined {
  if (budget === undefined) return undefined;
  return budget >= 25_000 ? "buy" : budget <= 8_000 ? "rent" : undefined;
}

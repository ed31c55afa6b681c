import type { Qualification } from "../../../types/contracts/qualification.ts";
import { findBedrooms } from "../rules/bedrooms.ts";
import { withoutMachineTalk } from "../rules/machine.ts";
import { plainText, type Received } from "../rules/mail.ts";
import { amountsIn } from "../rules/numbers.ts";
import { fold } from "../rules/zone.ts";

const CONTACT_OR_LINK = /https?:|www\.|[\w.+-]+@[\w-]+\.|(?:\d[ .-]?){9,}/i;

/**
 * Keeps the parts of a model's answer that the message supports. Sums, places and counts must appear in it outside
 * sentences addressed to a program, and the summary must not contain links or phone numbers. So a message that steers
 * the model gains nothing that it could not simply have said.
 */
export function groundedIn(message: Received, answer: Qualification): Qualification {
  const text = withoutMachineTalk(`${message.subject ?? ""}\n${plainText(message.body)}`);
  const folded = fold(text);
  const { budget_max, bedrooms_min, zone, summary } = answer;
  return {
    ...answer,
    budget_max: amountsIn(text).some(({ value }) => value === budget_max) ? budget_max : null,
    bedrooms_min:
      bedrooms_min === findBedrooms(text) || text.includes(String(bedrooms_min))
        ? bedrooms_min
        : null,
    zone: zone?.split(",").every((place) => folded.includes(fold(place.trim()))) ? zone : null,
    summary: summary !== null && CONTACT_OR_LINK.test(summary) ? null : summary,
  };
}

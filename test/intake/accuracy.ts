import { fold } from "../../functions/intake/rules/zone.ts";
import type { Qualification } from "../../types/contracts/qualification.ts";
import type { Label, LabelledMail } from "./mails.ts";

export const FIELDS = [
  "temperature",
  "intent",
  "budget_max",
  "bedrooms_min",
  "zone",
  "language",
  "urgency",
] as const satisfies (keyof Label)[];

/** How well one field is found: of what was said, how much was right; of what was there, how much was said. */
export interface Accuracy {
  precision: number;
  recall: number;
  /** Mails that have the field. */
  present: number;
}

/** Whether a finding is what the label says; zones are compared as sets of places, without accents. */
export function isRight(field: keyof Label, found: unknown, expected: unknown): boolean {
  if (field !== "zone" || typeof found !== "string" || typeof expected !== "string") {
    return found === expected;
  }
  const places = (zone: string) => fold(zone).split(", ").sort().join("|");
  return places(found) === places(expected);
}

/** Precision and recall of a qualifier for each field over labelled mails. */
export function measure(
  mails: readonly LabelledMail[],
  qualify: (mail: LabelledMail) => Qualification,
): Record<(typeof FIELDS)[number], Accuracy> {
  const results = mails.map((mail) => ({ expected: mail.expected, found: qualify(mail) }));
  const entries = FIELDS.map((field) => {
    const said = results.filter(({ found }) => found[field] !== null);
    const present = results.filter(({ expected }) => expected[field] !== null);
    const right = said.filter(({ found, expected }) =>
      isRight(field, found[field], expected[field]),
    );
    return [
      field,
      {
        precision: said.length === 0 ? 1 : right.length / said.length,
        recall: present.length === 0 ? 1 : right.length / present.length,
        present: present.length,
      },
    ];
  });
  return Object.fromEntries(entries);
}

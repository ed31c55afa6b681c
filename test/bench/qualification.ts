import { qualifyByRules } from "../../functions/intake/rules/qualify.ts";
import { FIELDS, measure } from "../intake/accuracy.ts";
import { labelledMails } from "../intake/mails.ts";
import { type BenchContext, type BenchRow, row } from "./row.ts";

/** What the rules must reach on the mails they were written with; the others are for information. */
const LIMITS = { mails: { at_least: 0.9 }, unseen: {} } as const;

/** How well the built-in rules read the labelled mails: precision and recall of each field. */
export async function run({ log }: BenchContext): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const set of ["mails", "unseen"] as const) {
    const mails = labelledMails(set);
    log(
      `${mails.length} ${set === "mails" ? "labelled mails" : "mails the rules were not written with"}`,
    );
    const startedAt = performance.now();
    const accuracy = measure(mails, ({ subject, body }) => qualifyByRules(subject, body));
    const ms_per_mail = (performance.now() - startedAt) / mails.length;
    for (const field of FIELDS) {
      const { precision, recall, present } = accuracy[field];
      for (const [measured, share] of Object.entries({ precision, recall })) {
        rows.push(
          row(`qualification by rules, ${set}: ${measured} of ${field}`, share, LIMITS[set], {
            mails: mails.length,
            mails_with_the_field: present,
            ms_per_mail,
          }),
        );
      }
    }
  }
  return rows;
}

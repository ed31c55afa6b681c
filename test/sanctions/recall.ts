import type postgres from "postgres";
import { listedStrangers, ordinaryNames, type Variant, variantsOf } from "./names/sets.ts";

export interface Recall {
  /** By kind of variation, and "all": how many were found, of how many. */
  kinds: Map<string, { found: number; of: number }>;
  missed: Variant[];
}

const idOf = (name: string): string => `listed ${name}`;

/** Makes the list the people of both sets, among as many strangers. */
export async function loadNames(sql: postgres.Sql, strangers: number): Promise<void> {
  const listed = new Set([...variantsOf("tuned"), ...variantsOf("held-out")].map((v) => v.listed));
  const names = [...listed];
  const ids = names.map(idOf);
  for (const [n, name] of listedStrangers(strangers).entries()) {
    names.push(name);
    ids.push(`stranger ${n}`);
  }
  await sql.begin(async (transaction) => {
    await transaction`select private.open_sanctions_list()`;
    await transaction`
      insert into pg_temp.sanctions_incoming (id, schema, name)
      select id, 'Person', name from unnest(${ids}::text[], ${names}::text[]) as n (id, name)`;
    await transaction`select private.swap_sanctions_list('names')`;
  });
  await sql`vacuum (analyze) public.sanctions_entries, public.sanctions_names, public.sanctions_words`;
}

/** How many of the variants of a set are found as whom they stand for. */
export async function recallOf(sql: postgres.Sql, set: "tuned" | "held-out"): Promise<Recall> {
  const kinds: Recall["kinds"] = new Map();
  const missed: Variant[] = [];
  for (const variant of variantsOf(set)) {
    const found = (await matchesOf(sql, variant.written)).includes(idOf(variant.listed));
    if (!found) missed.push(variant);
    for (const kind of [variant.kind, "all"]) {
      const count = kinds.get(kind) ?? { found: 0, of: 0 };
      kinds.set(kind, { found: count.found + (found ? 1 : 0), of: count.of + 1 });
    }
  }
  return { kinds, missed };
}

/** Of so many ordinary names, those that are taken for somebody on the list. */
export async function falseAlarmsIn(sql: postgres.Sql, count: number): Promise<string[]> {
  const alarms: string[] = [];
  for (const name of ordinaryNames(count)) {
    const matches = await matchesOf(sql, name);
    if (matches.length > 0) alarms.push(`${name}: ${matches.join(", ")}`);
  }
  return alarms;
}

async function matchesOf(sql: postgres.Sql, name: string): Promise<string[]> {
  const rows = await sql<{ entry_id: string }[]>`
    select s.entry_id from private.screen_person(${name}) s where s.score >= private.sanctions_threshold()`;
  return rows.map(({ entry_id }) => entry_id);
}

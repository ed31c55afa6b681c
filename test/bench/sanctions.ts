import { readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { falseAlarmsIn, loadNames, recallOf } from "../sanctions/recall.ts";
import { testDatabase } from "../stack/harness.ts";
import { median } from "./rounds.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const ENTRIES = 500_000;
const SCREENS = 300;
const MEDIAN_MS_MAX = 20;
const STRANGERS = 20_000;
const ORDINARY_NAMES = 2000;
const RECALL_MIN = 0.97;
const FALSE_ALARMS_MAX = 0.005;
const LIST = readFileSync(join(import.meta.dirname, "sanctions_list.sql"), "utf8");

/** Names of people who are on no list, as leads have them. */
const LEADS = [
  "Ana García López",
  "José Luis Fernández",
  "Marta Echevarría",
  "Juan Pérez",
  "Lucía Domínguez Sanz",
  "Peter Smith",
  "María Carmen Rodríguez Gómez",
  "Olga Ivanova",
  "Jordi Puig i Ferrer",
  "Mohammed Rahman",
  "Iñaki Goikoetxea",
  "Li Wei",
];

/** How well listed people are found however their names are written, and how fast. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  return [...(await recall(context)), ...(await speed(context))];
}

/** The people of test/sanctions/names among 20,000 strangers: how many are found, by kind of variation. */
async function recall({ server, log }: BenchContext): Promise<BenchRow[]> {
  const { sql, stop } = await testDatabase(server);
  try {
    await loadNames(sql, STRANGERS);
    const rows: BenchRow[] = [];
    for (const set of ["tuned", "held-out"] as const) {
      log(`screening the ${set} names`);
      for (const [kind, { found, of }] of (await recallOf(sql, set)).kinds) {
        const limit = kind === "all" ? { at_least: RECALL_MIN } : {};
        rows.push(
          row(`sanctions: recall of ${set} names, ${kind}`, found / of, limit, { found, of }),
        );
      }
    }
    log(`screening ${ORDINARY_NAMES} ordinary names`);
    const alarms = await falseAlarmsIn(sql, ORDINARY_NAMES);
    return [
      ...rows,
      row(
        "sanctions: false alarms, share of ordinary Spanish names",
        alarms.length / ORDINARY_NAMES,
        { at_most: FALSE_ALARMS_MAX },
        { alarms },
      ),
    ];
  } finally {
    await stop();
  }
}

/** One name against a list of half a million: how long `private.screen_person` takes, and that it goes by its index. */
async function speed({ server, log }: BenchContext): Promise<BenchRow[]> {
  const { sql, stop } = await testDatabase(server);
  try {
    const load_seconds = await load(sql, log);
    const names = await namesToScreen(sql);
    for (const name of names.slice(0, 20)) await screen(sql, name);
    const before = await scans(sql);
    const took: number[] = [];
    for (const name of names) {
      const startedAt = performance.now();
      await screen(sql, name);
      took.push(performance.now() - startedAt);
    }
    const after = await scans(sql);
    const by_index = after.by_index - before.by_index;
    const by_reading_all = after.by_reading_all - before.by_reading_all;
    log(`${by_index} index scans, ${by_reading_all} scans of the whole table`);
    took.sort((a, b) => a - b);
    const detail = {
      entries: ENTRIES,
      load_seconds: rounded(load_seconds),
      screens: took.length,
      p95_ms: rounded(took[Math.floor(took.length * 0.95)] ?? Number.NaN),
      most_ms: rounded(took.at(-1) ?? Number.NaN),
    };
    return [
      row(
        "sanctions: one name against 500,000 entries, median in ms",
        median(took),
        { at_most: MEDIAN_MS_MAX },
        detail,
      ),
      row(
        "sanctions: scans of the whole list in these screens",
        by_reading_all,
        { at_most: 0 },
        { by_index },
      ),
    ];
  } finally {
    await stop();
  }
}

async function load(sql: postgres.Sql, log: (line: string) => void): Promise<number> {
  log(`loading ${ENTRIES} entries`);
  const startedAt = performance.now();
  await sql.begin(async (transaction) => {
    // As the load command has it: half a million entries may take longer than a statement may.
    await transaction`set local statement_timeout = 0`;
    await transaction`select private.open_sanctions_list()`;
    await transaction.unsafe(LIST.replaceAll(":entries", String(ENTRIES)));
    await transaction`select private.swap_sanctions_list('bench')`;
  });
  const seconds = (performance.now() - startedAt) / 1000;
  await sql`vacuum (analyze) public.sanctions_entries, public.sanctions_names, public.sanctions_words`;
  return seconds;
}

/** Half are leads that are not on the list, half are entries with their words turned round and one letter wrong. */
async function namesToScreen(sql: postgres.Sql): Promise<string[]> {
  const entries = await sql<{ name: string }[]>`
    select name from public.sanctions_entries where right(id, 4) = '7777' order by id limit ${SCREENS / 2}`;
  const found = entries.map(({ name }) =>
    name
      .split(" ")
      .reverse()
      .join(" ")
      .replace(/[aeiou](?=\w*$)/, "y"),
  );
  const strangers = Array.from(
    { length: SCREENS - found.length },
    (_, n) => LEADS[n % LEADS.length] ?? "",
  );
  return strangers.flatMap((name, n) => (found[n] === undefined ? [name] : [name, found[n]]));
}

async function screen(sql: postgres.Sql, name: string): Promise<void> {
  await sql`select private.screen_entries(${name}, null, null, '[]')`;
}

async function scans(sql: postgres.Sql): Promise<{ by_index: number; by_reading_all: number }> {
  // A session reports what it did when it is idle; this asks all of them to do so now.
  await sql`select pg_stat_force_next_flush()`;
  await sql`select pg_stat_clear_snapshot()`;
  const [row] = await sql<{ by_index: number; by_reading_all: number }[]>`
    select
      (select sum(idx_scan)::int from pg_stat_user_indexes where indexrelname in ('sanctions_names_by_words', 'sanctions_words_by_key')) as by_index,
      (select sum(seq_scan)::int from pg_stat_user_tables where relname in ('sanctions_names', 'sanctions_words')) as by_reading_all`;
  return row ?? { by_index: 0, by_reading_all: 0 };
}

import type postgres from "postgres";
import { exitWith, Failure } from "../../failure.ts";
import { npmScript } from "../../npm_script.ts";
import { explainDatabase, openDatabase } from "../command_database.ts";
import { copyEntries } from "./copy_entries.ts";
import { ListFile, type ReadProgress, type UnusedRow } from "./list_file.ts";

const MAX_BROKEN_SHOWN = 20;

const [path = ""] = npmScript("sanctions:load")
  .description("Replaces the sanctions list. Acts on DATABASE_URL, by default the local stack's.")
  .argument("<file>", "targets.simple.csv of OpenSanctions")
  .parse().args;
try {
  const sql = openDatabase();
  try {
    process.stdout.write(`${JSON.stringify(await load(sql, new ListFile(path)))}\n`);
  } finally {
    await sql.end({ timeout: 5 });
  }
} catch (error) {
  exitWith(error instanceof Failure ? error : new Failure(explainDatabase(error)));
}

/** Replaces the list with the file's in one transaction, or changes nothing. */
async function load(sql: postgres.Sql, file: ListFile): Promise<unknown> {
  // A hosted project gives a statement two minutes; a whole list, and all leads that it may concern, take longer.
  await sql`set statement_timeout = 0`;
  const loaded = await sql.begin(async (transaction) => {
    await transaction`select private.open_sanctions_list()`;
    await copyEntries(transaction, file.entries(showProgress));
    if (file.broken.length > 0) throw new Failure(describeBroken(file.broken));
    if (file.left_out > 0) process.stderr.write(`${describeLeftOut(file)}\n`);
    process.stderr.write("comparing with the current list …\n");
    const [row] = await transaction`select * from private.swap_sanctions_list(${file.name})`;
    if (row?.entries === 0) throw new Failure(`${file.name} names nobody; nothing was loaded`);
    return row;
  });
  // Removes the replaced rows now, so that the next screens are as fast as before.
  await sql`vacuum (analyze) public.sanctions_entries, public.sanctions_names, public.sanctions_words`;
  return { ...loaded, left_out: file.left_out };
}

function showProgress({ rows, share }: ReadProgress): void {
  process.stderr.write(`${rows} rows read (${Math.round(share * 100)} %)\n`);
}

function describeBroken(broken: UnusedRow[]): string {
  return [
    `${broken.length} rows are broken; nothing was loaded:`,
    ...linesOf(broken.slice(0, MAX_BROKEN_SHOWN), broken.length),
  ].join("\n");
}

function describeLeftOut({ left_out, first_left_out }: ListFile): string {
  return [
    `${left_out} ${left_out === 1 ? "row" : "rows"} left out, since a lead is a person or an organisation:`,
    ...linesOf(first_left_out, left_out),
  ].join("\n");
}

function linesOf(shown: UnusedRow[], count: number): string[] {
  const more = count - shown.length;
  return [
    ...shown.map(({ line, reason }) => `  line ${line}: ${reason}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

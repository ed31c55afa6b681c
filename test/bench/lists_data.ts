import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestDatabase } from "../stack/harness.ts";

const file = readFileSync(join(import.meta.dirname, "lists_data.sql"), "utf8");

/** Fills a database whose agencies exist already: `rows` leads and operations in each. */
export async function fillLists(
  database: TestDatabase,
  agencies: number,
  rows: number,
): Promise<void> {
  await fillWithoutIndexes(database, file, [agencies, rows]);
}

/** Runs a file's statements with these numbers for $1, $2, …, without triggers. */
export async function fillWithoutIndexes(
  { sql }: TestDatabase,
  file: string,
  numbers: readonly number[],
): Promise<void> {
  const statements = file
    .replace(/^--.*$/gm, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
  await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`set local maintenance_work_mem = '512MB'`;
    // A bulk load and its indexes are no statements of the service.
    await transaction`set local statement_timeout = 0`;
    // Rows go into a table without its indexes in half the time; the keys stay.
    const indexes = await transaction<{ name: string; definition: string }[]>`
      select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i
      join pg_class t on t.oid = i.indrelid
      where t.relnamespace = 'public'::regnamespace
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`;
    for (const { name } of indexes) await transaction.unsafe(`drop index ${name}`);
    for (const statement of statements) {
      await transaction.unsafe(
        numbers.reduce((text, value, n) => text.replaceAll(`$${n + 1}`, `${value}`), statement),
      );
    }
    for (const { definition } of indexes) await transaction.unsafe(definition);
  });
  const maintenance = await sql.reserve();
  await maintenance`set statement_timeout = 0`;
  await maintenance`vacuum analyze`;
  await maintenance`reset statement_timeout`;
  maintenance.release();
}

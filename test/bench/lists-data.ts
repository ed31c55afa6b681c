import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestDatabase } from "../stack/harness.ts";

const statements = readFileSync(join(import.meta.dirname, "lists-data.sql"), "utf8")
  .replace(/^--.*$/gm, "")
  .split(";")
  .map((statement) => statement.trim())
  .filter((statement) => statement !== "");

/** Fills a database whose agencies exist already: `rows` leads and operations in each. */
export async function fillLists(
  { sql }: TestDatabase,
  agencies: number,
  rows: number,
): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    await transaction`set local maintenance_work_mem = '512MB'`;
    // Rows go into a table without its indexes in half the time; the keys stay.
    const indexes = await transaction<{ name: string; definition: string }[]>`
      select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i
      where i.indrelid in ('public.leads'::regclass, 'public.operations'::regclass,
          'public.operation_steps'::regclass, 'public.sanctions_screens'::regclass)
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`;
    for (const { name } of indexes) await transaction.unsafe(`drop index ${name}`);
    for (const statement of statements) {
      await transaction.unsafe(
        statement.replaceAll("$1", `${agencies}`).replaceAll("$2", `${rows}`),
      );
    }
    for (const { definition } of indexes) await transaction.unsafe(definition);
  });
  await sql`vacuum analyze`;
}

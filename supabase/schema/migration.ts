import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import postgres from "postgres";
import { exitWith, Failure } from "../failure.ts";
import { cloneDatabase, type ThrowawayServer, urlFor } from "../local/postgres/throwaway.ts";
import { buildDatabase, planTowards, withServer } from "./databases.ts";
import { recordMigration } from "./landed.ts";
import { migrationsDirectory, readSql, runFile, runText, schemaFiles } from "./load.ts";
import { compareRows, readReferenceRows } from "./reference_rows.ts";

/**
 * Writes the migration that brings a database built by `supabase/migrations` to one built by
 * `sql/`. Somebody reads it before it is committed.
 */
async function main([name]: string[]): Promise<void> {
  if (name === undefined || !/^[a-z0-9_]+$/.test(name)) {
    throw new Failure(
      "a migration needs a name of lower-case words: npm run db:migration -- add_x",
    );
  }
  const text = await withServer(async (server) => {
    const current = await buildDatabase(server, "migrations");
    const wanted = await buildDatabase(server, "sql");
    const schema = await planTowards(server, current, wanted);
    return schema + (await changedData(server, current, schema));
  });
  if (text === "") {
    console.log("Nothing to do: sql/ and supabase/migrations give the same database.");
    return;
  }
  const stamp = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
  const path = join(migrationsDirectory, `${stamp}_${name}.sql`);
  mkdirSync(migrationsDirectory, { recursive: true });
  writeFileSync(path, text);
  recordMigration(path);
  console.log(
    `Wrote ${relative(process.cwd(), path)}. Read it before you commit it; to make it anew, remove it and its line in migrations.sha256.`,
  );
}

/** The data files that change a row once the schema is there. They can be run any number of times. */
async function changedData(server: ThrowawayServer, current: string, schema: string) {
  const template = new URL(current).pathname.slice(1);
  const url = urlFor(server, await cloneDatabase(server, template), "postgres");
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  let text = "";
  try {
    if (schema !== "") await runText(url, schema);
    for (const file of schemaFiles("sql").filter((path) => path.endsWith(".data.sql"))) {
      const before = await readReferenceRows(url);
      await runFile(sql, file);
      const after = await readReferenceRows(url);
      if (compareRows(before, after).length > 0) text += `\n${readSql(file)}`;
    }
  } finally {
    await sql.end();
  }
  return text;
}

await main(process.argv.slice(2)).catch(exitWith);

import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { InvalidArgumentError } from "commander";
import postgres from "postgres";
import { exitWith } from "../failure.ts";
import { cloneDatabase, type ThrowawayServer, urlFor } from "../local/postgres/throwaway.ts";
import { npmScript } from "../npm_script.ts";
import { migrationsDirectory, readSql, runFile, runText, schemaFiles } from "../sql_files.ts";
import { buildDatabase, planTowards, withServer } from "./databases.ts";
import { recordMigration } from "./landed.ts";
import { compareRows, readReferenceRows } from "./reference_rows.ts";

/** Writes the migration that brings a database built by `supabase/migrations` to one built by `sql/`. */
async function main(name: string): Promise<void> {
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

/** The name becomes part of a file's. */
function nameOf(text: string): string {
  if (!/^[a-z0-9_]+$/.test(text))
    throw new InvalidArgumentError("It takes lower-case words joined by underscores.");
  return text;
}

const [name = ""] = npmScript("db:migration")
  .description("Writes the migration that brings supabase/migrations up to sql/.")
  .argument("<name>", "what it does, for example add_offers", nameOf)
  .parse().processedArgs;
await main(name).catch(exitWith);

import { basename } from "node:path";
import postgres from "postgres";
import { Failure } from "../failure.ts";
import { schemaFiles } from "../schema/load.ts";
import { runSupabase } from "./supabase_cli.ts";

/** Applies what is pending of `supabase/migrations`, by the Supabase CLI; gives how many files. */
export async function applyMigrations(databaseUrl: string): Promise<number> {
  const pending = await pendingMigrations(databaseUrl);
  // The CLI takes a second to find out that nothing is pending, so a second start does not ask it.
  if (pending.length > 0) await runSupabase(["db", "push", `--remote=${databaseUrl}`]);
  return pending.length;
}

async function pendingMigrations(databaseUrl: string): Promise<string[]> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql<{ known: boolean }[]>`
      select to_regclass('supabase_migrations.schema_migrations') is not null as known`;
    const applied = row?.known
      ? await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations`
      : [];
    const files = new Map(
      schemaFiles("migrations").map((file) => [basename(file).split("_")[0], file]),
    );
    const unknown = applied.map(({ version }) => version).filter((version) => !files.has(version));
    if (unknown.length > 0) {
      throw new Failure(
        `the database has migrations that this version does not know (${unknown.join(", ")}): another version made it; name a new folder with DATA_DIR, or remove the one it is in`,
      );
    }
    for (const { version } of applied) files.delete(version);
    return [...files.values()];
  } finally {
    await sql.end();
  }
}

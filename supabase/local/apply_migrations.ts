import { basename } from "node:path";
import postgres from "postgres";
import { Failure } from "../failure.ts";
import { schemaFiles } from "../sql_files.ts";
import { runSupabase } from "./run_supabase.ts";

/** Applies the pending files of `supabase/migrations` and prints how many there were. */
export async function applyMigrations(databaseUrl: string): Promise<void> {
  const pending = await pendingMigrations(databaseUrl);
  // Starting the Supabase CLI takes a second, which a start with nothing to apply saves.
  if (pending.length === 0) return;
  await runSupabase(["db", "push", `--remote=${databaseUrl}`]);
  console.log(`Applied ${pending.length} migration(s).`);
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
        `the database has migrations that this checkout does not have (${unknown.join(", ")}): choose another folder with DATA_DIR, or remove this one`,
      );
    }
    for (const { version } of applied) files.delete(version);
    return [...files.values()];
  } finally {
    await sql.end();
  }
}

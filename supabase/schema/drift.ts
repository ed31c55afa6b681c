import { readExpectedText } from "../commands/doctor/expected.ts";
import { exitWith } from "../failure.ts";
import { npmScript } from "../npm_script.ts";
import { generateCatalog } from "./catalog_file.ts";
import { buildDatabase, planTowards, withServer } from "./databases.ts";
import { findChangedMigrations } from "./landed.ts";
import { compareRows, readReferenceRows } from "./reference_rows.ts";
import { generateTypes, readTypes } from "./types_file.ts";

/** What differs between `supabase/migrations`, `sql/` and the files made from it; empty when nothing does. */
export async function findDrift(): Promise<string> {
  return withServer(async (server) => {
    const migrated = await buildDatabase(server, "migrations");
    const wanted = await buildDatabase(server, "sql");
    const parts = findChangedMigrations().map(
      (change) => `Migrations are append-only, and ${change}.`,
    );
    const schema = await planTowards(server, migrated, wanted);
    if (schema !== "") parts.push(`supabase/migrations lack, against sql/:\n\n${schema}`);
    const rows = compareRows(await readReferenceRows(migrated), await readReferenceRows(wanted));
    if (rows.length > 0)
      parts.push(`Reference rows differ (- migrations, + sql):\n${rows.join("\n")}`);
    if ((await generateTypes(wanted)) !== readTypes()) {
      parts.push("types/database.ts is not what the database gives: npm run db:types");
    }
    if ((await generateCatalog(wanted)) !== readExpectedText()) {
      parts.push("the doctor's expected.json is not what the database gives: npm run db:types");
    }
    return parts.join("\n\n");
  });
}

if (import.meta.main) {
  npmScript("db:drift")
    .description("Compares sql/, the migrations and the files made from them.")
    .parse();
  const drift = await findDrift().catch(exitWith);
  if (drift !== "") {
    console.error(`${drift}\n\nDrift. \`npm run db:migration -- <name>\` writes the migration.`);
    process.exit(1);
  }
  console.log("No drift: sql/, supabase/migrations and the files made from them agree.");
}

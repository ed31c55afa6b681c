import { afterAll, beforeAll, expect, test } from "vitest";
import { applyMigrations } from "../../supabase/local/apply_migrations.ts";
import { type TestDatabase, testDatabase } from "../stack/harness.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
  await database.sql`create schema supabase_migrations`;
  await database.sql`create table supabase_migrations.schema_migrations (version text primary key)`;
});
afterAll(() => database?.stop());

test("a database that another version made is refused by name, and left as it is", async () => {
  await database.sql`insert into supabase_migrations.schema_migrations values ('20200101000000')`;
  await expect(applyMigrations(database.databaseUrl)).rejects.toThrow(
    /migrations that this checkout does not have \(20200101000000\).*DATA_DIR/,
  );
  const rows = await database.sql`select version from supabase_migrations.schema_migrations`;
  expect(rows.map(({ version }) => version)).toEqual(["20200101000000"]);
});

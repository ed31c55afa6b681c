import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../local/fixtures.ts";
import { type TestDatabase, testDatabase } from "../stack/harness.ts";
import { LIST, loadFile } from "./loader.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.stop());

test("a load takes as long as it takes, whatever the server gives to a statement", async () => {
  const { sql, databaseUrl } = database;
  const name = new URL(databaseUrl).pathname.slice(1);
  await sql.unsafe(`alter database ${name} set statement_timeout = '300ms'`);
  // Another load is at work, so the first statement of this one waits for longer than that.
  const other = await sql.reserve();
  await other`select pg_advisory_lock(hashtextextended('sanctions_list', 0))`;
  const load = loadFile(databaseUrl, LIST);
  const waited = eventually(async () => {
    const [row] = await sql<{ waits: boolean }[]>`
      select exists (
        select from pg_stat_activity where wait_event = 'advisory' and now() - query_start > interval '600 ms'
          and datname = current_database()) as waits`;
    return row?.waits;
  });
  await Promise.race([waited, load]);
  await other`select pg_advisory_unlock(hashtextextended('sanctions_list', 0))`;
  other.release();
  const { code, err } = await load;
  expect(code, err).toBe(0);
  await waited;
});

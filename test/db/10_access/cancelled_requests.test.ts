import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../../stack/harness.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.stop());

const CANCELS = 400;

test("a request that is cancelled while it is counted leaves no lock, wherever it was", async () => {
  const { sql } = database;
  const agencyId = await database.createAgency();
  await database.createApiKey(agencyId);
  const counting = await sql.reserve();
  const [{ pid } = { pid: 0 }] = await counting<{ pid: number }[]>`select pg_backend_pid() as pid`;
  let cancelled = 0;
  try {
    for (let n = 0; n < CANCELS; n++) {
      const outcome = counting`
        select count(private.take_token(k.agency_id, k.id))
        from public.api_keys k, generate_series(1, 2000)`.then(
        () => "finished",
        (error) => error.code,
      );
      await sql`select pg_sleep(${0.001 + (n % 17) / 10_000}), pg_cancel_backend(${pid}::int)`;
      if ((await outcome) === "57014") cancelled++;
      const held = await sql`
        select from pg_locks where locktype = 'advisory' and pid = ${pid}::int`;
      expect(held.count, `locks after ${n + 1} cancels`).toBe(0);
    }
  } finally {
    counting.release();
  }
  // The others came before the statement began, or after its end.
  expect(cancelled).toBeGreaterThan(CANCELS / 4);
}, 60_000);

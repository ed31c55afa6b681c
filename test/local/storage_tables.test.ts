import { randomBytes } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../stack/harness.ts";

/** What `postgres` may and may not do with Storage's tables on a hosted project. */

let database: TestDatabase;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await testDatabase();
  sql = database.sql;
});
afterAll(() => database?.stop());

async function refusal(statement: string) {
  const error = await sql.unsafe(statement).catch((thrown: postgres.PostgresError) => thrown);
  expect(error, statement).toBeInstanceOf(Error);
  const { code, message } = error as postgres.PostgresError;
  return { code, message };
}

describe("Storage's tables", () => {
  test("belong to Storage, of whom postgres is no member", async () => {
    const tables = await sql`
      select relname, relowner::regrole::text as owner, pg_has_role('postgres', relowner, 'member') as member
      from pg_class where oid in ('storage.objects'::regclass, 'storage.buckets'::regclass) order by relname`;
    expect([...tables]).toEqual([
      { relname: "buckets", owner: "supabase_storage_admin", member: false },
      { relname: "objects", owner: "supabase_storage_admin", member: false },
    ]);
  });

  test("are changed by Storage alone", async () => {
    for (const statement of [
      "alter table storage.objects add column agency_id uuid",
      "alter table storage.objects disable row level security",
      "create index on storage.objects (owner)",
      "drop table storage.objects",
      "comment on table storage.objects is 'ours'",
    ]) {
      expect(await refusal(statement)).toEqual({
        code: "42501",
        message: "must be owner of table objects",
      });
    }
    expect((await refusal("create table storage.ours ()")).code).toBe("42501");
  });

  test("take policies and triggers of postgres, and let them go again", async () => {
    await sql.unsafe(`
      create function public.nothing() returns trigger language plpgsql as 'begin return new; end';
      create policy ours on storage.objects for select to authenticated using (false);
      alter policy ours on storage.objects to anon;
      drop policy ours on storage.objects;
      create trigger ours before insert on storage.objects for each row execute function public.nothing();
      drop trigger ours on storage.objects`);
    expect((await refusal("drop table storage.objects")).code).toBe("42501");
  });

  test("stay Storage's when a policy is refused", async () => {
    await refusal("create policy ours on storage.objects using (no_such_column)");
    const [table] = await sql`
      select relowner::regrole::text as owner from pg_class where oid = 'storage.objects'::regclass`;
    expect(table).toEqual({ owner: "supabase_storage_admin" });
  });

  test("take no policy of any other role", async () => {
    const visitor = sql(`visitor_${randomBytes(4).toString("hex")}`);
    const refused = await sql
      .begin(async (transaction) => {
        await transaction`create role ${visitor}`;
        await transaction`grant usage on schema storage to ${visitor}`.catch(() => {});
        await transaction`set local role ${visitor}`;
        await transaction`create policy ours on storage.objects using (true)`;
      })
      .catch((error: postgres.PostgresError) => error);
    expect(refused).toMatchObject({ code: "42501" });
  });

  test("lose no row by SQL, whoever asks", async () => {
    await sql`insert into storage.buckets (id, name) values ('plans', 'plans')`;
    await sql`insert into storage.objects (bucket_id, name) values ('plans', 'a')`;
    for (const table of ["objects", "buckets"]) {
      expect(await refusal(`delete from storage.${table} where true`)).toEqual({
        code: "42501",
        message: "Direct deletion from storage tables is not allowed. Use the Storage API instead.",
      });
    }
    await sql.begin(async (transaction) => {
      await transaction`set local storage.allow_delete_query = 'true'`;
      await transaction`delete from storage.objects where bucket_id = 'plans'`;
    });
    expect(await sql`select from storage.objects where bucket_id = 'plans'`).toHaveLength(0);
  });

  test("split a name into its folders, and date a change", async () => {
    await sql`insert into storage.buckets (id, name) values ('dated', 'dated')`;
    await sql`
      insert into storage.objects (bucket_id, name, updated_at) values ('dated', 'a/b/c', '2020-01-01')`;
    const [object] = await sql`
      update storage.objects set user_metadata = '{}' where bucket_id = 'dated'
      returning path_tokens, storage.foldername(name) as folders, updated_at > now() - interval '1 minute' as dated`;
    expect(object).toEqual({ path_tokens: ["a", "b", "c"], folders: ["a", "b"], dated: true });
  });
});

test("a function named resolve is refused, as the platform's trigger for pg_graphql refuses it", async () => {
  expect(
    await refusal("create function pg_temp.resolve() returns int language sql as 'select 1'"),
  ).toEqual({ code: "42501", message: "must be owner of function graphql_public.graphql" });
});

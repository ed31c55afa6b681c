import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../../stack/harness.ts";
import { type FunctionSource, unboundedChanges } from "./statements.ts";

// On a hosted project the Data API's sessions load safeupdate, which refuses an UPDATE or a DELETE without a WHERE also
// inside functions, as they are parsed. There is no such library here, so the statements themselves are looked at.

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.stop());

function functionsOf(schemas: string[]): Promise<FunctionSource[]> {
  return database.sql<FunctionSource[]>`
    select p.oid::regprocedure::text as name, l.lanname as language, pg_get_functiondef(p.oid) as definition, p.prosrc as body
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace::regnamespace::text = any (${schemas}) and p.prokind in ('f', 'p')
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by 1`;
}

describe("safeupdate refuses nothing of ours:", () => {
  test("no function changes or removes rows without naming them, and none runs a text", async () => {
    const sources = await functionsOf(["api", "private", "public", "admin"]);
    expect(sources.length).toBeGreaterThan(150);
    const found = sources.flatMap((source) =>
      unboundedChanges(source).map((problem) => `${source.name}: ${problem}`),
    );
    expect(found).toEqual([]);
  });

  test("every function is in a language whose statements can be read", async () => {
    const sources = await functionsOf(["api", "private", "public", "admin"]);
    const languages = new Set(sources.map(({ language }) => language));
    expect([...languages].sort()).toEqual(["plpgsql", "sql"]);
  });

  test("the Data API offers functions alone: there is no table or view to change", async () => {
    const rows = await database.sql`
      select oid::regclass::text from pg_class where relnamespace = 'api'::regnamespace`;
    expect(rows).toEqual([]);
  });
});

describe("what is looked at", () => {
  beforeAll(async () => {
    await database.sql.unsafe(`
      create schema probe;
      create table probe.rows (id int, note text);
      create function probe.in_sql() returns void language sql as 'update probe.rows set id = 1';
      create function probe.in_a_cte() returns bigint language sql as
        'with gone as (delete from probe.rows returning id) select count(*) from gone';
      create function probe.in_a_block() returns void language plpgsql as $$
        begin if true then delete from probe.rows; end if; end $$;
      create function probe.in_a_loop() returns void language plpgsql as $$
        declare one record; begin for one in update probe.rows set id = 2 returning id loop null; end loop; end $$;
      create function probe.in_a_result() returns setof int language plpgsql as $$
        begin return query with changed as (update probe.rows set id = 1 returning id) select id from changed; end $$;
      create function probe.in_a_handler() returns void language plpgsql as $$
        begin null; exception when others then delete from probe.rows; end $$;
      create function probe.in_a_text() returns void language plpgsql as $$
        begin execute 'delete from ' || 'probe.rows'; end $$;
      create function probe.named() returns int language plpgsql as $$
        declare answer int := (select max(id) from probe.rows); begin
          update probe.rows set id = 1 where true;
          delete from probe.rows r using probe.rows o where o.id = r.id;
          insert into probe.rows values (1) on conflict do nothing;
          answer := answer + 1;
          return answer; end $$;
    `);
  });

  test.each([
    ["in_sql()", "UPDATE requires a WHERE clause"],
    ["in_a_cte()", "DELETE requires a WHERE clause"],
    ["in_a_block()", "DELETE requires a WHERE clause"],
    ["in_a_loop()", "UPDATE requires a WHERE clause"],
    ["in_a_result()", "UPDATE requires a WHERE clause"],
    ["in_a_handler()", "DELETE requires a WHERE clause"],
    ["in_a_text()", "EXECUTE of a text"],
  ])("is the change in probe.%s", async (name, problem) => {
    const sources = await functionsOf(["probe"]);
    const source = sources.find((one) => one.name === `probe.${name}`);
    expect(source && unboundedChanges(source)).toEqual([problem]);
  });

  test("is not a change that names its rows", async () => {
    const source = (await functionsOf(["probe"])).find(({ name }) => name === "probe.named()");
    expect(source && unboundedChanges(source)).toEqual([]);
  });
});

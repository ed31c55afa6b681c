import postgres from "postgres";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  createEmptyDatabase,
  dropDatabase,
  urlFor,
} from "../../supabase/local/postgres/throwaway.ts";
import { planBetween } from "../../supabase/schema/plan_between.ts";
import { compareRows, readReferenceRows } from "../../supabase/schema/reference_rows.ts";
import { runText } from "../../supabase/sql_files.ts";

const server = inject("testServer");
let wanted: string;
let written: string;

/** One of each kind of thing that sql/ uses. */
const sample = `
  create schema shop authorization postgres;
  comment on schema shop is 'A schema.';
  grant usage on schema shop to anon, service_role;
  create extension pg_trgm with schema extensions;
  create extension btree_gist with schema extensions;
  create type shop.mood as enum ('good', 'bad');
  create type shop.pair as (a int, b text);
  create domain shop.code as text constraint code_is_short check (char_length(value) < 9);
  create unlogged sequence shop.tickets start 5 increment 2 cache 3;
  comment on sequence shop.tickets is 'A sequence.';
  grant usage on sequence shop.tickets to anon;
  create table shop.owners (
    agency_id uuid not null,
    id uuid default gen_random_uuid(),
    slug shop.code not null,
    full_name text not null,
    initials text generated always as (left(full_name, 2)) stored,
    mood shop.mood not null default 'good',
    during tstzrange not null default tstzrange(now(), null),
    number bigint generated always as identity,
    tags text[] not null default '{}',
    primary key (agency_id, id),
    constraint name_is_not_blank check (btrim(full_name) <> '' and char_length(full_name) between 1 and 200),
    constraint slug_is_unique unique nulls not distinct (agency_id, slug) deferrable initially deferred,
    constraint owners_do_not_overlap exclude using gist (slug with =, during with &&)
  );
  comment on table shop.owners is 'A table.';
  comment on column shop.owners.slug is 'A column: it''s quoted.';
  comment on constraint slug_is_unique on shop.owners is 'A constraint.';
  create unlogged table shop.homes (
    agency_id uuid not null, id uuid not null, owner_id uuid,
    primary key (agency_id, id),
    constraint home_has_its_owner foreign key (agency_id, owner_id)
      references shop.owners (agency_id, id) on delete restrict on update cascade
  );
  create index owners_by_name on shop.owners using gin (full_name extensions.gin_trgm_ops) where mood = 'good';
  create unique index owners_by_lower_name on shop.owners (agency_id, lower(full_name) desc nulls last) include (slug);
  comment on index shop.owners_by_name is 'An index.';
  alter table shop.owners enable row level security;
  alter table shop.owners force row level security;
  create policy select_own on shop.owners for select to anon, authenticated
    using (agency_id = (select nullif(current_setting('app.agency', true), '')::uuid));
  create policy insert_own on shop.owners as restrictive for insert to anon with check (mood = 'good');
  comment on policy select_own on shop.owners is 'A policy.';
  grant select, insert on shop.owners to anon;
  grant update (full_name, tags) on shop.owners to anon;
  grant all on shop.homes to service_role with grant option;
  create function shop.tg_owners__touch() returns trigger language plpgsql
    security definer set search_path = '' set statement_timeout = '5s' as $$
  begin new.full_name := btrim(new.full_name); return new; end $$;
  revoke all on function shop.tg_owners__touch() from public;
  comment on function shop.tg_owners__touch() is 'A trigger function.';
  create trigger _100_touch before insert or update of full_name on shop.owners
    for each row when (new.mood = 'good') execute function shop.tg_owners__touch();
  comment on trigger _100_touch on shop.owners is 'A trigger.';
  create constraint trigger _200_late after delete on shop.owners deferrable initially deferred
    for each row execute function shop.tg_owners__touch();
  create function shop.add(a int, b int default 2, variadic c int[] default '{}') returns int
    language sql immutable strict parallel safe cost 5 as $$ select a + b $$;
  revoke all on function shop.add(int, int, int[]) from public;
  grant execute on function shop.add(int, int, int[]) to anon;
  create function shop.rows() returns table (id uuid, total numeric) language sql stable rows 7
    set search_path = '' begin atomic select id, 1::numeric from shop.owners; end;
  create procedure shop.clean() language plpgsql as $$ begin commit; end $$;
  create view shop.good_owners with (security_invoker = true, security_barrier = true) as
    select * from shop.owners where mood = 'good' with check option;
  comment on view shop.good_owners is 'A view.';
  comment on column shop.good_owners.slug is 'A view''s column.';
  create materialized view shop.counts as select count(*) from shop.owners with no data;
  alter default privileges in schema shop grant select on tables to service_role;
  alter default privileges in schema shop revoke execute on functions from public;
  alter default privileges revoke execute on functions from public;
`;

/** What the catalogs say about grants and settings, read without the planner's help. */
const catalog = `
  with found (kind, name, settings, acl) as (
    select 'schema', nspname::text, null, coalesce(nspacl, acldefault('n', nspowner)) from pg_namespace where nspname = 'shop'
    union all select 'relation', oid::regclass::text,
      concat_ws(' ', relkind, relpersistence, relrowsecurity, relforcerowsecurity,
        (select array_agg(o order by o) from unnest(reloptions) o)),
      coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
    from pg_class where relnamespace = 'shop'::regnamespace
    union all select 'column', concat(attrelid::regclass, '.', attname),
      concat_ws(' ', attidentity, attgenerated, attnotnull, format_type(atttypid, atttypmod)), attacl
    from pg_attribute join pg_class c on c.oid = attrelid
    where attnum > 0 and c.relnamespace = 'shop'::regnamespace
    union all select 'routine', oid::regprocedure::text,
      concat_ws(' ', proconfig, prosecdef, provolatile, proparallel, proisstrict, procost, prorows),
      coalesce(proacl, acldefault('f', proowner))
    from pg_proc where pronamespace = 'shop'::regnamespace
    union all select 'default', concat_ws(' ', defaclnamespace::regnamespace, defaclobjtype), null, defaclacl
    from pg_default_acl where defaclrole = 'postgres'::regrole
  )
  select kind, name, settings, (select array_agg(a::text order by a::text) from unnest(acl) a) as acl
  from found order by 1, 2`;

async function read(url: string) {
  const sql = postgres(url, { max: 1 });
  try {
    const grants = await sql.unsafe(catalog);
    const comments = await sql`
      select d.type, d.identity, description from pg_description,
        pg_identify_object(classoid, objoid, objsubid) d
      where d.identity like '%shop.%' or d.identity = 'shop' order by 1, 2`;
    const sequences = await sql`
      select sequencename, start_value, increment_by, cache_size from pg_sequences
      where schemaname = 'shop' order by 1`;
    return { grants: [...grants], comments: [...comments], sequences: [...sequences] };
  } finally {
    await sql.end();
  }
}

beforeAll(async () => {
  [wanted, written] = (await Promise.all(
    ["tools_wanted", "tools_written"].map((name) => createEmptyDatabase(server, name)),
  )) as [string, string];
  await runText(urlFor(server, wanted, "postgres"), sample);
});
afterAll(async () => {
  await dropDatabase(server, wanted);
  await dropDatabase(server, written);
});

test("a planned migration gives the same schema, grants and comments", async () => {
  const wantedUrl = urlFor(server, wanted, "postgres");
  const writtenUrl = urlFor(server, written, "postgres");
  const plan = await planBetween(writtenUrl, wantedUrl);
  await runText(writtenUrl, plan);
  expect(await read(writtenUrl)).toEqual(await read(wantedUrl));
});

test("a change is planned as that change alone", async () => {
  const sql = postgres(urlFor(server, wanted, "postgres"), { max: 1 });
  await sql`alter table shop.owners add column nickname text`;
  await sql.end();
  const plan = await planBetween(
    urlFor(server, written, "postgres"),
    urlFor(server, wanted, "postgres"),
  );
  expect(plan).toMatch(/add column "?nickname"? text/);
  expect(plan.match(/;\n/g)?.length).toBe(2);
});

test("a comment on a view's column is planned when it changes, goes, or its view is made anew", async () => {
  const wantedUrl = urlFor(server, wanted, "postgres");
  const writtenUrl = urlFor(server, written, "postgres");
  const change = async (text: string) => {
    await runText(wantedUrl, text);
    const plan = await planBetween(writtenUrl, wantedUrl);
    await runText(writtenUrl, plan);
    expect(await read(writtenUrl)).toEqual(await read(wantedUrl));
    return plan.match(/comment on column [^;]+/g);
  };
  await change("comment on column shop.good_owners.slug is 'Another.'");
  expect(
    await change("create or replace view shop.good_owners as select * from shop.owners where true"),
  ).toHaveLength(1);
  expect(await change("comment on column shop.good_owners.slug is null")).toHaveLength(1);
  expect(await planBetween(writtenUrl, wantedUrl)).toBe("");
});

test("reference rows are compared without the moments they were written", async () => {
  const before = await readReferenceRows(urlFor(server, written, "postgres"));
  expect(compareRows(before, new Map([["public.flows", ['{"id": "buy"}']]]))).toContain(
    '+ public.flows {"id": "buy"}',
  );
  expect(compareRows(before, before)).toEqual([]);
});

-- Two agencies, every table, every verb: a caller of one sees and changes nothing of the other.
begin;
select * from no_plan(); -- As many as there are tables and functions.

-- One row, at least, of every table, for two agencies.
insert into public.drain_runs default values;
insert into public.sanctions_entries (id, schema, name) values ('X-1', 'Person', 'Eva');
insert into public.sanctions_names (name, entry_id) values ('eva', 'X-1');
insert into public.sanctions_words (word) values ('eva');
insert into public.sanctions_loads (file_name, entries, added, changed, removed, screens_started) values ('list.csv', 1, 1, 0, 0, 0);
insert into public.token_rules default values on conflict do nothing;
insert into public.request_buckets values ('link:unknown', now());
select tests.fill_tables('norte'), tests.fill_tables('sur');

-- What a statement did for a caller: the rows it saw or wrote, or its SQLSTATE; and whether Norte's rows changed by it.
create function pg_temp.attempt(caller_name text, statement text) returns text
language plpgsql as $$
declare
  c tests.caller;
  -- Nothing happens between attempts, so what the last one left is what this one finds.
  before text := coalesce(nullif(current_setting('test.norte_now', true), ''), tests.fingerprint());
  after text;
  outcome text;
  n int;
begin
  select * into c from tests.caller where name = caller_name;
  perform tests.begin_request(c.role_name, c.key, c.user_id);
  begin
    execute statement;
    get diagnostics n = row_count;
    outcome := n;
  exception when others then
    outcome := sqlstate;
  end;
  reset role;
  perform tests.end_request();
  after := tests.fingerprint();
  perform set_config('test.norte_now', after, true);
  return outcome || case when after <> before then ', and Norte changed' else '' end;
end
$$;

select isnt((select count(*)::int from tests.tenant_table where owned_by is not null), 0, 'there are tables to look at');
create function pg_temp.rows(table_name text, owned_by text, agency text) returns int
language plpgsql as $$
declare n int;
begin
  execute format('select count(*) from public.%I where %I = %L', table_name, owned_by, tests.id(agency)) into n;
  return n;
end
$$;
select ok(pg_temp.rows(name, owned_by, 'norte') > 0 and pg_temp.rows(name, owned_by, 'sur') > 0,
  name || ' has rows of both agencies')
from tests.tenant_table where owned_by is not null order by name;

-- Reading
create temp table may as
select t.name as table_name, t.owned_by, c.name as caller, c.role_name, c.name in ('a key of Sur', 'an agent of Sur') as known,
  has_any_column_privilege(c.role_name, 'public.' || t.name, 'select') as read,
  has_any_column_privilege(c.role_name, 'public.' || t.name, 'update') as update,
  has_table_privilege(c.role_name, 'public.' || t.name, 'delete') as delete
from tests.tenant_table t, tests.caller c;

select is(pg_temp.attempt(caller, format('select 1 from public.%I where %I = %L', table_name, owned_by, tests.id('norte'))),
  case when read then '0' else '42501' end, caller || ' reads no ' || table_name || ' of Norte')
from may where owned_by is not null order by caller, table_name;
select is(pg_temp.attempt(caller, format('select 1 from public.%I', table_name)),
  case when not read then '42501' when known then pg_temp.rows(table_name, owned_by, 'sur')::text else '0' end,
  caller || ' reads ' || case when read and known then 'all of Sur''s ' else 'none of the ' end || table_name)
from may where owned_by is not null order by caller, table_name;

-- Adding a row for Norte: one with every column, and one with the columns that the caller may write.
create function pg_temp.insertion(table_name text, role_name text) returns text
language plpgsql as $$
declare
  granted text;
  example jsonb;
begin
  select string_agg(quote_ident(column_name), ', ') into granted from information_schema.columns c
  where c.table_schema = 'public' and c.table_name = $1 and c.is_generated = 'NEVER'
    and (role_name is null or has_column_privilege(role_name, 'public.' || $1, c.column_name, 'insert'));
  execute format('select to_jsonb(t) from public.%I t where %I = %L limit 1', $1,
    (select owned_by from tests.tenant_table where name = $1), tests.id('norte')) into example;
  if example ? 'id' and jsonb_typeof(example -> 'id') = 'string' and $1 <> 'agencies' then
    example := example || jsonb_build_object('id', gen_random_uuid());
  end if;
  example := example || '{"event_type": "deal_won"}' || jsonb_build_object('key', 'another', 'email', 'another@example.com');
  return format('insert into public.%I (%s) overriding system value select %2$s from jsonb_populate_record(null::public.%1$I, %3$L)', $1, granted, example);
end
$$;
select is(pg_temp.attempt(caller, pg_temp.insertion(table_name, null)), '42501',
  caller || ' adds no ' || table_name || ' to Norte')
from may where owned_by is not null order by caller, table_name;
select is(pg_temp.attempt(caller, pg_temp.insertion(table_name, role_name)), '42501',
  caller || ' adds none with the columns they may write: ' || table_name)
from may where owned_by is not null and has_any_column_privilege(role_name, 'public.' || table_name, 'insert') order by caller, table_name;

-- Changing rows of Norte: every column that the caller may write at all
select is(pg_temp.attempt(caller, format('update public.%I set %I = null where %I = %L', table_name, column_name, owned_by, tests.id('norte'))),
  '0', caller || ' changes no ' || table_name || '.' || column_name || ' of Norte')
from may join information_schema.columns using (table_name)
where owned_by is not null and table_schema = 'public' and has_column_privilege(role_name, 'public.' || table_name, column_name, 'update')
order by caller, table_name, ordinal_position;

-- and, where there is none, any
select is(pg_temp.attempt(caller, format('update public.%I set %I = %1$I.%2$I where %2$I = %3$L', table_name, owned_by, tests.id('norte'))),
  '42501', caller || ' does not even touch ' || table_name || ' of Norte')
from may where owned_by is not null and not update order by caller, table_name;

-- Moving own rows to Norte, and taking Norte's
select is(pg_temp.attempt(caller, format('update public.%I set %I = %L', table_name, owned_by, tests.id(agency))),
  '42501',
  caller || ' moves no ' || table_name || ' to ' || initcap(agency))
from may, unnest('{norte,sur}'::text[]) agency where owned_by is not null order by caller, table_name;

-- Removing rows of Norte
select is(pg_temp.attempt(caller, format('delete from public.%I where %I = %L', table_name, owned_by, tests.id('norte'))),
  case when delete then '0' else '42501' end, caller || ' removes no ' || table_name || ' of Norte')
from may where owned_by is not null order by caller, table_name;
select is(pg_temp.attempt(caller, format('truncate public.%I cascade', table_name)), '42501',
  caller || ' truncates no ' || table_name)
from may order by caller, table_name;

-- Tables that belong to no agency
select is(pg_temp.attempt(caller, format('select 1 from public.%I', table_name)) not in ('0', '42501'),
  known and table_name in ('flows', 'stages', 'gate_steps', 'required_dates'),
  caller || case when known and table_name in ('flows', 'stages', 'gate_steps', 'required_dates') then ' reads ' else ' does not read ' end || table_name)
from may where owned_by is null order by caller, table_name;
select is(pg_temp.attempt(caller, format(statement, table_name)), '42501',
  caller || ': ' || format(statement, table_name))
from may, unnest(array['insert into public.%I default values', 'delete from public.%I']) statement where owned_by is null order by caller, table_name;
select is(pg_temp.attempt(caller, format('update public.%I set %I = null', table_name, column_name)), '42501',
  caller || ' changes no ' || table_name || '.' || column_name)
from may join information_schema.columns using (table_name) where owned_by is null and table_schema = 'public' order by caller, table_name, ordinal_position;
select set_eq('select name from tests.tenant_table where owned_by is null',
  array['flows', 'stages', 'gate_steps', 'required_dates', 'drain_runs', 'sanctions_entries', 'sanctions_names', 'sanctions_words', 'sanctions_loads', 'request_buckets', 'token_rules'], 'no other table belongs to no agency');

-- What is allowed stays inside: with its own rows Sur may work.
select is(pg_temp.attempt(caller, statement), '1', caller || ' may: ' || left(statement, 40))
from unnest('{a key of Sur,an agent of Sur}'::text[]) caller, unnest(array[
  'update public.leads set notes = ''x''', 'update public.contacts set phone = ''+34600111333'' where email is not null',
  'update public.viewings set notes = ''x''', 'update public.documents set status = ''verified''', 'update public.signatures set status = ''sent''',
  'update public.offers set public_token = default']) statement;
select is(pg_temp.attempt('a key of Sur', 'delete from public.subscriptions'), '1',
  'a key of Sur may unsubscribe all of its own hooks');
select is(pg_temp.rows('subscriptions', 'agency_id', 'norte'), 1, 'and Norte keeps its own');

select * from finish();
rollback;

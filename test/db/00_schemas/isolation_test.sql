-- Two agencies, every table, every verb: a caller of one sees and changes nothing of the other.
begin;
create extension if not exists pgtap with schema extensions;
select * from no_plan(); -- As many as there are tables and functions.

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

-- One row, at least, of every table, for two agencies.
insert into public.drain_runs default values;
insert into public.sanctions_entries (id, schema, name) values ('X-1', 'Person', 'Eva');
insert into public.sanctions_names (name, entry_id) values ('eva', 'X-1');
insert into public.sanctions_words (word) values ('eva');
insert into public.sanctions_loads (file_name, entries, added, changed, removed, screens_started) values ('list.csv', 1, 1, 0, 0, 0);
insert into public.token_rules default values on conflict do nothing;
insert into public.request_buckets values ('link:unknown', now());
create function pg_temp.populate(agency text) returns void
language plpgsql as $$
declare
  a uuid := pg_temp.id(agency);
  i uuid := pg_temp.id(agency || ' row');
begin
  insert into auth.users (id, email) values (i, agency || '@agents.test');
  insert into public.agencies (id, name, slug) values (a, agency, agency || '-pgtap');
  insert into public.agents (agency_id, id, name, email, role, user_id) values (a, i, 'Ana', agency || '@agents.test', 'owner', i);
  perform set_config('test.' || agency, admin.create_api_key(a, 'Key', private.role_permissions('owner'), requests_per_minute => 100000), true);
  insert into public.subscriptions (agency_id, id, event_type, target_url) values (a, i, 'document_completed', 'https://example.com/');
  insert into public.contacts (agency_id, id, full_name, phone, email) values (a, i, 'Eva', '+34600111222', 'eva@example.com');
  insert into public.leads (agency_id, id, full_name, contact_id) values (a, i, 'Eva', i);
  insert into public.messages (agency_id, id, lead_id, direction, channel, body) values (a, i, i, 'inbound', 'email', 'Hola');
  insert into public.sanctions_screens (agency_id, id, lead_id, contact_id) values (a, i, i, i);
  insert into public.qualifications (agency_id, id, lead_id, message_id, status, qualifier, version, result) values (a, i, i, i, 'done', 'rules', '1', '{}');
  insert into public.contacts (agency_id, id, full_name) values (a, pg_temp.id(agency || ' twin'), 'Eva');
  insert into public.contact_suggestions (agency_id, id, contact_id, similar_id, reasons, score) values (a, i, i, pg_temp.id(agency || ' twin'), '{similar_name}', 1);
  insert into public.contact_merges (agency_id, id, kept_id, merged_id, lead_ids, alias_ids, merged_by) values (a, i, i, pg_temp.id(agency || ' twin'), '{}', '{}', 'Ana');
  insert into public.properties (agency_id, id, listing_type) values (a, i, 'sale');
  insert into public.listings (agency_id, id, property_id) values (a, i, i);
  insert into public.operations (agency_id, id, lead_id, operation_type, property_id) values (a, i, i, 'buy', i);
  insert into public.offers (agency_id, id, operation_id, amount) values (a, i, i, 100);
  insert into public.viewings (agency_id, id, property_id, lead_id, starts_at, ends_at) values (a, i, i, i, now(), now() + interval '1 hour');
  insert into public.documents (agency_id, id, operation_id, status) values (a, i, i, 'received');
  insert into public.signatures (agency_id, id, operation_id) values (a, i, i);
  insert into public.deliveries (agency_id, id, event_id, subscription_id, target_url, round, attempt, run_id)
  select a, i, e.id, i, 'https://example.com/', 1, 1, gen_random_uuid() from public.events e where e.agency_id = a;
  insert into public.idempotency_keys (agency_id, credential_id, key, request_hash) values (a, i, agency || ' key', '');
end
$$;
do $$ begin perform pg_temp.populate('norte'), pg_temp.populate('sur'); end $$;
set constraints all immediate;
set constraints all deferred;

-- Every table, and the column that tells whose a row is.
create temp table tenant_table as
select c.relname::text as name,
  case when c.relname = 'agencies' then 'id'
    when exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'agency_id') then 'agency_id' end as owned_by
from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p');

-- All that Norte has, as the owner sees it.
create function pg_temp.norte() returns text
language plpgsql as $$
declare
  t record;
  rows text;
  all_rows text := '';
begin
  for t in select * from tenant_table where owned_by is not null order by name loop
    execute format('select string_agg(t::text, chr(10) order by t::text) from public.%I t where %I = %L', t.name, t.owned_by, pg_temp.id('norte')) into rows;
    all_rows := all_rows || t.name || ':' || coalesce(rows, '') || chr(10);
  end loop;
  return md5(all_rows);
end
$$;

-- Who asks: a key of Sur, nobody, an agent of Sur.
create temp table caller (name text, role_name text, headers text, user_id text);
insert into caller values
  ('a key of Sur', 'anon', json_build_object('x-corredor-key', current_setting('test.sur'))::text, ''),
  ('nobody', 'anon', '{}', ''),
  ('a revoked token', 'authenticated', '{}', pg_temp.id('no agent')::text),
  ('an agent of Sur', 'authenticated', '{}', pg_temp.id('sur row')::text);

-- What a statement did for a caller: the rows it saw or wrote, or its SQLSTATE; and whether Norte's rows changed by it.
create function pg_temp.attempt(caller_name text, statement text) returns text
language plpgsql as $$
declare
  c caller;
  -- Nothing happens between attempts, so what the last one left is what this one finds.
  before text := coalesce(nullif(current_setting('test.norte_now', true), ''), pg_temp.norte());
  after text;
  outcome text;
  n int;
begin
  select * into c from caller where name = caller_name;
  perform set_config('request.headers', c.headers, true), set_config('request.jwt.claim.sub', c.user_id, true),
    set_config('request.jwt.claims', json_build_object('sub', nullif(c.user_id, ''), 'role', c.role_name)::text, true);
  execute format('set local role %I', c.role_name);
  begin
    execute statement;
    get diagnostics n = row_count;
    outcome := n;
  exception when others then
    outcome := sqlstate;
  end;
  reset role;
  perform set_config('request.headers', '', true), set_config('request.jwt.claim.sub', '', true), set_config('request.jwt.claims', '', true);
  after := pg_temp.norte();
  perform set_config('test.norte_now', after, true);
  return outcome || case when after <> before then ', and Norte changed' else '' end;
end
$$;

select isnt((select count(*)::int from tenant_table where owned_by is not null), 0, 'there are tables to look at');
create function pg_temp.rows(table_name text, owned_by text, agency text) returns int
language plpgsql as $$
declare n int;
begin
  execute format('select count(*) from public.%I where %I = %L', table_name, owned_by, pg_temp.id(agency)) into n;
  return n;
end
$$;
select ok(pg_temp.rows(name, owned_by, 'norte') > 0 and pg_temp.rows(name, owned_by, 'sur') > 0,
  name || ' has rows of both agencies')
from tenant_table where owned_by is not null order by name;

-- Reading
create temp table may as
select t.name as table_name, t.owned_by, c.name as caller, c.role_name, c.name in ('a key of Sur', 'an agent of Sur') as known,
  has_any_column_privilege(c.role_name, 'public.' || t.name, 'select') as read,
  has_any_column_privilege(c.role_name, 'public.' || t.name, 'update') as update,
  has_table_privilege(c.role_name, 'public.' || t.name, 'delete') as delete
from tenant_table t, caller c;

select is(pg_temp.attempt(caller, format('select 1 from public.%I where %I = %L', table_name, owned_by, pg_temp.id('norte'))),
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
    (select owned_by from tenant_table where name = $1), pg_temp.id('norte')) into example;
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
select is(pg_temp.attempt(caller, format('update public.%I set %I = null where %I = %L', table_name, column_name, owned_by, pg_temp.id('norte'))),
  '0', caller || ' changes no ' || table_name || '.' || column_name || ' of Norte')
from may join information_schema.columns using (table_name)
where owned_by is not null and table_schema = 'public' and has_column_privilege(role_name, 'public.' || table_name, column_name, 'update')
order by caller, table_name, ordinal_position;

-- and, where there is none, any
select is(pg_temp.attempt(caller, format('update public.%I set %I = %1$I.%2$I where %2$I = %3$L', table_name, owned_by, pg_temp.id('norte'))),
  '42501', caller || ' does not even touch ' || table_name || ' of Norte')
from may where owned_by is not null and not update order by caller, table_name;

-- Moving own rows to Norte, and taking Norte's
select is(pg_temp.attempt(caller, format('update public.%I set %I = %L', table_name, owned_by, pg_temp.id(agency))),
  '42501',
  caller || ' moves no ' || table_name || ' to ' || initcap(agency))
from may, unnest('{norte,sur}'::text[]) agency where owned_by is not null order by caller, table_name;

-- Removing rows of Norte
select is(pg_temp.attempt(caller, format('delete from public.%I where %I = %L', table_name, owned_by, pg_temp.id('norte'))),
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
select set_eq('select name from tenant_table where owned_by is null',
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

-- A lead, an operation, an offer is never removed: the database refuses it for every role.
begin;
create extension if not exists pgtap with schema extensions;
select plan(68);

create function pg_temp.id(name text) returns uuid
language sql immutable as $$ select md5(name)::uuid $$;

-- What a refusal says: {"refused": <reason, else error code, else SQLSTATE>, "status", "code", "details"}.
create function pg_temp.refusal(state text, detail text) returns jsonb
language sql immutable strict as $$
  select case when state like 'PT%'
    then jsonb_build_object('status', substr(state, 3)::int,
      'refused', coalesce(detail::jsonb -> 'details' ->> 'reason', detail::jsonb ->> 'code')) || detail::jsonb
    else jsonb_build_object('refused', state) end
$$;

-- A request as the Data API makes it: role anon, the key in its header.
create function pg_temp.api(call text, key text default current_setting('test.key', true)) returns jsonb
language plpgsql as $$
declare
  answer jsonb;
  state text;
  detail text;
begin
  perform set_config('request.headers', json_build_object('x-corredor-key', key)::text, true);
  set local role anon;
  begin
    execute 'select ' || call into answer;
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return coalesce(pg_temp.refusal(state, detail), answer);
end
$$;

-- A statement as an admin runs it in Studio: 'done', or the reason of its refusal.
create function pg_temp.studio(statement text) returns text
language plpgsql as $$
declare
  state text;
  detail text;
begin
  execute statement;
  return 'done';
exception when others then
  get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  return pg_temp.refusal(state, detail) ->> 'refused';
end
$$;

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
do $$ begin
  perform set_config('test.key', admin.create_api_key(
    pg_temp.id('agency'), 'Web', private.role_permissions('owner'), requests_per_minute => 100000), true);
end $$;
insert into public.properties (agency_id, id, listing_type) values
  (pg_temp.id('agency'), pg_temp.id('flat'), 'sale'), (pg_temp.id('agency'), pg_temp.id('let'), 'rent');

-- A lead of its own with one operation, standing at the stage named.
create function pg_temp.operation(name text, operation_type text, stage text default null) returns uuid
language plpgsql as $$
begin
  insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('agency'), pg_temp.id('contact ' || name), name);
  insert into public.leads (agency_id, id, full_name, contact_id)
  values (pg_temp.id('agency'), pg_temp.id('lead ' || name), name, pg_temp.id('contact ' || name));
  insert into public.operations (agency_id, id, lead_id, operation_type, stage)
  values (pg_temp.id('agency'), pg_temp.id(name), pg_temp.id('lead ' || name), operation_type, stage);
  return pg_temp.id(name);
end
$$;

do $$ begin perform pg_temp.operation('deal', 'buy'); end $$;
insert into public.offers (agency_id, operation_id, property_id, amount)
values (pg_temp.id('agency'), pg_temp.id('deal'), pg_temp.id('flat'), 100);

-- What is checked at the end of the transaction is checked now, so that nothing but the rule can refuse a truncate.
set constraints all immediate;

create temp table kept (name text);
insert into kept values ('leads'), ('operations'), ('offers'), ('operation_steps'), ('stage_history');

create function pg_temp.refused_as(role_name text, statement text, grants text default '') returns text
language plpgsql as $$
declare state text; detail text;
begin
  begin
    execute grants;
    if role_name <> session_user then execute format('set local role %I', role_name); end if;
    execute statement;
    state := 'done';
  exception when others then
    get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  end;
  reset role;
  return case when state like 'PT%' then pg_temp.refusal(state, detail) ->> 'refused' else state end;
end
$$;

-- The owner, who may do everything else
select is(pg_temp.refused_as(session_user, 'delete from public.' || name), 'removal_refused',
  'the owner does not delete ' || name)
from kept;
select is(pg_temp.refused_as(session_user, 'delete from public.' || name || ' where false'), 'removal_refused',
  'not even none of the ' || name)
from kept;
select is(pg_temp.refused_as(session_user, 'truncate public.' || name || ' cascade'), 'removal_refused',
  'nor truncates ' || name)
from kept;
select is(pg_temp.refused_as(session_user, 'truncate public.' || name || ' cascade'), 'removal_refused',
  'nor through ' || name)
from unnest('{agencies,contacts,agents,properties}'::text[]) name;
select is(pg_temp.refused_as(session_user, 'delete from public.' || name), '23503',
  'deleting ' || name || ' takes none along')
from unnest('{agencies,contacts,properties}'::text[]) name;

-- The roles of the API hold no grant; with one they would be refused as well.
select is(pg_temp.refused_as(r, 'delete from public.' || name), '42501', r || ' has no right to delete ' || name)
from unnest('{anon,authenticated,service_role}'::text[]) r, kept;
select is(pg_temp.refused_as(r, 'truncate public.' || name || ' cascade'), '42501',
  r || ' has no right to truncate ' || name)
from unnest('{anon,authenticated,service_role}'::text[]) r, kept;
select is(pg_temp.refused_as(r, 'delete from public.' || name, format('grant delete on public.%I to %I', name, r)),
  'removal_refused',
  r || ' would be refused to delete ' || name || ' with it')
from unnest('{anon,authenticated,service_role}'::text[]) r, kept;

select results_eq(
  $$select (select count(*)::int from public.leads where agency_id = pg_temp.id('agency')), (select count(*)::int from public.operations where agency_id = pg_temp.id('agency')), (select count(*)::int from public.offers where agency_id = pg_temp.id('agency')),
    (select count(*)::int from public.operation_steps where agency_id = pg_temp.id('agency')), (select count(*)::int from public.stage_history where agency_id = pg_temp.id('agency'))$$,
  'values (1, 1, 1, 4, 1)', 'everything is still there');

select * from finish();
rollback;

-- The moment that a caller means by a date and time.
begin;
create extension if not exists pgtap with schema extensions;
select plan(16);

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

-- A statement as a caller with a key runs it: what it returns, or its refusal.
create function pg_temp.api(call text, key text default current_setting('test.norte', true)) returns jsonb
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

create function pg_temp.populate(agency text) returns void
language plpgsql as $$
declare
  a uuid := pg_temp.id(agency);
  i uuid := pg_temp.id(agency || ' row');
begin
  insert into public.agencies (id, name, slug) values (a, agency, agency || '-pgtap');
  insert into public.agents (agency_id, id, name, email) values (a, i, 'Ana', agency || '@agents.test');
  perform set_config('test.' || agency, admin.create_api_key(a, 'Key', private.role_permissions('owner'), requests_per_minute => 100000), true);
  insert into public.contacts (agency_id, id, full_name) values (a, i, 'Eva');
  insert into public.leads (agency_id, id, full_name, contact_id, assigned_agent_id) values (a, i, 'Eva', i, i);
  insert into public.properties (agency_id, id, listing_type, title, street, zone, city)
  values (a, i, 'sale', 'Piso', 'Calle Sueca 21', 'Ruzafa', 'Valencia');
  insert into public.operations (agency_id, id, lead_id, operation_type, property_id, stage) values (a, i, i, 'buy', i, 'viewings');
end
$$;
do $$ begin perform pg_temp.populate('norte'), pg_temp.populate('sur'); end $$;

set local time zone 'UTC';
create function pg_temp.moment(value text, zone text default 'Europe/Madrid') returns text
language plpgsql as $$
declare
  state text;
  detail text;
begin
  return to_char(private.at_local_time(value, zone, 'starts_at'), 'YYYY-MM-DD HH24:MI');
exception when others then
  get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  return pg_temp.refusal(state, detail) ->> 'refused';
end
$$;
select is(pg_temp.moment('2027-01-10T10:00'), '2027-01-10 09:00', 'a local time in winter');
select is(pg_temp.moment('2027-07-10T10:00:30.5'), '2027-07-10 08:00', 'and in summer, to the second');
select is(pg_temp.moment('2027-07-10T10:00-05:00'), '2027-07-10 15:00', 'an offset says more than the zone');
select is(pg_temp.moment('2027-07-10T10:00:00Z'), '2027-07-10 10:00', 'Z is an offset');
select is(pg_temp.moment('2027-07-10T10:00', 'Atlantic/Canary'), '2027-07-10 09:00', 'each agency has its zone');
select is(pg_temp.moment('2027-03-28T01:59'), '2027-03-28 00:59', 'before the clock is put forward');
select is(pg_temp.moment('2027-03-28T02:00'), 'invalid_time', 'the first minute that it skips');
select is(pg_temp.moment('2027-03-28T02:59'), 'invalid_time', 'and the last');
select is(pg_temp.moment('2027-03-28T03:00'), '2027-03-28 01:00', 'after it');
select is(pg_temp.moment('2027-10-31T02:30'), '2027-10-31 00:30', 'of an hour that the clock repeats the first');
select is(pg_temp.moment('2027-10-31T02:30+01:00'), '2027-10-31 01:30', 'the second takes an offset');
select is(pg_temp.moment('2027-10-31T03:00'), '2027-10-31 02:00', 'after it');
select is(pg_temp.moment('2027-04-04T01:45', 'Australia/Lord_Howe'), '2027-04-03 14:45', 'where the clock goes back by half an hour too');
select is(pg_temp.moment(value), 'invalid_time', value || ' is no moment')
from unnest('{2027-02-30T10:00,1999-12-31T10:00,2100-01-02T00:00}'::text[]) value;

select * from finish();
rollback;

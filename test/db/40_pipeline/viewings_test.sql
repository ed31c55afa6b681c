-- Scheduled viewings overlap neither for the agent nor for the property, whoever writes them.
begin;
create extension if not exists pgtap with schema extensions;
select plan(33);

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

create function pg_temp.viewing(name text, starts text, ends text, agent text default null, property text default null,
  status text default 'scheduled') returns text
language sql as $$
  select pg_temp.studio(format(
    'insert into public.viewings (agency_id, id, property_id, lead_id, agent_id, starts_at, ends_at, status) values (%L, %L, %L, %L, %L, %L, %L, %L)',
    pg_temp.id('norte'), pg_temp.id(name), pg_temp.id(coalesce(property, 'norte row')), pg_temp.id('norte row'), pg_temp.id(agent), starts, ends, status))
$$;
insert into public.agents (agency_id, id, name, email) values (pg_temp.id('norte'), pg_temp.id('luis'), 'Luis', 'luis@agents.test');
insert into public.properties (agency_id, id, listing_type) values (pg_temp.id('norte'), pg_temp.id('house'), 'sale');

select is(pg_temp.viewing('first', '2027-01-01 10:00Z', '2027-01-01 11:00Z', 'norte row'), 'done', 'a first viewing is arranged');
select is(pg_temp.viewing('a', '2027-01-01 10:30Z', '2027-01-01 11:30Z', 'norte row', 'house'), '23P01', 'its agent shows nothing else meanwhile');
select is(pg_temp.viewing('b', '2027-01-01 09:30Z', '2027-01-01 10:01Z', 'luis'), '23P01', 'nobody else shows its property meanwhile');
select is(pg_temp.viewing('c', '2027-01-01 10:10Z', '2027-01-01 10:20Z'), '23P01', 'nor does nobody');
select is(pg_temp.viewing('second', '2027-01-01 10:00Z', '2027-01-01 11:00Z', 'luis', 'house'), 'done', 'another agent shows another property');
select is(pg_temp.viewing('after', '2027-01-01 11:00Z', '2027-01-01 12:00Z', 'norte row'), 'done', 'one begins when the other ends');
select is(pg_temp.viewing('past ' || status, '2027-01-01 10:00Z', '2027-01-01 11:00Z', 'norte row', null, status), 'done', 'one that is ' || status || ' is in nobody''s way')
from unnest('{cancelled,no_show}'::text[]) status;
select is(pg_temp.viewing('seen', '2025-01-01 10:00Z', '2025-01-01 11:00Z', 'norte row', null, 'done'), 'done', 'a viewing that was done');
select is(pg_temp.viewing('unnoticed', '2025-01-01 10:00Z', '2025-01-01 11:00Z', 'norte row'), 'done', 'is in nobody''s way either');
select is(pg_temp.studio(format('update public.viewings set status = ''scheduled'' where id = %L', pg_temp.id('past cancelled'))), '23P01',
  'and cannot be scheduled again while its place is taken');
select is(pg_temp.studio(format('update public.viewings set starts_at = starts_at - interval ''1 minute'' where id = %L', pg_temp.id('after'))), '23P01',
  'a viewing is not moved into another');
select is(pg_temp.studio(format('update public.viewings set agent_id = %L where id = %L', pg_temp.id('norte row'), pg_temp.id('second'))), '23P01',
  'nor given to an agent who is busy');
select is(pg_temp.studio(format('update public.viewings set status = ''cancelled'' where id = %L', pg_temp.id('first'))), 'done', 'a cancelled viewing');
select is(pg_temp.studio(format('update public.viewings set agent_id = %L where id = %L', pg_temp.id('norte row'), pg_temp.id('second'))), 'done',
  'frees its agent');
select is(pg_temp.viewing('long', '2027-02-01 10:00Z', '2027-02-02 10:01Z'), '23514', 'a viewing ends within a day');

-- Its operation
insert into public.leads (agency_id, id, full_name, contact_id) values (pg_temp.id('norte'), pg_temp.id('hugo'), 'Hugo', pg_temp.id('norte row'));
insert into public.operations (agency_id, id, lead_id, operation_type, stage, lost_reason) values
  (pg_temp.id('norte'), pg_temp.id('of hugo'), pg_temp.id('hugo'), 'buy', 'viewings', null),
  (pg_temp.id('norte'), pg_temp.id('closed'), pg_temp.id('norte row'), 'rent', 'lost', 'Precio');
create function pg_temp.part_of(operation text, status text, starts text) returns text
language sql as $$
  select pg_temp.studio(format(
    'insert into public.viewings (agency_id, property_id, lead_id, operation_id, status, starts_at, ends_at) values (%L, %L, %3$L, %L, %L, %L, %6$L::timestamptz + interval ''1 hour'')',
    pg_temp.id('norte'), pg_temp.id('house'), pg_temp.id('norte row'), pg_temp.id(operation), status, starts))
$$;
select is(pg_temp.part_of('norte row', 'scheduled', '2028-01-01 10:00Z'), 'done', 'a viewing is part of an operation of its lead');
select is(pg_temp.part_of('of hugo', 'done', '2025-01-02 10:00Z'), 'unknown_reference', 'and of nobody else''s');
select is(pg_temp.part_of('sur row', 'done', '2025-01-02 10:00Z'), 'unknown_reference', 'nor of another agency''s');
select is(pg_temp.studio(format('update public.viewings set operation_id = %L where operation_id = %L', pg_temp.id('of hugo'), pg_temp.id('norte row'))), 'unknown_reference',
  'also when it is corrected');
select is(pg_temp.part_of('closed', 'scheduled', '2028-01-03 10:00Z'), 'operation_closed', 'none is arranged for a closed operation');
select is(pg_temp.part_of('closed', 'done', '2025-01-03 10:00Z'), 'done', 'one that took place is recorded afterwards');

-- What a request is told
select is(pg_temp.api(format('api.create_viewing(''{"lead_id": "%s", "property_id": "%1$s", "starts_at": "2027-01-01T12:30"}'')', pg_temp.id('norte row')))
    -> 'details' ->> 'viewing_id', pg_temp.id('after')::text, 'a request is told which viewing is in the way');
select is(pg_temp.api(format('api.create_viewing(''{"lead_id": "%s", "property_id": "%1$s", "starts_at": "2027-01-01T12:30"}'')', pg_temp.id('norte row'))) ->> 'status',
  '409', 'with a conflict');
select is(pg_temp.api(format('api.create_viewing(''{"lead_id": "%s", "property_id": "%1$s", "starts_at": "2027-01-01T12:30"}'')', pg_temp.id('sur row')),
  current_setting('test.sur')) ->> 'status', '201', 'another agency''s viewings are in nobody''s way');

-- Done is what happened: from a quarter of an hour before the start on, and no earlier.
select is(pg_temp.api(format('api.update_viewing(%L, ''{"status": "done"}'')', pg_temp.id('after'))) ->> 'refused', 'invalid_transition',
  'a request does not say of a viewing to come that it took place');
select is(pg_temp.studio(format('update public.viewings set status = ''done'' where id = %L', pg_temp.id('after'))), 'invalid_transition', 'nor does an admin');
select is(pg_temp.viewing('fiction', '2028-05-01 10:00Z', '2028-05-01 11:00Z', null, null, 'done'), 'invalid_transition', 'nor is one recorded so');
select is(pg_temp.studio(format('update public.viewings set starts_at = ''2028-05-01 10:00Z'', ends_at = ''2028-05-01 11:00Z'' where id = %L', pg_temp.id('seen'))),
  'invalid_transition', 'nor is one that was done put off');
select is((select status from public.viewings where id = pg_temp.id('after')), 'scheduled', 'it stays scheduled');
update public.viewings set starts_at = now() + interval '15 minutes 1 second', ends_at = now() + interval '1 hour' where id = pg_temp.id('after');
select is(pg_temp.studio(format('update public.viewings set status = ''done'' where id = %L', pg_temp.id('after'))), 'invalid_transition',
  'sixteen minutes before its start is too early');
update public.viewings set starts_at = now() + interval '15 minutes' where id = pg_temp.id('after');
select is(pg_temp.api(format('api.update_viewing(%L, ''{"status": "done"}'')', pg_temp.id('after'))) ->> 'status', 'done', 'a request says that it took place');
select is(pg_temp.api(format('api.update_viewing(%L, ''{"status": "cancelled"}'')', pg_temp.id('after'))) ->> 'refused', 'invalid_transition',
  'and does not take that back');

select * from finish();
rollback;

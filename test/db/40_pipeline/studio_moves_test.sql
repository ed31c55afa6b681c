-- An edit of operations.stage in Studio or by SQL meets the same rules as PATCH /operations/{id}.
begin;
create extension if not exists pgtap with schema extensions;
select plan(38);

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

-- PATCH /operations/{id}: the stage it stands at afterwards, or the reason of the refusal.
create function pg_temp.move(name text, stage text, lost_reason text default null) returns text
language sql as $$
  select coalesce(answer ->> 'refused', answer ->> 'stage')
  from pg_temp.api(format('api.update_operation(%L, %L)', pg_temp.id(name),
    jsonb_strip_nulls(jsonb_build_object('stage', stage, 'lost_reason', lost_reason)))) answer
$$;

create function pg_temp.stage(name text) returns text
language sql as $$ select o.stage from public.operations o where o.id = pg_temp.id(name) $$;

create function pg_temp.edit(name text, stage text, lost_reason text default null) returns text
language sql as $$
  select pg_temp.studio(format('update public.operations set stage = %L, lost_reason = %L where id = %L', stage, lost_reason, pg_temp.id(name)))
$$;
do $$ begin
  perform pg_temp.operation('first', 'buy'), pg_temp.operation('gate', 'buy', 'viewings'), pg_temp.operation('last', 'buy', 'closing');
end $$;

select is(pg_temp.edit('first', 'viewings'), 'invalid_transition', 'a stage is not skipped');
select is(pg_temp.edit('first', 'won'), 'invalid_transition', 'success is not reached from an earlier stage');
select is(pg_temp.edit('first', 'qualification'), 'invalid_transition', 'the same stage is no move');
select is(pg_temp.edit('gate', 'search'), 'invalid_transition', 'nothing moves backward');
select is(pg_temp.edit('gate', 'offer'), 'stage_gate_blocked', 'a gate holds');
select is(pg_temp.edit('gate', 'sold'), 'invalid_stage', 'a value outside the flow is refused');
select is(pg_temp.edit('gate', null), 'invalid_stage', 'so is none');
select is(pg_temp.edit('gate', 'lost'), 'lost_reason_required', 'lost needs a reason');
select is(pg_temp.edit('gate', 'lost', E'\t\n'), 'lost_reason_required', 'and blanks of any kind are none');
select is(pg_temp.stage('first') || ' ' || pg_temp.stage('gate'), 'qualification viewings',
  'refused edits leave the stage');
select is(pg_temp.edit('first', 'search'), 'done', 'one step forward is made');
select is(pg_temp.edit('last', 'won'), 'done', 'the last stage closes as won');
select is((select (won_at, closed_at) = (now(), now()) from public.operations where id = pg_temp.id('last')), true,
  'which dates the win and the close');
select is(pg_temp.edit('last', 'closing'), 'operation_closed', 'a closed operation does not move');
select is(pg_temp.edit('last', 'won'), 'operation_closed', 'not even to where it is');

-- The dates follow from the stage and from nothing else.
select is(pg_temp.studio('update public.operations set won_at = now(), closed_at = now() where agency_id = pg_temp.id(''agency'') and closed_at is null'),
  'done', 'an edit of the dates of an open operation');
select is((select count(*)::int from public.operations where agency_id = pg_temp.id('agency') and (id <> pg_temp.id('last') and (won_at is not null or closed_at is not null))),
  0, 'has no effect');
select is(pg_temp.studio(format('update public.operations set won_at = null, closed_at = null where id = %L', pg_temp.id('last'))),
  'done', 'an edit of the dates of a closed one');
select is((select (won_at, closed_at) = (now(), now()) from public.operations where id = pg_temp.id('last')), true,
  'has none either');
select is(pg_temp.studio(format('update public.operations set lost_reason = null where id = %L', pg_temp.id('gate'))),
  'done', 'an open operation needs no lost reason');
select is(pg_temp.edit('gate', 'lost', 'Subió el precio'), 'done', 'a lost one');
select is(pg_temp.studio(format('update public.operations set lost_reason = '' '' where id = %L', pg_temp.id('gate'))),
  '23514', 'keeps one');
select is(pg_temp.studio(format('update public.operations set lost_reason = E''\t'' where id = %L', pg_temp.id('gate'))),
  '23514', 'that is not blank');
select is(pg_temp.studio(format('update public.operations set lost_reason = repeat(''x'', 1001) where id = %L', pg_temp.id('gate'))),
  '23514', 'of at most 1,000 characters');

-- One refused row refuses the whole statement.
do $$ begin perform pg_temp.operation('one', 'sell'), pg_temp.operation('two', 'sell', 'listed'); end $$;
select is(pg_temp.studio($$update public.operations set stage = 'mandate' where agency_id = pg_temp.id('agency') and operation_type = 'sell'$$),
  'invalid_transition', 'an edit of many rows is refused for one of them');
select is(pg_temp.stage('one'), 'valuation', 'and then no row moves');

-- The service role meets the same wall: it has no way around the triggers, and no grant on the table.
create function pg_temp.as_service_role() returns text language plpgsql as $$
declare state text;
begin
  set local role service_role;
  begin
    update public.operations set stage = 'won' where agency_id = pg_temp.id('agency');
  exception when others then
    state := sqlstate;
  end;
  reset role;
  return state;
end
$$;
select is(pg_temp.as_service_role(), '42501', 'the service role writes no stages');

-- What is closed stays as it was.
select is(pg_temp.studio(format('update public.operations set %s where id = %L', change, pg_temp.id('last'))), outcome, 'of a closed operation: ' || change)
from (values
  (format('property_id = %L', pg_temp.id('flat')), 'operation_closed'), ('lost_reason = ''Precio''', 'operation_closed'),
  ('deposit_paid_at = now()', 'done'), ('deposit_paid_at = now() - interval ''1 day''', 'done'), ('deposit_paid_at = null', 'operation_closed'),
  ('property_id = property_id', 'done')) v (change, outcome);
select is(pg_temp.studio(format('update public.operations set lost_reason = ''Subió demasiado'' where id = %L', pg_temp.id('gate'))), 'done',
  'why a deal was lost may be said better');
do $$ begin
  perform pg_temp.operation('with a home', 'sell', 'closing');
  update public.operations set property_id = pg_temp.id('flat') where id = pg_temp.id('with a home');
  update public.operations set stage = 'sold' where id = pg_temp.id('with a home');
end $$;
select is(pg_temp.api(format('api.update_operation(%L, ''{"property_id": null}'')', pg_temp.id('with a home'))) ->> 'refused', 'operation_closed',
  'a request does not take the property of a closed deal away');
select is(pg_temp.studio(format('update public.operations set property_id = null where id = %L', pg_temp.id('with a home'))), 'operation_closed',
  'nor does an admin');
select is((select property_id from public.operations where id = pg_temp.id('with a home')), pg_temp.id('flat'), 'it keeps it');
do $$ begin perform pg_temp.operation('homeless', 'sell', 'closing'); end $$;
select is(pg_temp.edit('homeless', 'sold'), 'done', 'a deal may be closed without a property');

select * from finish();
rollback;

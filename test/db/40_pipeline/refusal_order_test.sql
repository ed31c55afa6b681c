-- A move that breaks several rules is refused for the first of: closed, valid value, lost reason, transition, gate,
-- database gate.
begin;
create extension if not exists pgtap with schema extensions;
select plan(29);

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

-- Closed comes before everything.
do $$ begin
  perform pg_temp.operation('closed', 'rent', 'viewings');
  perform pg_temp.move('closed', 'cancelled');
end $$;
select is(pg_temp.move('closed', 'nonsense'), 'operation_closed', 'closed comes before an invalid value');
select is(pg_temp.move('closed', 'lost'), 'operation_closed', 'closed comes before a missing lost reason');
select is(pg_temp.move('closed', 'contract'), 'operation_closed', 'closed comes before a skipped stage');
select is(pg_temp.move('closed', 'offer'), 'operation_closed', 'closed comes before pending steps');
select is(pg_temp.move('closed', 'cancelled'), 'operation_closed', 'closed comes before the state it already has');

-- A valid value comes before the rest.
do $$ begin perform pg_temp.operation('blocked', 'rent', 'viewings'); end $$;
select is(pg_temp.move('blocked', 'reservation'), 'invalid_stage',
  'a stage of another flow is an invalid value, whatever the gate');
select is(pg_temp.move('blocked', 'sold'), 'invalid_stage', 'a success state of another flow is an invalid value');
select is(pg_temp.move('blocked', 'LOST'), 'invalid_stage', 'an invalid value comes before a missing lost reason');
select is(pg_temp.move('blocked', 'offer '), 'invalid_stage', 'a value is not trimmed into a valid one');
select is(pg_temp.api(format('api.update_operation(%L, ''{"stage": null}'')', pg_temp.id('blocked'))) ->> 'refused',
  'invalid_stage', 'null is an invalid value');

-- A lost reason is asked for before the gate, and only for lost.
select is(pg_temp.move('blocked', 'lost'), 'lost_reason_required', 'lost needs a reason');
select is(pg_temp.move('blocked', 'lost', ''), 'lost_reason_required', 'an empty reason is a missing one');
select is(pg_temp.move('blocked', 'lost', '  '), 'lost_reason_required', 'a blank reason is a missing one');

-- The transition comes before the gate.
select is(pg_temp.move('blocked', 'contract'), 'invalid_transition', 'a skipped stage comes before pending steps');
select is(pg_temp.move('blocked', 'search'), 'invalid_transition', 'a step back comes before pending steps');
select is(pg_temp.move('blocked', 'viewings'), 'invalid_transition', 'the same stage comes before pending steps');
select is(pg_temp.move('blocked', 'rented'), 'invalid_transition',
  'an early success comes before pending steps and the deposit');

-- The gate of the stage comes before the database gate; no flow has both, so the last stage gets a step here.
insert into public.gate_steps (flow, stage, id, label, position)
values ('rent', 'handover', 'llavesEntregadas', 'Llaves entregadas', 1);
do $$ begin perform pg_temp.operation('handover', 'rent', 'handover'); end $$;
select is(pg_temp.move('handover', 'rented'), 'stage_gate_blocked', 'pending steps come before the deposit');
update public.operation_steps set done = true where operation_id = pg_temp.id('handover') and step_id = 'llavesEntregadas';
select is(pg_temp.move('handover', 'rented'), 'db_gate_blocked', 'then the deposit is asked for');

-- Nothing of a refused move is written.
select is(pg_temp.stage('blocked'), 'viewings', 'a refused move leaves the stage');
select is((select lost_reason from public.operations where id = pg_temp.id('blocked')), null, 'and the lost reason');
select is((select count(*)::int from public.stage_history where operation_id = pg_temp.id('blocked')), 1,
  'and the history');
select is(
  pg_temp.api(format('api.update_operation(%L, jsonb_build_object(''property_id'', %L, ''stage'', ''contract''))',
    pg_temp.id('blocked'), pg_temp.id('let'))) ->> 'refused',
  'invalid_transition', 'a patch with a good property and a bad stage is refused');
select is((select property_id from public.operations where id = pg_temp.id('blocked')), null,
  'and its property is not written either');

-- The failure states pass every gate.
select is(pg_temp.move('blocked', 'lost', 'Encontró otra casa'), 'lost', 'lost passes pending steps');
select is((select lost_reason from public.operations where id = pg_temp.id('blocked')), 'Encontró otra casa',
  'and keeps its reason');
do $$ begin perform pg_temp.operation('unpaid', 'rent', 'handover'); end $$;
select is(pg_temp.move('unpaid', 'expired'), 'expired', 'expired passes pending steps and the deposit');

-- The shape of a refusal.
do $$ begin perform pg_temp.operation('shape', 'buy', 'viewings'); end $$;
select is(
  pg_temp.api(format('api.update_operation(%L, ''{"stage": "offer"}'')', pg_temp.id('shape'))) - 'rate_limit' - 'hints',
  '{"refused": "stage_gate_blocked", "status": 422, "code": "validation_error", "details": {
     "reason": "stage_gate_blocked",
     "pending_actions": [
       {"id": "propiedadesVisitadas", "label": "Propiedades visitadas"},
       {"id": "favoritaElegida", "label": "Propiedad favorita elegida"}]}}',
  'a blocked gate is 422 validation_error and lists the pending steps in their order');
select is(
  pg_temp.api(format('api.update_operation(%L, ''{"stage": "closing"}'')', pg_temp.id('shape'))) - 'rate_limit',
  '{"refused": "invalid_transition", "status": 422, "code": "validation_error", "details": {"reason": "invalid_transition"}}',
  'the other refusals are 422 validation_error with their reason');

select * from finish();
rollback;

-- A move that breaks several rules is refused for the first of: closed, valid value, lost reason, transition, gate,
-- database gate.
begin;
select plan(29);

select tests.create_agency('norte'), tests.create_property('let', 'rent');

-- Closed comes before everything.
do $$ begin
  perform tests.create_operation('closed', 'rent', 'viewings');
  perform tests.move('closed', 'cancelled');
end $$;
select is(tests.move('closed', 'nonsense'), 'operation_closed', 'closed comes before an invalid value');
select is(tests.move('closed', 'lost'), 'operation_closed', 'closed comes before a missing lost reason');
select is(tests.move('closed', 'contract'), 'operation_closed', 'closed comes before a skipped stage');
select is(tests.move('closed', 'offer'), 'operation_closed', 'closed comes before pending steps');
select is(tests.move('closed', 'cancelled'), 'operation_closed', 'closed comes before the state it already has');

-- A valid value comes before the rest.
select tests.create_operation('blocked', 'rent', 'viewings');
select is(tests.move('blocked', 'reservation'), 'invalid_stage',
  'a stage of another flow is an invalid value, whatever the gate');
select is(tests.move('blocked', 'sold'), 'invalid_stage', 'a success state of another flow is an invalid value');
select is(tests.move('blocked', 'LOST'), 'invalid_stage', 'an invalid value comes before a missing lost reason');
select is(tests.move('blocked', 'offer '), 'invalid_stage', 'a value is not trimmed into a valid one');
select is(tests.api(format('api.update_operation(%L, ''{"stage": null}'')', tests.id('blocked'))) ->> 'refused',
  'invalid_body', 'null is no value at all');

-- A lost reason is asked for before the gate, and only for lost.
select is(tests.move('blocked', 'lost'), 'lost_reason_required', 'lost needs a reason');
select is(tests.move('blocked', 'lost', ''), 'lost_reason_required', 'an empty reason is a missing one');
select is(tests.move('blocked', 'lost', '  '), 'lost_reason_required', 'a blank reason is a missing one');

-- The transition comes before the gate.
select is(tests.move('blocked', 'contract'), 'invalid_transition', 'a skipped stage comes before pending steps');
select is(tests.move('blocked', 'search'), 'invalid_transition', 'a step back comes before pending steps');
select is(tests.move('blocked', 'viewings'), 'invalid_transition', 'the same stage comes before pending steps');
select is(tests.move('blocked', 'rented'), 'invalid_transition',
  'an early success comes before pending steps and the deposit');

-- The gate of the stage comes before the database gate; no flow has both, so the last stage gets a step here.
insert into public.gate_steps (flow, stage, id, label, position)
values ('rent', 'handover', 'llavesEntregadas', 'Llaves entregadas', 1);
select tests.create_operation('handover', 'rent', 'handover');
select is(tests.move('handover', 'rented'), 'stage_gate_blocked', 'pending steps come before the deposit');
update public.operation_steps set done = true where operation_id = tests.id('handover') and step_id = 'llavesEntregadas';
select is(tests.move('handover', 'rented'), 'db_gate_blocked', 'then the deposit is asked for');

-- Nothing of a refused move is written.
select is(tests.stage('blocked'), 'viewings', 'a refused move leaves the stage');
select is((select lost_reason from public.operations where id = tests.id('blocked')), null, 'and the lost reason');
select is((select count(*)::int from public.stage_history where operation_id = tests.id('blocked')), 1,
  'and the history');
select is(
  tests.api(format('api.update_operation(%L, jsonb_build_object(''property_id'', %L, ''stage'', ''contract''))',
    tests.id('blocked'), tests.id('let'))) ->> 'refused',
  'invalid_transition', 'a patch with a good property and a bad stage is refused');
select is((select property_id from public.operations where id = tests.id('blocked')), null,
  'and its property is not written either');

-- The failure states pass every gate.
select is(tests.move('blocked', 'lost', 'Encontró otra casa'), 'lost', 'lost passes pending steps');
select is((select lost_reason from public.operations where id = tests.id('blocked')), 'Encontró otra casa',
  'and keeps its reason');
select tests.create_operation('unpaid', 'rent', 'handover');
select is(tests.move('unpaid', 'expired'), 'expired', 'expired passes pending steps and the deposit');

-- The shape of a refusal.
select tests.create_operation('shape', 'buy', 'viewings');
select is(
  tests.api(format('api.update_operation(%L, ''{"stage": "offer"}'')', tests.id('shape'))) - 'rate_limit' - 'hints',
  '{"refused": "stage_gate_blocked", "status": 422, "code": "validation_error", "details": {
     "reason": "stage_gate_blocked",
     "pending_actions": [
       {"id": "propiedadesVisitadas", "label": "Propiedades visitadas"},
       {"id": "favoritaElegida", "label": "Propiedad favorita elegida"}]}}',
  'a blocked gate is 422 validation_error and lists the pending steps in their order');
select is(
  tests.api(format('api.update_operation(%L, ''{"stage": "closing"}'')', tests.id('shape'))) - 'rate_limit',
  '{"refused": "invalid_transition", "status": 422, "code": "validation_error", "details": {"reason": "invalid_transition"}}',
  'the other refusals are 422 validation_error with their reason');

select * from finish();
rollback;

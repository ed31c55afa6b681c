-- An edit of operations.stage in Studio or by SQL meets the same rules as PATCH /operations/{id}.
begin;
select plan(38);

select tests.create_agency('norte'), tests.create_property('flat', 'sale');

create function pg_temp.edit(name text, stage text, lost_reason text default null) returns text
language sql as $$
  select tests.studio(format('update public.operations set stage = %L, lost_reason = %L where id = %L', stage, lost_reason, tests.id(name)))
$$;
do $$ begin
  perform tests.create_operation('first', 'buy'), tests.create_operation('gate', 'buy', 'viewings'), tests.create_operation('last', 'buy', 'closing');
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
select is(tests.stage('first') || ' ' || tests.stage('gate'), 'qualification viewings',
  'refused edits leave the stage');
select is(pg_temp.edit('first', 'search'), 'done', 'one step forward is made');
select is(pg_temp.edit('last', 'won'), 'done', 'the last stage closes as won');
select is((select (won_at, closed_at) = (now(), now()) from public.operations where id = tests.id('last')), true,
  'which dates the win and the close');
select is(pg_temp.edit('last', 'closing'), 'operation_closed', 'a closed operation does not move');
select is(pg_temp.edit('last', 'won'), 'operation_closed', 'not even to where it is');

-- The dates follow from the stage and from nothing else.
select is(tests.studio('update public.operations set won_at = now(), closed_at = now() where agency_id = tests.id(''norte'') and closed_at is null'),
  'done', 'an edit of the dates of an open operation');
select is((select count(*)::int from public.operations where agency_id = tests.id('norte') and (id <> tests.id('last') and (won_at is not null or closed_at is not null))),
  0, 'has no effect');
select is(tests.studio(format('update public.operations set won_at = null, closed_at = null where id = %L', tests.id('last'))),
  'done', 'an edit of the dates of a closed one');
select is((select (won_at, closed_at) = (now(), now()) from public.operations where id = tests.id('last')), true,
  'has none either');
select is(tests.studio(format('update public.operations set lost_reason = null where id = %L', tests.id('gate'))),
  'done', 'an open operation needs no lost reason');
select is(pg_temp.edit('gate', 'lost', 'Subió el precio'), 'done', 'a lost one');
select is(tests.studio(format('update public.operations set lost_reason = '' '' where id = %L', tests.id('gate'))),
  '23514', 'keeps one');
select is(tests.studio(format('update public.operations set lost_reason = E''\t'' where id = %L', tests.id('gate'))),
  '23514', 'that is not blank');
select is(tests.studio(format('update public.operations set lost_reason = repeat(''x'', 1001) where id = %L', tests.id('gate'))),
  '23514', 'of at most 1,000 characters');

-- One refused row refuses the whole statement.
select tests.create_operation('one', 'sell'), tests.create_operation('two', 'sell', 'listed');
select is(tests.studio($$update public.operations set stage = 'mandate' where agency_id = tests.id('norte') and operation_type = 'sell'$$),
  'invalid_transition', 'an edit of many rows is refused for one of them');
select is(tests.stage('one'), 'valuation', 'and then no row moves');

-- The service role meets the same wall: it has no way around the triggers, and no grant on the table.
select is(tests.as_role('service_role', 'update public.operations set stage = ''won'''), '42501', 'the service role writes no stages');

-- What is closed stays as it was.
select is(tests.studio(format('update public.operations set %s where id = %L', change, tests.id('last'))), outcome, 'of a closed operation: ' || change)
from (values
  (format('property_id = %L', tests.id('flat')), 'operation_closed'), ('lost_reason = ''Precio''', 'operation_closed'),
  ('deposit_paid_at = now()', 'done'), ('deposit_paid_at = now() - interval ''1 day''', 'done'), ('deposit_paid_at = null', 'operation_closed'),
  ('property_id = property_id', 'done')) v (change, outcome);
select is(tests.studio(format('update public.operations set lost_reason = ''Subió demasiado'' where id = %L', tests.id('gate'))), 'done',
  'why a deal was lost may be said better');
do $$ begin
  perform tests.create_operation('with a home', 'sell', 'closing');
  update public.operations set property_id = tests.id('flat') where id = tests.id('with a home');
  update public.operations set stage = 'sold' where id = tests.id('with a home');
end $$;
select is(tests.api(format('api.update_operation(%L, ''{"property_id": null}'')', tests.id('with a home'))) ->> 'refused', 'operation_closed',
  'a request does not take the property of a closed deal away');
select is(tests.studio(format('update public.operations set property_id = null where id = %L', tests.id('with a home'))), 'operation_closed',
  'nor does an admin');
select is((select property_id from public.operations where id = tests.id('with a home')), tests.id('flat'), 'it keeps it');
select tests.create_operation('homeless', 'sell', 'closing');
select is(pg_temp.edit('homeless', 'sold'), 'done', 'a deal may be closed without a property');

select * from finish();
rollback;

-- What is done to a deal by hand: closing and reopening gate steps, and recording the deposit of a rental.
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

-- A call as an admin makes it: 'done', or the reason of its refusal.
create function pg_temp.said(call text) returns text
language plpgsql as $$
declare
  state text;
  detail text;
begin
  execute 'select ' || call;
  return 'done';
exception when others then
  get stacked diagnostics state = returned_sqlstate, detail = pg_exception_detail;
  return pg_temp.refusal(state, detail) ->> 'refused';
end
$$;

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
insert into public.properties (agency_id, id, listing_type) values
  (pg_temp.id('agency'), pg_temp.id('flat'), 'sale'), (pg_temp.id('agency'), pg_temp.id('let'), 'rent');
insert into public.contacts (agency_id, id, full_name) values (pg_temp.id('agency'), pg_temp.id('contact'), 'Eva');
insert into public.leads (agency_id, id, full_name, contact_id) values (pg_temp.id('agency'), pg_temp.id('lead'), 'Eva', pg_temp.id('contact'));
insert into public.operations (agency_id, id, lead_id, operation_type, stage) values
  (pg_temp.id('agency'), pg_temp.id('buy'), pg_temp.id('lead'), 'buy', 'viewings'),
  (pg_temp.id('agency'), pg_temp.id('rent'), pg_temp.id('lead'), 'rent', 'offer'),
  (pg_temp.id('agency'), pg_temp.id('sell'), pg_temp.id('lead'), 'sell', 'offer');

create function pg_temp.close(name text, step text, more text default '') returns text
language sql as $$ select pg_temp.said(format('admin.close_step(%L, %L%s)', pg_temp.id(name), step, more)) $$;
create function pg_temp.reopen(name text, step text) returns text
language sql as $$ select pg_temp.said(format('admin.reopen_step(%L, %L)', pg_temp.id(name), step)) $$;
create function pg_temp.deposit(name text, more text default '') returns text
language sql as $$ select pg_temp.said(format('admin.record_deposit(%L%s)', pg_temp.id(name), more)) $$;
create function pg_temp.done(name text, step text) returns boolean
language sql as $$
  select s.done from public.operation_steps s where s.operation_id = pg_temp.id(name) and s.step_id = step
$$;

-- Closing
select is(pg_temp.close('nobody', 'propiedadesVisitadas'), 'not_found', 'an operation that is not there');
select is(pg_temp.close('buy', 'visited'), 'unknown_step', 'a step that is not there');
select is(pg_temp.close('sell', 'propiedadesVisitadas'), 'unknown_step', 'a step of another flow');
select throws_ok(format('select admin.close_step(%L, ''x'')', pg_temp.id('sell')), 'PT422', 'The operation has no such step.', 'which is said in a sentence');
select is(pg_temp.close('buy', 'propiedadesVisitadas', ', 100'), 'amount_not_taken', 'a step that takes no amount');
select is(pg_temp.done('buy', 'propiedadesVisitadas'), false, 'a refused step stays open');
select is(pg_temp.close('buy', 'propiedadesVisitadas'), 'done', 'a step is closed');
select is(pg_temp.done('buy', 'propiedadesVisitadas'), true, 'and is closed then');
select is(pg_temp.close('buy', 'propiedadesVisitadas'), 'done', 'repeating it changes nothing');

select is(pg_temp.close('rent', 'precioAcordado'), 'offer_required', 'a price is agreed on an offer');
select is(pg_temp.close('rent', 'ofertaPreparada'), 'amount_required', 'an offer has an amount');
select is(pg_temp.close('rent', 'ofertaPreparada', ', 950'), 'property_required', 'and a property');
update public.operations set property_id = pg_temp.id('let') where id = pg_temp.id('rent');
select is(pg_temp.close('rent', 'ofertaPreparada', ', -1'), '23514', 'an amount is positive');
select is(pg_temp.close('rent', 'ofertaPreparada', ', 950'), 'done', 'with both the offer is made');
select results_eq(format('select amount, status from public.offers where operation_id = %L', pg_temp.id('rent')),
  $$values (950.00, 'received')$$, 'of that amount, and is not accepted');
select is(pg_temp.close('rent', 'ofertaPreparada', ', 960'), 'step_closed', 'a second amount is refused, not ignored');
select is(pg_temp.close('rent', 'precioAcordado'), 'done', 'the price is agreed');
select is((select status from public.offers where operation_id = pg_temp.id('rent')), 'accepted', 'which accepts the offer');

-- Reopening
select is(pg_temp.reopen('nobody', 'propiedadesVisitadas'), 'not_found', 'no operation, nothing to reopen');
select is(pg_temp.reopen('sell', 'visited'), 'unknown_step', 'no step, nothing to reopen');
select is(pg_temp.reopen('rent', 'precioAcordado'), 'step_not_reopened', 'an accepted offer stands behind the step');
select is(pg_temp.reopen('buy', 'propiedadesVisitadas'), 'done', 'a step closed by hand is reopened');
select is(pg_temp.done('buy', 'propiedadesVisitadas'), false, 'and is open then');

-- The deposit
select is(pg_temp.deposit('nobody'), 'not_found', 'a deposit of no operation');
select is(pg_temp.deposit('buy'), 'deposit_not_taken', 'only a rental waits for a deposit');
select is(pg_temp.deposit('rent', ', now() + interval ''1 day'''), 'invalid_time', 'a deposit is not paid tomorrow');
update public.operations set stage = 'contract' where id = pg_temp.id('rent');
update public.operations set stage = 'handover' where id = pg_temp.id('rent');
select is(pg_temp.deposit('rent', ', ''2026-01-31T12:00Z'''), 'done', 'it is recorded');
select is((select deposit_paid_at from public.operations where id = pg_temp.id('rent')), '2026-01-31T12:00Z', 'with its date');
update public.operations set stage = 'rented' where id = pg_temp.id('rent');
select is((select stage from public.operations where id = pg_temp.id('rent')), 'rented', 'and the rental closes');

-- A closed deal stays as it was.
update public.operations set stage = 'lost', lost_reason = 'x' where id = pg_temp.id('buy');
select is(pg_temp.close('buy', 'propiedadesVisitadas'), 'operation_closed', 'no step of a closed deal is closed');
select is(pg_temp.reopen('rent', 'propiedadesVisitadas'), 'done', 'what is open stays open');
select is(pg_temp.reopen('rent', 'favoritaElegida'), 'operation_closed', 'and none is reopened');
select is(pg_temp.deposit('rent'), 'done', 'but when its deposit was paid may be corrected');

select * from finish();
rollback;

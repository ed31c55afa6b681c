-- An admin closes gate steps by hand in Studio: ticking done does what the step stands for.
begin;
select plan(67);

select tests.create_agency('norte'), tests.create_property('flat', 'sale'), tests.create_property('let', 'rent');

-- Ticks a step as in Studio: 'done', or the reason of the refusal.
create function pg_temp.tick(name text, step text, amount numeric default null) returns text
language sql as $$
  select tests.studio(format(
    'update public.operation_steps set done = true, amount = coalesce(%L::numeric, amount) where operation_id = %L and step_id = %L',
    amount, tests.id(name), step))
$$;

create function pg_temp.done(name text, step text) returns boolean
language sql as $$
  select s.done and s.done_at is not null from public.operation_steps s
  where s.operation_id = tests.id(name) and s.step_id = step
$$;

create temp table flow as select unnest('{buy,rent,sell}'::text[]) as id;
do $$ begin
  perform tests.create_operation(id, id, 'offer') from flow;
  perform tests.create_operation(id || ' viewed', id, 'viewings') from flow where id <> 'sell';
end $$;

-- propiedadesVisitadas and favoritaElegida have no further effect.
select is(pg_temp.tick(id || ' viewed', 'propiedadesVisitadas'), 'done',
  id || ': propiedadesVisitadas is ticked by hand')
from flow where id <> 'sell';
select is(pg_temp.tick(id || ' viewed', 'favoritaElegida'), 'done', id || ': favoritaElegida is ticked by hand')
from flow where id <> 'sell';
select is(tests.move(id || ' viewed', 'offer'), 'offer', id || ': ticks by hand open the gate')
from flow where id <> 'sell';

-- ofertaPreparada creates an offer.
select is(pg_temp.tick(id, 'ofertaPreparada'), 'amount_required', id || ': ofertaPreparada needs an amount') from flow;
select is(pg_temp.tick(id, 'ofertaPreparada', 950), 'property_required', id || ': and a property on the operation')
from flow;
select is(pg_temp.done(id, 'ofertaPreparada'), false, id || ': a refused tick leaves the step open') from flow;
select is(tests.count_rows('offers'), 0, 'and no offer is created');

update public.operations set property_id = tests.id(case operation_type when 'rent' then 'let' else 'flat' end) where agency_id = tests.id('norte') and stage = 'offer';
select is(pg_temp.tick(id, 'ofertaPreparada'), 'amount_required', id || ': the property alone does not do') from flow;
select is(pg_temp.tick(id, 'ofertaPreparada', 950.5), 'done', id || ': with both it is ticked') from flow;
select is(pg_temp.done(id, 'ofertaPreparada'), true, id || ': the step is closed and dated') from flow;
select results_eq(
  format('select lead_id, property_id, amount, currency, offer_type, status, accepted_at, length(public_token) >= 32 from public.offers where operation_id = %L', tests.id(id)),
  format($$values (%L::uuid, %L::uuid, 950.50, 'EUR', %L, 'received', null::timestamptz, true)$$,
    tests.id('lead ' || id), tests.id(case id when 'rent' then 'let' else 'flat' end), case id when 'rent' then 'rent' else 'sale' end),
  id || ': it created one offer of that amount, not accepted') from flow;
select is(tests.stage(id), 'offer', id || ': the stage did not move') from flow;
select is(pg_temp.tick(id, 'ofertaPreparada', 1000), 'done', id || ': ticking what is ticked changes nothing')
from flow;
select is((select count(*)::int from public.offers where operation_id = tests.id(flow.id)), 1,
  id || ': no second offer')
from flow;
select is(tests.studio(format($$update public.operation_steps set amount = -1 where operation_id = %L and step_id = 'ofertaPreparada'$$, tests.id('buy'))),
  '23514', 'an amount is positive');

-- precioAcordado accepts the latest offer.
select tests.create_operation('none', 'buy', 'offer');
select is(pg_temp.tick('none', 'precioAcordado'), 'offer_required', 'precioAcordado is refused without an offer');
select is(pg_temp.done('none', 'precioAcordado'), false, 'and stays open');

insert into public.offers (agency_id, id, operation_id, amount, created_at)
select tests.id('norte'), tests.id(flow.id || ' later'), tests.id(flow.id), 980, now() + interval '2 hours' from flow;
insert into public.offers (agency_id, id, operation_id, amount, created_at)
select tests.id('norte'), tests.id(flow.id || ' between'), tests.id(flow.id), 970, now() + interval '1 hour' from flow;
select is(pg_temp.tick(id, 'precioAcordado'), 'done', id || ': precioAcordado is ticked by hand') from flow;
select results_eq(
  format($$select amount from public.offers where operation_id = %L and status = 'accepted' and accepted_at is not null$$, tests.id(id)),
  'values (980.00)', id || ': it accepted the latest offer, and no other') from flow;
select is(pg_temp.done(id, 'precioAcordado'), true, id || ': the step is closed and dated') from flow;
select is(tests.stage(id), 'offer', id || ': the stage did not move') from flow;
select is((select string_agg(distinct status, ',') from public.properties where agency_id = tests.id('norte')), 'pending', 'the properties are pending');

-- An offer that is off the table is not the one that is accepted.
do $$ begin
  perform tests.create_operation('withdrawn', 'buy', 'offer');
  insert into public.offers (agency_id, operation_id, property_id, amount, status)
  values (tests.id('norte'), tests.id('withdrawn'), tests.id('flat'), 1, 'withdrawn');
end $$;
select is(pg_temp.tick('withdrawn', 'precioAcordado'), 'offer_required', 'a withdrawn offer is not accepted by a tick');

-- A step that had an effect is not undone by removing the tick.
select is(tests.studio(format('update public.operation_steps set done = false where operation_id = %L and step_id = %L', tests.id('buy'), step)),
  'step_not_reopened', step || ' is not reopened') from unnest('{ofertaPreparada,precioAcordado}'::text[]) step;
select is(tests.studio(format($$update public.operation_steps set done = false where operation_id = %L and step_id = 'propiedadesVisitadas'$$, tests.id('buy viewed'))),
  'done', 'a step without an effect may be reopened');
select is((select done_at from public.operation_steps where operation_id = tests.id('buy viewed') and step_id = 'propiedadesVisitadas'),
  null, 'and is no longer dated');

-- A closed operation takes neither.
do $$ begin
  perform tests.create_operation('lost', 'buy', 'offer');
  update public.operations set property_id = tests.id('flat') where id = tests.id('lost');
  perform tests.move('lost', 'cancelled');
end $$;
select is(pg_temp.tick('lost', 'ofertaPreparada', 1), 'operation_closed', 'a closed operation gets no offer by a tick');
select is(pg_temp.tick('lost', 'propiedadesVisitadas'), 'operation_closed', 'and no tick without an effect');
select is(tests.studio(format($$update public.operation_steps set done = false where operation_id = %L and step_id = 'favoritaElegida'$$, tests.id('lost'))),
  'operation_closed', 'nor is one taken away');

-- What closed a step still holds.
do $$ begin
  perform tests.create_operation('facts', 'buy', 'viewings');
  update public.operations set property_id = tests.id('flat') where id = tests.id('facts');
  insert into public.documents (agency_id, operation_id, kind, status) values (tests.id('norte'), tests.id('facts'), 'viewing_sheet', 'received');
end $$;
select is(tests.studio(format('update public.operation_steps set done = false where operation_id = %L and step_id = %L', tests.id('facts'), step)),
  'step_not_reopened', step || ' is not reopened while what closed it holds') from unnest('{propiedadesVisitadas,favoritaElegida}'::text[]) step;
update public.operations set property_id = null where id = tests.id('facts');
select is(pg_temp.done('facts', 'favoritaElegida'), false, 'taking the choice back opens favoritaElegida');

select is(tests.studio(format('update public.operation_steps set step_id = ''favoritaElegida'' where operation_id = %L and step_id = ''precioAcordado''', tests.id('none'))),
  'change_refused', 'a step stays the step of its operation');

-- There is no endpoint for it, and no grant either.
select is(tests.api(format('api.create_offer(jsonb_build_object(''operation_id'', %L, ''property_id'', %L, ''amount'', 5))', tests.id('none'), tests.id('flat'))) ->> 'status',
  '201', 'an integrator may record an offer');
select is(tests.as_role('anon', 'update public.operation_steps set done = true'), '42501', 'but not tick a step');

select * from finish();
rollback;

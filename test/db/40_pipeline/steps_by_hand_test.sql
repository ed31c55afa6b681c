-- An admin closes gate steps by hand in Studio: ticking done does what the step stands for.
begin;
create extension if not exists pgtap with schema extensions;
select plan(67);

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

-- Ticks a step as in Studio: 'done', or the reason of the refusal.
create function pg_temp.tick(name text, step text, amount numeric default null) returns text
language sql as $$
  select pg_temp.studio(format(
    'update public.operation_steps set done = true, amount = coalesce(%L::numeric, amount) where operation_id = %L and step_id = %L',
    amount, pg_temp.id(name), step))
$$;

create function pg_temp.done(name text, step text) returns boolean
language sql as $$
  select s.done and s.done_at is not null from public.operation_steps s
  where s.operation_id = pg_temp.id(name) and s.step_id = step
$$;

create temp table flow as select unnest('{buy,rent,sell}'::text[]) as id;
do $$ begin
  perform pg_temp.operation(id, id, 'offer') from flow;
  perform pg_temp.operation(id || ' viewed', id, 'viewings') from flow where id <> 'sell';
end $$;

-- propiedadesVisitadas and favoritaElegida have no further effect.
select is(pg_temp.tick(id || ' viewed', 'propiedadesVisitadas'), 'done',
  id || ': propiedadesVisitadas is ticked by hand')
from flow where id <> 'sell';
select is(pg_temp.tick(id || ' viewed', 'favoritaElegida'), 'done', id || ': favoritaElegida is ticked by hand')
from flow where id <> 'sell';
select is(pg_temp.move(id || ' viewed', 'offer'), 'offer', id || ': ticks by hand open the gate')
from flow where id <> 'sell';

-- ofertaPreparada creates an offer.
select is(pg_temp.tick(id, 'ofertaPreparada'), 'amount_required', id || ': ofertaPreparada needs an amount') from flow;
select is(pg_temp.tick(id, 'ofertaPreparada', 950), 'property_required', id || ': and a property on the operation')
from flow;
select is(pg_temp.done(id, 'ofertaPreparada'), false, id || ': a refused tick leaves the step open') from flow;
select is((select count(*)::int from public.offers where agency_id = pg_temp.id('agency')), 0, 'and no offer is created');

update public.operations set property_id = pg_temp.id(case operation_type when 'rent' then 'let' else 'flat' end) where agency_id = pg_temp.id('agency') and stage = 'offer';
select is(pg_temp.tick(id, 'ofertaPreparada'), 'amount_required', id || ': the property alone does not do') from flow;
select is(pg_temp.tick(id, 'ofertaPreparada', 950.5), 'done', id || ': with both it is ticked') from flow;
select is(pg_temp.done(id, 'ofertaPreparada'), true, id || ': the step is closed and dated') from flow;
select results_eq(
  format('select lead_id, property_id, amount, currency, offer_type, status, accepted_at, length(public_token) >= 32 from public.offers where operation_id = %L', pg_temp.id(id)),
  format($$values (%L::uuid, %L::uuid, 950.50, 'EUR', %L, 'received', null::timestamptz, true)$$,
    pg_temp.id('lead ' || id), pg_temp.id(case id when 'rent' then 'let' else 'flat' end), case id when 'rent' then 'rent' else 'sale' end),
  id || ': it created one offer of that amount, not accepted') from flow;
select is(pg_temp.stage(id), 'offer', id || ': the stage did not move') from flow;
select is(pg_temp.tick(id, 'ofertaPreparada', 1000), 'done', id || ': ticking what is ticked changes nothing')
from flow;
select is((select count(*)::int from public.offers where operation_id = pg_temp.id(flow.id)), 1,
  id || ': no second offer')
from flow;
select is(pg_temp.studio(format($$update public.operation_steps set amount = -1 where operation_id = %L and step_id = 'ofertaPreparada'$$, pg_temp.id('buy'))),
  '23514', 'an amount is positive');

-- precioAcordado accepts the latest offer.
do $$ begin perform pg_temp.operation('none', 'buy', 'offer'); end $$;
select is(pg_temp.tick('none', 'precioAcordado'), 'offer_required', 'precioAcordado is refused without an offer');
select is(pg_temp.done('none', 'precioAcordado'), false, 'and stays open');

insert into public.offers (agency_id, id, operation_id, amount, created_at)
select pg_temp.id('agency'), pg_temp.id(flow.id || ' later'), pg_temp.id(flow.id), 980, now() + interval '2 hours' from flow;
insert into public.offers (agency_id, id, operation_id, amount, created_at)
select pg_temp.id('agency'), pg_temp.id(flow.id || ' between'), pg_temp.id(flow.id), 970, now() + interval '1 hour' from flow;
select is(pg_temp.tick(id, 'precioAcordado'), 'done', id || ': precioAcordado is ticked by hand') from flow;
select results_eq(
  format($$select amount from public.offers where operation_id = %L and status = 'accepted' and accepted_at is not null$$, pg_temp.id(id)),
  'values (980.00)', id || ': it accepted the latest offer, and no other') from flow;
select is(pg_temp.done(id, 'precioAcordado'), true, id || ': the step is closed and dated') from flow;
select is(pg_temp.stage(id), 'offer', id || ': the stage did not move') from flow;
select is((select string_agg(distinct status, ',') from public.properties where agency_id = pg_temp.id('agency')), 'pending', 'the properties are pending');

-- An offer that is off the table is not the one that is accepted.
do $$ begin
  perform pg_temp.operation('withdrawn', 'buy', 'offer');
  insert into public.offers (agency_id, operation_id, property_id, amount, status)
  values (pg_temp.id('agency'), pg_temp.id('withdrawn'), pg_temp.id('flat'), 1, 'withdrawn');
end $$;
select is(pg_temp.tick('withdrawn', 'precioAcordado'), 'offer_required', 'a withdrawn offer is not accepted by a tick');

-- A step that had an effect is not undone by removing the tick.
select is(pg_temp.studio(format('update public.operation_steps set done = false where operation_id = %L and step_id = %L', pg_temp.id('buy'), step)),
  'step_not_reopened', step || ' is not reopened') from unnest('{ofertaPreparada,precioAcordado}'::text[]) step;
select is(pg_temp.studio(format($$update public.operation_steps set done = false where operation_id = %L and step_id = 'propiedadesVisitadas'$$, pg_temp.id('buy viewed'))),
  'done', 'a step without an effect may be reopened');
select is((select done_at from public.operation_steps where operation_id = pg_temp.id('buy viewed') and step_id = 'propiedadesVisitadas'),
  null, 'and is no longer dated');

-- A closed operation takes neither.
do $$ begin
  perform pg_temp.operation('lost', 'buy', 'offer');
  update public.operations set property_id = pg_temp.id('flat') where id = pg_temp.id('lost');
  perform pg_temp.move('lost', 'cancelled');
end $$;
select is(pg_temp.tick('lost', 'ofertaPreparada', 1), 'operation_closed', 'a closed operation gets no offer by a tick');
select is(pg_temp.tick('lost', 'propiedadesVisitadas'), 'operation_closed', 'and no tick without an effect');
select is(pg_temp.studio(format($$update public.operation_steps set done = false where operation_id = %L and step_id = 'favoritaElegida'$$, pg_temp.id('lost'))),
  'operation_closed', 'nor is one taken away');

-- What closed a step still holds.
do $$ begin
  perform pg_temp.operation('facts', 'buy', 'viewings');
  update public.operations set property_id = pg_temp.id('flat') where id = pg_temp.id('facts');
  insert into public.documents (agency_id, operation_id, kind, status) values (pg_temp.id('agency'), pg_temp.id('facts'), 'viewing_sheet', 'received');
end $$;
select is(pg_temp.studio(format('update public.operation_steps set done = false where operation_id = %L and step_id = %L', pg_temp.id('facts'), step)),
  'step_not_reopened', step || ' is not reopened while what closed it holds') from unnest('{propiedadesVisitadas,favoritaElegida}'::text[]) step;
update public.operations set property_id = null where id = pg_temp.id('facts');
select is(pg_temp.done('facts', 'favoritaElegida'), false, 'taking the choice back opens favoritaElegida');

select is(pg_temp.studio(format('update public.operation_steps set step_id = ''favoritaElegida'' where operation_id = %L and step_id = ''precioAcordado''', pg_temp.id('none'))),
  'change_refused', 'a step stays the step of its operation');

-- There is no endpoint for it, and no grant either.
select is(pg_temp.api(format('api.create_offer(jsonb_build_object(''operation_id'', %L, ''property_id'', %L, ''amount'', 5))', pg_temp.id('none'), pg_temp.id('flat'))) ->> 'status',
  '201', 'an integrator may record an offer');
create function pg_temp.tick_as_anon() returns text language plpgsql as $$
declare state text;
begin
  perform set_config('request.headers', json_build_object('x-corredor-key', current_setting('test.key'))::text, true);
  set local role anon;
  begin
    update public.operation_steps set done = true where agency_id = pg_temp.id('agency');
  exception when others then
    state := sqlstate;
  end;
  reset role;
  perform set_config('request.headers', '', true);
  return state;
end
$$;
select is(pg_temp.tick_as_anon(), '42501', 'but not tick a step');

select * from finish();
rollback;

-- Gate steps close through the actions that they name.
begin;
select plan(57);

select tests.create_agency('norte'), tests.create_property('flat', 'sale'), tests.create_property('let', 'rent');

create function pg_temp.pending(name text) returns text
language sql as $$
  select string_agg(step ->> 'id', ', ' order by n)
  from jsonb_array_elements(tests.api(format('api.get_operation(%L)', tests.id(name))) -> 'pending_actions')
    with ordinality p (step, n)
$$;

create function pg_temp.viewing(name text, status text) returns void
language sql as $$
  insert into public.viewings (agency_id, id, property_id, lead_id, operation_id, starts_at, ends_at, status)
  select tests.id('norte'), tests.id('viewing ' || name), tests.id('flat'), tests.id('lead ' || name), tests.id(name),
    now() - (n + 1) * interval '1 day', now() - (n + 1) * interval '1 day' + interval '1 hour', status
  from (select count(*) as n from public.viewings where agency_id = tests.id('norte')) others
$$;

create function pg_temp.document(name text, kind text, status text) returns void
language sql as $$
  insert into public.documents (agency_id, id, operation_id, kind, status)
  values (tests.id('norte'), tests.id('document ' || name || kind), tests.id(name), kind, status)
$$;

create temp table flow as select unnest('{buy,rent}'::text[]) as id;
do $$ begin
  perform tests.create_operation(id || ' ' || n, id, 'viewings') from flow, generate_series(1, 4) n;
end $$;

select is(pg_temp.pending(id || ' 1'), 'propiedadesVisitadas, favoritaElegida',
  id || ': a new operation at viewings has both steps pending')
from flow;

-- propiedadesVisitadas
do $$ begin perform pg_temp.viewing(id || ' 1', 'scheduled') from flow; end $$;
select is(pg_temp.pending(id || ' 1'), 'propiedadesVisitadas, favoritaElegida',
  id || ': a viewing that is only scheduled closes nothing')
from flow;
update public.viewings set status = 'no_show' where agency_id = tests.id('norte');
select is(pg_temp.pending(id || ' 1'), 'propiedadesVisitadas, favoritaElegida',
  id || ': nor does one that nobody came to')
from flow;
update public.viewings set status = 'done' where agency_id = tests.id('norte');
select is(pg_temp.pending(id || ' 1'), 'favoritaElegida', id || ': a viewing that is done closes propiedadesVisitadas')
from flow;
do $$ begin perform pg_temp.viewing(id || ' 2', 'done') from flow; end $$;
select is(pg_temp.pending(id || ' 2'), 'favoritaElegida', id || ': so does a viewing recorded as done') from flow;

do $$ begin perform pg_temp.document(id || ' 3', 'viewing_sheet', 'requested'), pg_temp.document(id || ' 3', 'contract', 'received') from flow; end $$;
select is(pg_temp.pending(id || ' 3'), 'propiedadesVisitadas, favoritaElegida',
  id || ': a requested viewing sheet, or another document, closes nothing')
from flow;
update public.documents set status = 'received' where agency_id = tests.id('norte') and kind = 'viewing_sheet';
select is(pg_temp.pending(id || ' 3'), 'favoritaElegida',
  id || ': a received viewing sheet closes propiedadesVisitadas')
from flow;
do $$ begin perform pg_temp.document(id || ' 4', 'viewing_sheet', 'verified') from flow; end $$;
select is(pg_temp.pending(id || ' 4'), 'favoritaElegida', id || ': so does one that comes in verified') from flow;

-- favoritaElegida
select is(tests.move(id || ' 1', 'offer'), 'stage_gate_blocked',
  id || ': with one step pending the stage is not left')
from flow;
update public.operations o set property_id = tests.id('flat') from flow where o.id = tests.id(flow.id || ' 1');
select is(pg_temp.pending(id || ' 1'), null, id || ': choosing the property closes favoritaElegida') from flow;
select is(
  tests.api(format('api.update_operation(%L, jsonb_build_object(''stage'', ''offer'', ''property_id'', %L))',
    tests.id(id || ' 2'), tests.id('flat'))) ->> 'stage',
  'offer', id || ': one patch may choose the property and move on') from flow;
select tests.create_lead('ana');
insert into public.operations (agency_id, id, lead_id, operation_type, stage, property_id)
select tests.id('norte'), tests.id(id || ' chosen'), tests.id('lead ana'), id, 'viewings', tests.id('flat') from flow;
select is(pg_temp.pending(id || ' chosen'), 'propiedadesVisitadas',
  id || ': an operation opened with a property has favoritaElegida closed')
from flow;
select is(tests.move(id || ' 1', 'offer'), 'offer', id || ': with all steps done the stage is left') from flow;

-- ofertaPreparada and precioAcordado, in all three flows
insert into flow values ('sell');
do $$ begin
  perform tests.create_operation(id || ' offer', id, 'offer') from flow;
  update public.operations set property_id = tests.id(case operation_type when 'rent' then 'let' else 'flat' end) where agency_id = tests.id('norte') and stage = 'offer';
end $$;
select is(pg_temp.pending(id || ' offer'), 'ofertaPreparada, precioAcordado', id || ': the gate of offer has two steps')
from flow;
select is(
  tests.api(format('api.create_offer(jsonb_build_object(''operation_id'', %L, ''amount'', 100))', tests.id(id || ' offer'))) ->> 'status',
  '201', id || ': an offer is recorded') from flow;
select is(pg_temp.pending(id || ' offer'), 'precioAcordado', id || ': recording an offer closes ofertaPreparada')
from flow;
select is(tests.stage(id || ' offer'), 'offer', id || ': and does not move the stage') from flow;
select is(tests.move(id || ' offer', case id when 'rent' then 'contract' else 'reservation' end),
  'stage_gate_blocked',
  id || ': the stage is not left before the price is agreed') from flow;
update public.offers set status = 'accepted' where agency_id = tests.id('norte');
select is(pg_temp.pending(id || ' offer'), null, id || ': accepting the offer closes precioAcordado') from flow;
select is(tests.move(id || ' offer', case id when 'rent' then 'contract' else 'reservation' end),
  case id when 'rent' then 'contract' else 'reservation' end, id || ': and the stage is left') from flow;

-- A step that is added to a gate later holds the operations that are open already.
select tests.create_operation('before the step', 'buy', 'search'), tests.create_operation('before and closed', 'buy', 'won');
insert into public.gate_steps (flow, stage, id, label, position) values ('buy', 'search', 'hipotecaEstudiada', 'Hipoteca estudiada', 1);
select is(pg_temp.pending('before the step'), 'hipotecaEstudiada', 'a step that is added later is pending on an open operation');
select is(tests.move('before the step', 'viewings'), 'stage_gate_blocked', 'and holds it');
select is((select count(*)::int from public.operation_steps where operation_id = tests.id('before and closed') and step_id = 'hipotecaEstudiada'), 0,
  'a closed one stays as it was');
select is(tests.studio(format('update public.operation_steps set done = true where operation_id = %L and step_id = ''hipotecaEstudiada''', tests.id('before the step'))),
  'done', 'it is ticked by hand');
select is(tests.move('before the step', 'viewings'), 'viewings', 'and then holds nothing');
alter table public.operation_steps disable trigger _100_refuse_removal;
delete from public.operation_steps where operation_id = tests.id('before the step') and step_id = 'favoritaElegida';
select is(pg_temp.pending('before the step'), 'propiedadesVisitadas, favoritaElegida', 'a step that the operation has no row for is not done');
insert into public.operation_steps (agency_id, operation_id, step_id, flow)
values (tests.id('norte'), tests.id('before the step'), 'favoritaElegida', 'buy');
delete from public.operation_steps where step_id = 'hipotecaEstudiada';
alter table public.operation_steps enable trigger _100_refuse_removal;
delete from public.gate_steps where id = 'hipotecaEstudiada';

-- Steps belong to their operation and to their stage.
select tests.create_operation('early', 'buy', 'qualification');
select is(pg_temp.pending('early'), null, 'steps of a later stage are not pending yet');
select is(tests.move('early', 'search'), 'search', 'and do not hold an earlier stage');
select is((select count(*)::int from public.operation_steps where operation_id = tests.id('early') and done), 0,
  'what happens on other operations closes no step of this one');
select results_eq(
  $$select distinct flow, steps from (
      select flow, string_agg(step_id, ', ' order by step_id collate "C") as steps
      from public.operation_steps group by flow, operation_id) each_operation
    order by flow$$,
  $$values ('buy', 'favoritaElegida, ofertaPreparada, precioAcordado, propiedadesVisitadas'),
    ('rent', 'favoritaElegida, ofertaPreparada, precioAcordado, propiedadesVisitadas'),
    ('sell', 'ofertaPreparada, precioAcordado')$$,
  'every operation has the steps of its flow');

select * from finish();
rollback;

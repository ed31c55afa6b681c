-- Every pair of stages of every flow, walked through PATCH /operations/{id} with all gates passed.
begin;
select plan(398);

select tests.create_agency('norte');

create temp table flow (id text, active text[], success text[]);
insert into flow values
  ('buy', '{qualification,search,viewings,offer,reservation,closing}', '{won}'),
  ('rent', '{qualification,search,viewings,offer,contract,handover}', '{rented,won}'),
  ('sell', '{valuation,mandate,listed,offer,reservation,closing}', '{sold,won}');

-- An operation on which nothing is pending: all its steps are done and its deposit is paid.
create function pg_temp.ready(name text, operation_type text, stage text) returns text
language plpgsql as $$
begin
  perform tests.create_operation(name, operation_type, stage);
  -- Of its own, since one property is promised once.
  perform tests.create_property('home ' || name, 'sale');
  update public.operations set property_id = tests.id('home ' || name), deposit_paid_at = now() where id = tests.id(name);
  insert into public.offers (agency_id, operation_id, amount, status)
  values (tests.id('norte'), tests.id(name), 100000, 'accepted');
  update public.operation_steps set done = true where operation_id = tests.id(name);
  return name;
end
$$;

create temp table pair as
select f.id || ' from ' || a.stage || ' to ' || t.stage as name, f.id as flow, a.stage as origin, t.stage as target,
  case
    when not t.stage = any (f.active || f.success || '{lost,expired,cancelled}') then 'invalid_stage'
    when t.stage in ('lost', 'expired', 'cancelled') then t.stage
    when t.stage = any (f.success) and a.n = 6 then t.stage
    when t.stage = f.active[a.n + 1] then t.stage
    else 'invalid_transition'
  end as expected
from flow f
cross join unnest(f.active) with ordinality a (stage, n)
cross join (
  select distinct s as stage from flow, unnest(active || success) s
  union select unnest('{lost,expired,cancelled,nonsense,Search,"",null}'::text[])) t (stage)
where t.stage is not null;

select is((select count(*)::int from pair where expected = target), 3 * (5 + 3 * 6) + 5,
  'of all pairs, 5 steps forward, 3 failures from each stage and the success states from the last stage are moves');

select is(
  tests.move(pg_temp.ready(name, flow, origin), target, case when target = 'lost' then 'Compró otra' end),
  expected, name || ': ' || case when expected = target then 'moves' else expected end)
from pair order by flow, origin, target;

select is_empty(
  $$select name from pair where expected <> target and tests.stage(name) <> origin$$,
  'a refused move leaves the stage as it was');

select is_empty(
  $$select p.name from pair p join public.operations o on o.id = tests.id(p.name)
    where (p.target = any ('{won,sold,rented}') and p.expected = p.target) <> (o.won_at is not null)$$,
  'success states, and only they, date the win');

select is_empty(
  $$select p.name from pair p join public.operations o on o.id = tests.id(p.name)
    where (p.target = any ('{won,sold,rented,lost,expired,cancelled}') and p.expected = p.target) <> (o.closed_at is not null)$$,
  'closing states, and only they, date the close');

-- A closed operation does not move, whatever is asked.
select is(tests.move(p.name, t.stage, 'Otra vez'), 'operation_closed',
  p.name || ', then ' || coalesce(t.stage, 'null') || ': operation_closed')
from pair p
cross join unnest('{qualification,search,closing,won,lost,expired,cancelled,nonsense}'::text[]) t (stage)
where p.flow = 'buy' and p.origin = 'closing' and p.target in ('won', 'lost', 'expired', 'cancelled')
order by 1;

select is(tests.move(name, origin), 'operation_closed', name || ', then back: operation_closed')
from pair where target in ('rented', 'sold') and expected = target order by 1;

select * from finish();
rollback;

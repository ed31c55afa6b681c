-- Every pair of stages of every flow, walked through PATCH /operations/{id} with all gates passed.
begin;
create extension if not exists pgtap with schema extensions;
select plan(398);

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
    jsonb_strip_nulls(jsonb_build_object('stage', stage, 'lost_reason', case when stage = 'lost' then lost_reason end)))) answer
$$;

create function pg_temp.stage(name text) returns text
language sql as $$ select o.stage from public.operations o where o.id = pg_temp.id(name) $$;

create temp table flow (id text, active text[], success text[]);
insert into flow values
  ('buy', '{qualification,search,viewings,offer,reservation,closing}', '{won}'),
  ('rent', '{qualification,search,viewings,offer,contract,handover}', '{rented,won}'),
  ('sell', '{valuation,mandate,listed,offer,reservation,closing}', '{sold,won}');

-- An operation on which nothing is pending: all its steps are done and its deposit is paid.
create function pg_temp.ready(name text, operation_type text, stage text) returns text
language plpgsql as $$
begin
  perform pg_temp.operation(name, operation_type, stage);
  -- Of its own, since one property is promised once.
  insert into public.properties (agency_id, id, listing_type) values (pg_temp.id('agency'), pg_temp.id('home ' || name), 'sale');
  update public.operations set property_id = pg_temp.id('home ' || name), deposit_paid_at = now() where id = pg_temp.id(name);
  insert into public.offers (agency_id, operation_id, amount, status)
  values (pg_temp.id('agency'), pg_temp.id(name), 100000, 'accepted');
  update public.operation_steps set done = true where operation_id = pg_temp.id(name);
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
  pg_temp.move(pg_temp.ready(name, flow, origin), target, case when target = 'lost' then 'Compró otra' end),
  expected, name || ': ' || case when expected = target then 'moves' else expected end)
from pair order by flow, origin, target;

select is_empty(
  $$select name from pair where expected <> target and pg_temp.stage(name) <> origin$$,
  'a refused move leaves the stage as it was');

select is_empty(
  $$select p.name from pair p join public.operations o on o.id = pg_temp.id(p.name)
    where (p.target = any ('{won,sold,rented}') and p.expected = p.target) <> (o.won_at is not null)$$,
  'success states, and only they, date the win');

select is_empty(
  $$select p.name from pair p join public.operations o on o.id = pg_temp.id(p.name)
    where (p.target = any ('{won,sold,rented,lost,expired,cancelled}') and p.expected = p.target) <> (o.closed_at is not null)$$,
  'closing states, and only they, date the close');

-- A closed operation does not move, whatever is asked.
select is(pg_temp.move(p.name, t.stage, 'Otra vez'), 'operation_closed',
  p.name || ', then ' || coalesce(t.stage, 'null') || ': operation_closed')
from pair p
cross join unnest('{qualification,search,closing,won,lost,expired,cancelled,nonsense}'::text[]) t (stage)
where p.flow = 'buy' and p.origin = 'closing' and p.target in ('won', 'lost', 'expired', 'cancelled')
order by 1;

select is(pg_temp.move(name, origin), 'operation_closed', name || ', then back: operation_closed')
from pair where target in ('rented', 'sold') and expected = target order by 1;

select * from finish();
rollback;

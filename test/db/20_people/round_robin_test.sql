-- Who gets a new lead: the active agent who accepts leads and has waited longest.
begin;
create extension if not exists pgtap with schema extensions;
select plan(15);

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

insert into public.agencies (id, name, slug) values (pg_temp.id('agency'), 'Norte', 'norte-pgtap');
do $$ begin
  perform set_config('test.key', admin.create_api_key(
    pg_temp.id('agency'), 'Web', private.role_permissions('owner'), requests_per_minute => 100000), true);
end $$;

-- POST /leads: the lead created.
create function pg_temp.lead(body jsonb) returns jsonb
language sql as $$
  select coalesce(answer -> 'body', answer) from pg_temp.api(format('api.create_lead(%L)', body)) answer
$$;

create function pg_temp.next() returns text
language plpgsql as $$
declare
  agent_id uuid := pg_temp.lead('{"full_name": "Alguien"}') ->> 'assigned_agent_id';
begin
  return coalesce((select name from public.agents where id = agent_id), 'nobody');
end
$$;
-- The next n turns, in order.
create function pg_temp.turns(n int) returns text
language plpgsql as $$
declare names text[];
begin
  for i in 1..n loop
    names := names || pg_temp.next();
  end loop;
  return array_to_string(names, ' ');
end
$$;

select is(pg_temp.next(), 'nobody', 'without agents a lead is unassigned');
insert into public.agents (agency_id, name, email, created_at)
select pg_temp.id('agency'), n, lower(n) || '@norte.test', now() + i * interval '1 second'
from unnest('{Ana,Berta,Carlos}'::text[]) with ordinality a (n, i);
select is(pg_temp.turns(7), 'Ana Berta Carlos Ana Berta Carlos Ana', 'three agents take turns, the first one in first');
select is((select max(n) - min(n) from (select count(*) n from public.leads where agency_id = pg_temp.id('agency') and assigned_agent_id is not null group by assigned_agent_id) c),
  1::bigint, 'so that they never differ by more than one');

update public.agents set accepts_leads = false where agency_id = pg_temp.id('agency') and name = 'Berta';
select is(pg_temp.turns(3), 'Carlos Ana Carlos', 'one who does not accept leads is passed over');
update public.agents set active = false where agency_id = pg_temp.id('agency') and name = 'Carlos';
select is(pg_temp.turns(2), 'Ana Ana', 'and so is one who is not active');
update public.agents set accepts_leads = true, active = true where agency_id = pg_temp.id('agency');
select is(pg_temp.turns(4), 'Berta Carlos Ana Berta', 'who comes back has waited longest');
insert into public.agents (agency_id, name, email) values (pg_temp.id('agency'), 'Nueva', 'nueva@norte.test');
select is(pg_temp.next(), 'Nueva', 'a new agent is next');
update public.agents set role = 'viewer' where agency_id = pg_temp.id('agency') and name <> 'Carlos';
select is(pg_temp.turns(2), 'Carlos Carlos', 'who may only read could do nothing for a lead, and gets none');
update public.agents set role = 'agent' where agency_id = pg_temp.id('agency');
update public.agents set active = false where agency_id = pg_temp.id('agency');
select is(pg_temp.next(), 'nobody', 'with nobody active a lead is unassigned');
update public.agents set active = true, accepts_leads = false where agency_id = pg_temp.id('agency');
select is(pg_temp.next(), 'nobody', 'with nobody accepting leads too');

-- A refused lead costs nobody their turn.
update public.agents set accepts_leads = true where agency_id = pg_temp.id('agency');
create temp table turn as select name, last_assigned_at from public.agents where agency_id = pg_temp.id('agency');
select is(pg_temp.lead('{"full_name": "Alguien", "operation_type": "sell"}') ->> 'refused',
  'operation_type_not_allowed', 'a refused lead');
select is(pg_temp.lead('{"full_name": "Alguien", "budget_max": -1}') ->> 'refused', 'invalid_body', 'or one that does not fit');
select results_eq('select name, last_assigned_at from public.agents where agency_id = pg_temp.id(''agency'') order by 1',
  'select name, last_assigned_at from turn order by 1', 'costs nobody their turn');

-- Agencies do not meet.
insert into public.agencies (id, name, slug) values (pg_temp.id('sur'), 'Sur', 'sur-pgtap');
insert into public.agents (agency_id, name, email) values (pg_temp.id('sur'), 'Sara', 'sara@sur.test');
select is(pg_temp.turns(8) ~ 'Sara', false, 'an agent of another agency gets no lead');
select is((select last_assigned_at from public.agents where agency_id = pg_temp.id('agency') and name = 'Sara'), null, 'and keeps their turn');

select * from finish();
rollback;

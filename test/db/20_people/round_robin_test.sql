-- Who gets a new lead: the active agent who accepts leads and has waited longest.
begin;
select plan(15);

select tests.create_agency('norte');

create function pg_temp.next() returns text
language plpgsql as $$
declare
  agent_id uuid := tests.post_lead('{"full_name": "Alguien"}') ->> 'assigned_agent_id';
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
select tests.id('norte'), n, lower(n) || '@norte.test', now() + i * interval '1 second'
from unnest('{Ana,Berta,Carlos}'::text[]) with ordinality a (n, i);
select is(pg_temp.turns(7), 'Ana Berta Carlos Ana Berta Carlos Ana', 'three agents take turns, the first one in first');
select is((select max(n) - min(n) from (select count(*) n from public.leads where agency_id = tests.id('norte') and assigned_agent_id is not null group by assigned_agent_id) c),
  1::bigint, 'so that they never differ by more than one');

update public.agents set accepts_leads = false where agency_id = tests.id('norte') and name = 'Berta';
select is(pg_temp.turns(3), 'Carlos Ana Carlos', 'one who does not accept leads is passed over');
update public.agents set active = false where agency_id = tests.id('norte') and name = 'Carlos';
select is(pg_temp.turns(2), 'Ana Ana', 'and so is one who is not active');
update public.agents set accepts_leads = true, active = true where agency_id = tests.id('norte');
select is(pg_temp.turns(4), 'Berta Carlos Ana Berta', 'who comes back has waited longest');
select tests.create_agent('nueva');
select is(pg_temp.next(), 'Nueva', 'a new agent is next');
update public.agents set role = 'viewer' where agency_id = tests.id('norte') and name <> 'Carlos';
select is(pg_temp.turns(2), 'Carlos Carlos', 'who may only read could do nothing for a lead, and gets none');
update public.agents set role = 'agent' where agency_id = tests.id('norte');
update public.agents set active = false where agency_id = tests.id('norte');
select is(pg_temp.next(), 'nobody', 'with nobody active a lead is unassigned');
update public.agents set active = true, accepts_leads = false where agency_id = tests.id('norte');
select is(pg_temp.next(), 'nobody', 'with nobody accepting leads too');

-- A refused lead costs nobody their turn.
update public.agents set accepts_leads = true where agency_id = tests.id('norte');
create temp table turn as select name, last_assigned_at from public.agents where agency_id = tests.id('norte');
select is(tests.post_lead('{"full_name": "Alguien", "operation_type": "sell"}') ->> 'refused',
  'operation_type_not_allowed', 'a refused lead');
select is(tests.post_lead('{"full_name": "Alguien", "budget_max": -1}') ->> 'refused', 'invalid_body', 'or one that does not fit');
select results_eq('select name, last_assigned_at from public.agents where agency_id = tests.id(''norte'') order by 1',
  'select name, last_assigned_at from turn order by 1', 'costs nobody their turn');

-- Agencies do not meet.
select tests.create_agency('sur'), tests.create_agent('sara', agency => 'sur');
select is(pg_temp.turns(8) ~ 'Sara', false, 'an agent of another agency gets no lead');
select is((select last_assigned_at from public.agents where agency_id = tests.id('norte') and name = 'Sara'), null, 'and keeps their turn');

select * from finish();
rollback;

-- $1 agencies, $2 leads in each, which came in in turn, one a second, until now; each has an operation with its steps
-- and a sanctions screen. Triggers are off, so the rows are made as the triggers would have left them. Some values are
-- common and some are rare, because a filter by either must find its page.
create temporary table numbered on commit drop as
select n, n / $1 as k, now() - ($1 * $2 - n) * interval '1 second' as at,
  a.id as agency_id, gen_random_uuid() as lead_id, gen_random_uuid() as operation_id,
  case when n / $1 % 3 = 0 then 'rent' when n / $1 % 50 = 1 then 'sell' else 'buy' end as type
from generate_series(0, $1 * $2 - 1) n
join (select row_number() over (order by id) - 1 as i, id from public.agencies) a on a.i = n % $1;

insert into public.contacts (agency_id, id, full_name) select id, id, 'Lucía Pérez' from public.agencies;

insert into public.leads (
  agency_id, id, full_name, phone, email, origin, lead_status, temperature, intent, budget_max, bedrooms_min, notes,
  assigned_agent_id, contact_id, operation_id, archived_at, archive_reason, created_at, updated_at)
select d.agency_id, d.lead_id, 'Lucía Pérez ' || d.n, '+34' || 600000000 + d.n, 'lucia.' || d.k || '@correo.example',
  case when d.k % 200 = 0 then 'walk_in' when d.k % 4 = 0 then 'portal' else 'web' end,
  'new', case when d.k % 500 = 0 then 'hot' when d.k % 3 = 0 then 'warm' end,
  'Piso de tres habitaciones con terraza', 200000 + d.k, d.k % 5, 'Prefiere que la llamen por la tarde.',
  a.ids[1 + d.k % array_length(a.ids, 1)], d.agency_id, d.operation_id,
  case when d.k % 10 = 0 then d.at end, case when d.k % 10 = 0 then 'archived_via_api' end, d.at, d.at
from numbered d
join (select agency_id, array_agg(id) as ids from public.agents group by agency_id) a using (agency_id);

insert into public.operations (
  agency_id, id, lead_id, operation_type, flow, stage, lost_reason, closed_at, created_at, updated_at)
select d.agency_id, d.operation_id, d.lead_id, d.type, d.type, s.stage,
  case when s.stage = 'lost' then 'Compró en otra parte' end, case when s.stage = 'lost' then d.at end, d.at, d.at
from numbered d
cross join lateral (
  select case when d.k % 2 = 0 then 'lost' when d.type = 'sell' then 'listed' when d.k % 299 = 0 then 'offer'
    when d.k % 5 = 0 then 'viewings' else 'qualification' end as stage) s;

insert into public.operation_steps (agency_id, operation_id, step_id, flow)
select d.agency_id, d.operation_id, g.id, g.flow from numbered d join public.gate_steps g on g.flow = d.type;

insert into public.sanctions_screens (agency_id, lead_id, contact_id, status, created_at, resolved_at)
select agency_id, lead_id, agency_id, 'clear', at, at from numbered;

create view public.leads_without_agent with (security_invoker = true) as
select
  l.full_name as client,
  (
    select string_agg(f.label || ': ' || s.label, ', ' order by f.id)
    from public.operations o
    join public.flows f on f.id = o.flow
    join public.stages s on s.flow = o.flow and s.id = o.stage
    where o.agency_id = l.agency_id and o.lead_id = l.id and o.closed_at is null
  ) as open_operations,
  coalesce(l.summary, l.intent, l.notes) as wishes,
  l.phone,
  floor(extract(epoch from now() - l.created_at) / 86400)::int as days_waiting,
  l.email,
  l.origin,
  l.temperature,
  g.name as former_agent,
  a.name as agency,
  l.created_at as since,
  l.id as lead_id,
  l.agency_id
from public.leads l
join public.agencies a on a.id = l.agency_id
left join public.agents g on g.agency_id = l.agency_id and g.id = l.assigned_agent_id
where l.archived_at is null and g.active is not true
order by l.created_at;

comment on view public.leads_without_agent is 'Leads that nobody looks after: never assigned, or assigned to an agent who is no longer active; the longest waiting first. Set leads.assigned_agent_id.';
comment on column public.leads_without_agent.client is 'The person.';
comment on column public.leads_without_agent.open_operations is 'The operations that wait with them, flow and stage.';
comment on column public.leads_without_agent.wishes is 'What the person wants: the summary, else the intent, else the notes.';
comment on column public.leads_without_agent.phone is 'Their phone.';
comment on column public.leads_without_agent.days_waiting is 'For how many whole days the lead has been there.';
comment on column public.leads_without_agent.email is 'Their e-mail.';
comment on column public.leads_without_agent.origin is 'Where the lead came from.';
comment on column public.leads_without_agent.temperature is 'hot, warm or cold; null until qualified.';
comment on column public.leads_without_agent.former_agent is 'The agent who looked after the lead and is no longer active.';
comment on column public.leads_without_agent.agency is 'The agency.';
comment on column public.leads_without_agent.since is 'When the lead came in.';
comment on column public.leads_without_agent.lead_id is 'The lead, as in leads.id.';
comment on column public.leads_without_agent.agency_id is 'The agency, as in agencies.id.';

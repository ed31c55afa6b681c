create view public.stuck_operations with (security_invoker = true) as
select
  l.full_name as client,
  g.name as agent,
  coalesce(p.title, p.street, p.reference) as property,
  nullif(concat_ws(', ', pending.steps, awaited.label), '') as pending_steps,
  floor(extract(epoch from now() - entered.at) / 86400)::int as days_in_stage,
  s.label as stage,
  f.label as flow,
  a.name as agency,
  l.phone,
  l.email,
  entered.at as in_stage_since,
  o.id as operation_id,
  o.lead_id,
  o.agency_id
from public.operations o
join public.agencies a on a.id = o.agency_id
join public.flows f on f.id = o.flow
join public.stages s on s.flow = o.flow and s.id = o.stage
join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id
left join public.agents g on g.agency_id = l.agency_id and g.id = l.assigned_agent_id
left join public.properties p on p.agency_id = o.agency_id and p.id = o.property_id
cross join lateral (
  select coalesce(max(h.occurred_at), o.created_at) as at from public.stage_history h
  where h.agency_id = o.agency_id and h.operation_id = o.id
) entered
cross join lateral (
  select string_agg(step.label, ', ' order by step.n) as steps
  from rows from (jsonb_to_recordset(private.pending_actions(o)) as (label text)) with ordinality as step (label, n)
) pending
left join lateral private.stage_ahead(o.flow, o.stage) ahead on true
left join lateral private.awaited_date(o, ahead) awaited on true
where o.closed_at is null
  and l.archived_at is null
  -- As long as the day plan (private.open_tasks) gives a stage.
  and entered.at < now() - interval '7 days'
  and not exists (
    select from public.viewings v
    where v.agency_id = o.agency_id and v.operation_id = o.id and v.status = 'scheduled' and v.ends_at > now())
order by entered.at;

comment on view public.stuck_operations is 'Open operations that have stood at one stage for more than a week and have no viewing ahead, the longest waiting first. Those of archived leads are left out.';
comment on column public.stuck_operations.client is 'Whose operation it is.';
comment on column public.stuck_operations.agent is 'The agent who looks after the lead; null when nobody does.';
comment on column public.stuck_operations.property is 'The property chosen, if one is.';
comment on column public.stuck_operations.pending_steps is 'What the stage''s gate waits for, and the date that the database asks for ahead; null when nothing is open and somebody has only to move it on.';
comment on column public.stuck_operations.days_in_stage is 'For how many whole days.';
comment on column public.stuck_operations.stage is 'Where it stands.';
comment on column public.stuck_operations.flow is 'The flow: Compra, Alquiler, Venta or another.';
comment on column public.stuck_operations.agency is 'The agency.';
comment on column public.stuck_operations.phone is 'The client''s phone.';
comment on column public.stuck_operations.email is 'The client''s e-mail.';
comment on column public.stuck_operations.in_stage_since is 'When it entered the stage.';
comment on column public.stuck_operations.operation_id is 'The operation, as in operations.id; its steps are in operation_steps.';
comment on column public.stuck_operations.lead_id is 'The lead, as in leads.id.';
comment on column public.stuck_operations.agency_id is 'The agency, as in agencies.id.';

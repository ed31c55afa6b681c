create type private.task as (
  kind text,
  turn text,
  lead_id uuid,
  operation_id uuid,
  viewing_id uuid,
  property_id uuid,
  agent_id uuid,
  step_id text,
  since timestamptz,
  due_at timestamptz,
  closed_by text[],
  step_label text
);
comment on type private.task is 'Something that waits to be done: what, whose turn it is (agency or client), for whom, since when and until when. A pending step with its label and what closes it, as gate_steps.closed_by says or the column of a required date.';

-- The one place that says what is to do: the day plan lists it, and a case file suggests the first of it.
create function private.open_tasks(agency_id uuid, permissions text[], lead_ids uuid[]) returns setof private.task
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
begin
  -- What a permission hides in REST it hides here: each part asks for the one of what it is about.

  -- What a person wrote and nobody answered.
  return query
  select 'answer_message', 'agency', l.id, null::uuid, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    min(m.created_at), min(m.created_at) + interval '4 hours', null::text[], null::text
  from public.messages m
  join public.leads l on l.agency_id = m.agency_id and l.id = m.lead_id and l.archived_at is null
  where 'leads:read' = any (permissions) and m.agency_id = open_tasks.agency_id and m.lead_id = any (lead_ids)
    and m.direction = 'inbound' and m.created_at > now() - interval '90 days'
    and not exists (
      select from public.messages answer
      where answer.agency_id = m.agency_id and answer.lead_id = m.lead_id and answer.direction = 'outbound'
        and answer.created_at >= m.created_at)
  group by l.id, l.assigned_agent_id;

  -- Who came in without a message and was not called yet.
  return query
  select 'contact_lead', 'agency', l.id, l.operation_id, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    l.created_at, l.created_at + interval '2 hours', null::text[], null::text
  from public.leads l
  where 'leads:read' = any (permissions) and l.agency_id = open_tasks.agency_id and l.id = any (lead_ids)
    and l.lead_status = 'new' and l.archived_at is null
    and not exists (select from public.messages m where m.agency_id = l.agency_id and m.lead_id = l.id)
    -- Whoever's deal was moved or closed, or who saw a home, was spoken to, whatever the status still says.
    and not exists (
      select from public.operations o
      left join public.stage_history h on h.agency_id = o.agency_id and h.operation_id = o.id and h.from_stage is not null
      where o.agency_id = l.agency_id and o.lead_id = l.id and (o.closed_at is not null or h.id is not null))
    and not exists (
      select from public.viewings v
      where v.agency_id = l.agency_id and v.lead_id = l.id and v.status = 'done');

  -- A screen that found somebody: a person has to look before the deal goes on.
  return query
  select 'review_sanctions', 'agency', l.id, null::uuid, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    s.created_at, s.created_at + interval '1 day', null::text[], null::text
  from public.sanctions_screens s
  join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id and l.archived_at is null
  where 'leads:read' = any (permissions) and s.agency_id = open_tasks.agency_id and s.lead_id = any (lead_ids)
    and s.status = 'possible_match' and s.resolution is null and private.result_counts(s);

  -- Viewings until the end of tomorrow, and those that are over and of which nobody said what became.
  return query
  select case when v.ends_at < now() then 'close_viewing' else 'prepare_viewing' end, 'agency',
    v.lead_id, v.operation_id, v.id, v.property_id, coalesce(v.agent_id, l.assigned_agent_id), null::text,
    case when v.ends_at < now() then v.ends_at else v.created_at end,
    case when v.ends_at < now() then v.ends_at else v.starts_at end, null::text[], null::text
  from public.viewings v
  join public.leads l on l.agency_id = v.agency_id and l.id = v.lead_id
  join public.agencies a on a.id = v.agency_id
  where 'viewings:read' = any (permissions) and v.agency_id = open_tasks.agency_id and v.lead_id = any (lead_ids)
    and v.status = 'scheduled'
    and v.starts_at < (date_trunc('day', now() at time zone a.time_zone) + interval '2 days') at time zone a.time_zone;

  -- What holds each open operation in its stage: the first open step of the gate, the date that the database asks for
  -- ahead, or only somebody to move it on.
  return query
  select
    case when step.id is null and awaited.id is null then 'advance_stage' else 'pending_step' end,
    case
      when step.id is null and awaited.id is not null or 'property_chosen' = any (step.closed_by) then 'client'
      when 'offer_accepted' = any (step.closed_by) and exists (
        select from public.offers f
        where f.agency_id = o.agency_id and f.operation_id = o.id and f.status = 'received') then 'client'
      else 'agency'
    end,
    o.lead_id, o.id, null::uuid, o.property_id, l.assigned_agent_id,
    coalesce(step.id, awaited.id), entered.at, entered.at + interval '7 days',
    coalesce(step.closed_by, array[awaited.column_name]), coalesce(step.label, awaited.label)
  from public.operations o
  join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id and l.archived_at is null
  left join lateral (
    select g.id, g.label, g.closed_by from public.operation_steps s
    join public.gate_steps g on g.flow = s.flow and g.id = s.step_id
    where s.agency_id = o.agency_id and s.operation_id = o.id and not s.done and g.stage = o.stage
    order by g.position limit 1
  ) step on true
  cross join lateral (
    select coalesce(max(h.occurred_at), o.created_at) as at from public.stage_history h
    where h.agency_id = o.agency_id and h.operation_id = o.id
  ) entered
  left join lateral private.stage_ahead(o.flow, o.stage) ahead on true
  left join lateral private.awaited_date(o, ahead) awaited on true
  where 'operations:read' = any (permissions) and o.agency_id = open_tasks.agency_id and o.lead_id = any (lead_ids)
    and o.closed_at is null
    -- A viewing that is arranged is a task of its own already.
    and not ('viewing_done' = any (coalesce(step.closed_by, '{}')) and exists (
      select from public.viewings v
      where v.agency_id = o.agency_id and v.operation_id = o.id and v.status = 'scheduled'));
end
$$;
comment on function private.open_tasks(uuid, text[], uuid[]) is
  'What waits to be done for some leads of an agency, as far as the permissions show it: unanswered messages, new leads and possible sanctions matches (leads:read), viewings (viewings:read), and what holds each open operation in its stage (operations:read).';

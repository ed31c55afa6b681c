set local check_function_bodies = off;

drop function "private"."case_file"(uuid, uuid);

drop function "private"."client_summary"(uuid, uuid);

drop function "private"."next_action"(public.leads, uuid);

drop function "private"."open_tasks"(uuid, uuid);

drop function "private"."operation_summary"(public.operations);

drop function "private"."task_json"(private.task, uuid);

drop function "private"."viewing_summary"(public.viewings);

create or replace function api.mcp_agenda (
  starts_from   text    default null::text,
  starts_before text    default null::text,
  agent_id      uuid    default null::uuid,
  mine          boolean default null::boolean,
  page_limit    integer default 50
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:read');
  time_zone text := private.time_zone();
  first_moment timestamptz;
  last_moment timestamptz;
  wanted_agent_id uuid := case when mine then caller.agent_id else mcp_agenda.agent_id end;
begin
  perform set_config('timezone', time_zone, true);
  if mine and caller.agent_id is null then
    perform private.refuse('agent_required', 'The credential acts for no agent, so it has no viewings of its own.');
  end if;
  -- A day begins at its first moment and, as an end, is still part of the period.
  first_moment := case
    when starts_from is null then date_trunc('day', now())
    when length(starts_from) = 10 then private.day_start(starts_from, 0, 'starts_from')
    else private.at_local_time(starts_from, time_zone, 'starts_from') end;
  last_moment := case
    when starts_before is null then date_trunc('day', first_moment) + interval '7 days'
    when length(starts_before) = 10 then private.day_start(starts_before, 1, 'starts_before')
    else private.at_local_time(starts_before, time_zone, 'starts_before') end;
  if last_moment <= first_moment then
    perform private.refuse('invalid_time', 'The period ends before it begins.',
      '{"issues": [{"path": "starts_before", "message": "must be after starts_from"}]}');
  end if;

  return (
    with found as (
      select v, count(*) over () as total, row_number() over (order by v.starts_at, v.id) as n
      from public.viewings v
      where v.agency_id = caller.agency_id
        and v.starts_at >= first_moment and v.starts_at < last_moment
        and v.status <> 'cancelled'
        and (wanted_agent_id is null or v.agent_id = wanted_agent_id)
    )
    select jsonb_build_object(
      'time_zone', time_zone,
      'starts_from', first_moment,
      'starts_before', last_moment,
      'missing_permissions', private.missing_permissions(caller, 'leads:read', 'properties:read'),
      'viewings', jsonb_build_object(
        'total', coalesce(max(f.total), 0),
        'truncated', coalesce(max(f.total), 0) > page_limit,
        'items', coalesce(jsonb_agg(private.viewing_summary(f.v, caller) order by f.n) filter (where f.n <= page_limit), '[]')))
    from found f);
end
$function$;

create or replace function api.mcp_case_file (
  lead_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  file jsonb;
begin
  perform private.authorize('leads:read');
  perform set_config('timezone', private.time_zone(), true);
  file := private.case_file(mcp_case_file.lead_id);
  if file is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return file;
end
$function$;

create or replace function api.mcp_create_viewing (
  body jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  answer jsonb;
begin
  -- Also a conflict tells its times in the agency's zone. Without a credential there is no zone, and the RPC refuses.
  perform set_config('timezone', coalesce(private.time_zone(), 'UTC'), true);
  answer := api.create_viewing(body);
  return (
    select private.viewing_summary(v, private.principal()) || jsonb_build_object('time_zone', private.time_zone())
    from public.viewings v
    where v.agency_id = (select private.agency_id()) and v.id = (answer #>> '{body,id}')::uuid);
end
$function$;

create or replace function api.mcp_my_day (
  page_limit integer default 20
)
  returns jsonb
  language plpgsql
  set plan_cache_mode to 'force_custom_plan'
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:read');
begin
  perform set_config('timezone', private.time_zone(), true);
  return (
    with task as (
      select t, count(*) over () as total, count(*) filter (where t.due_at < now()) over () as overdue,
        row_number() over (
          -- The caller's own turn first, then the most overdue.
          order by (t.agent_id = caller.agent_id and t.turn = 'agency') is true desc, t.due_at, t.lead_id, t.kind) as n
      from private.open_tasks(caller.agency_id, caller.permissions) t
    )
    select jsonb_build_object(
      'now', date_trunc('second', now()),
      'time_zone', private.time_zone(),
      'agent_id', caller.agent_id,
      'agent_name', (select a.name from public.agents a where a.agency_id = caller.agency_id and a.id = caller.agent_id),
      'missing_permissions', private.missing_permissions(caller, 'leads:read', 'viewings:read', 'properties:read'),
      'overdue_total', coalesce(max(overdue), 0),
      'tasks', jsonb_build_object(
        'total', coalesce(max(total), 0),
        'truncated', coalesce(max(total), 0) > page_limit,
        'items', coalesce(jsonb_agg(private.task_json(t, caller) order by n) filter (where n <= page_limit), '[]')))
    from task);
end
$function$;

create or replace function api.mcp_search (
  query      text,
  page_limit integer default 10
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:read');
begin
  perform set_config('timezone', private.time_zone(), true);
  return (
    -- Clients and properties in one order: whoever is looked for, the likeliest is first. One more than asked, to
    -- know whether there are others.
    with hit as (
      select 'client' as kind, f.contact_id as id, f.score, f.matched
      from private.found_contacts(query, page_limit + 1) f
      union all
      select 'property', f.property_id, f.score, 'address'
      from private.found_properties(query, page_limit + 1) f
      where 'properties:read' = any (caller.permissions)
    ), ranked as (
      select h.*, row_number() over (order by h.score desc, h.kind, h.id) as n from hit h
    )
    select jsonb_build_object(
      'missing_permissions', private.missing_permissions(caller, 'operations:read', 'properties:read'),
      'truncated', count(*) > page_limit,
      'results', coalesce(jsonb_agg(
        jsonb_build_object(
          'kind', r.kind,
          'score', round(r.score::numeric, 2),
          'matched_by', r.matched,
          'client', case when r.kind = 'client' then private.client_summary(caller, r.id) end,
          'property', case when r.kind = 'property' then (
            select private.property_summary(p) from public.properties p
            where p.agency_id = caller.agency_id and p.id = r.id) end)
        order by r.n) filter (where r.n <= page_limit), '[]'))
    from ranked r);
end
$function$;

create or replace function private.case_file (
  lead_id uuid
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set plan_cache_mode to 'force_generic_plan'
  set search_path to ''
  AS $function$
declare
  -- Asked for here and not taken as an argument, since what runs as the owner believes nobody.
  caller private.principal := private.principal();
  lead public.leads;
  file jsonb;
begin
  select l.* into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = case_file.lead_id;
  if lead.id is null then
    return null;
  end if;
  file := jsonb_build_object(
    'time_zone', private.time_zone(),
    'missing_permissions', private.missing_permissions(
      caller, 'operations:read', 'properties:read', 'viewings:read', 'offers:read', 'documents:read', 'signatures:read'),
    'lead', jsonb_build_object(
      'lead_id', lead.id,
      'full_name', lead.full_name,
      'phone', lead.phone,
      'email', lead.email,
      'origin', lead.origin,
      'lead_status', lead.lead_status,
      'temperature', lead.temperature,
      'intent', lead.intent,
      'budget_max', trim_scale(lead.budget_max),
      'bedrooms_min', lead.bedrooms_min,
      'notes', left(lead.notes, 1000),
      'assigned_agent_id', lead.assigned_agent_id,
      'assigned_agent_name', (
        select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = lead.assigned_agent_id),
      'sanctions_status', (
        select s.status from public.sanctions_screens s
        where s.agency_id = lead.agency_id and s.lead_id = lead.id order by s.created_at desc limit 1),
      'archived_at', date_trunc('second', lead.archived_at),
      'archive_reason', lead.archive_reason,
      'created_at', date_trunc('second', lead.created_at)));

  file := file || jsonb_build_object(
    'operations', case when 'operations:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(private.operation_summary(o, caller) order by n) filter (where n <= 10), count(*), 10)
      from (
        select o, row_number() over (order by o.closed_at is not null, o.created_at desc, o.id) as n
        from public.operations o
        where o.agency_id = lead.agency_id and o.lead_id = lead.id) found) end,
    'viewings', case when 'viewings:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'viewing_id', v.id,
        'starts_at', date_trunc('second', v.starts_at),
        'ends_at', date_trunc('second', v.ends_at),
        'status', v.status,
        'operation_id', v.operation_id,
        'property_id', v.property_id,
        'property_title', case when 'properties:read' = any (caller.permissions) then (
          select coalesce(p.title, p.street, p.reference) from public.properties p
          where p.agency_id = v.agency_id and p.id = v.property_id) end,
        'agent_name', (select a.name from public.agents a where a.agency_id = v.agency_id and a.id = v.agent_id),
        'notes', left(v.notes, 300)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select v.*, row_number() over (order by v.starts_at desc, v.id) as n
        from public.viewings v
        where v.agency_id = lead.agency_id and v.lead_id = lead.id) v) end,
    'offers', case when 'offers:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'offer_id', f.id,
        'operation_id', f.operation_id,
        'property_id', f.property_id,
        'amount', trim_scale(f.amount),
        'currency', f.currency,
        'offer_type', f.offer_type,
        'status', f.status,
        'accepted_at', date_trunc('second', f.accepted_at),
        'created_at', date_trunc('second', f.created_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select f.*, row_number() over (order by f.created_at desc, f.id) as n
        from public.offers f
        where f.agency_id = lead.agency_id and f.lead_id = lead.id) f) end,
    'documents', case when 'documents:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'document_id', d.id,
        'operation_id', d.operation_id,
        'kind', d.kind,
        'name', d.name,
        'status', d.status,
        'completed_at', date_trunc('second', d.completed_at)) order by n) filter (where n <= 20), count(*), 20)
      from (
        select d.*, row_number() over (order by d.created_at desc, d.id) as n
        from public.documents d
        where d.agency_id = lead.agency_id and (
          d.lead_id = lead.id or d.operation_id in (
            select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id))) d) end,
    'signatures', case when 'signatures:read' = any (caller.permissions) then (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'signature_id', s.id,
        'operation_id', s.operation_id,
        'document_id', s.document_id,
        'signer_name', s.signer_name,
        'status', s.status,
        'signed_at', date_trunc('second', s.signed_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select s.*, row_number() over (order by s.created_at desc, s.id) as n
        from public.signatures s
        where s.agency_id = lead.agency_id and s.operation_id in (
          select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id)) s) end,
    'messages', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'message_id', m.id,
        'direction', m.direction,
        'channel', m.channel,
        'subject', left(m.subject, 200),
        'body', left(m.body, 800),
        'is_cut', char_length(m.body) > 800,
        'created_at', date_trunc('second', m.created_at)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select m.*, row_number() over (order by m.created_at desc, m.id desc) as n
        from public.messages m
        where m.agency_id = lead.agency_id and m.lead_id = lead.id) m));

  return file || jsonb_build_object('next_action', private.next_action(lead, caller));
end
$function$;

alter function "private"."case_file"(uuid) owner to "postgres";

create or replace function private.client_summary (
  caller     private.principal,
  contact_id uuid
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'contact_id', c.id,
      'full_name', c.full_name,
      'phone', c.phone,
      'email', c.email,
      'leads', (
        select private.cut_list(jsonb_agg(jsonb_build_object(
          'lead_id', l.id,
          'full_name', l.full_name,
          'phone', l.phone,
          'email', l.email,
          'lead_status', l.lead_status,
          'temperature', l.temperature,
          'archived_at', date_trunc('second', l.archived_at),
          'created_at', date_trunc('second', l.created_at),
          'open_operations', case when 'operations:read' = any (caller.permissions) then (
            select coalesce(jsonb_agg(jsonb_build_object(
              'operation_id', o.id,
              'operation_type', o.operation_type,
              'stage', o.stage,
              'stage_label', s.label) order by o.created_at desc), '[]')
            -- At most one of each type is open.
            from public.operations o join public.stages s on s.flow = o.flow and s.id = o.stage
            where o.agency_id = l.agency_id and o.lead_id = l.id and o.closed_at is null) end
          ) order by l.n) filter (where l.n <= 5), count(*), 5)
        from (
          select l.*, row_number() over (order by l.archived_at is not null, l.created_at desc, l.id) as n
          from public.leads l
          where l.agency_id = caller.agency_id and l.contact_id = c.id) l))
    from public.contacts c
    where c.agency_id = caller.agency_id and c.id = client_summary.contact_id);
end
$function$;

alter function "private"."client_summary"(private.principal, uuid) owner to "postgres";

create or replace function private.missing_permissions (
  caller   private.principal,
  VARIADIC wanted text[]
)
  returns jsonb
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return (select coalesce(jsonb_agg(w order by n), '[]') from unnest(wanted) with ordinality u (w, n)
    where w <> all (caller.permissions));
end
$function$;

alter function "private"."missing_permissions"(private.principal, text[]) owner to "postgres";

create or replace function private.next_action (
  lead   public.leads,
  caller private.principal
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  task private.task;
  why text;
begin
  -- What a person waits for comes before what only moves the deal on; of two alike, the one that is due first.
  select t.* into task from private.open_tasks(lead.agency_id, caller.permissions, lead.id) t
  order by array_position(array[
      'review_sanctions', 'answer_message', 'close_viewing', 'prepare_viewing', 'pending_step', 'advance_stage',
      'contact_lead'], t.kind), t.due_at
  limit 1;
  if task.kind is not null then
    return private.task_json(task, caller) || jsonb_build_object('why', null, 'archive_reason', null);
  end if;
  why := case
    when lead.archived_at is not null then 'archived'
    when not 'operations:read' = any (caller.permissions) then 'operations_hidden'
    when exists (
      select from public.operations o
      where o.agency_id = lead.agency_id and o.lead_id = lead.id and o.closed_at is null) then 'viewing_arranged'
    when lead.lead_status = 'unqualified' then 'unqualified'
    else 'no_open_operation' end;
  task.kind := case why when 'viewing_arranged' then 'wait' when 'no_open_operation' then 'open_operation' else 'none' end;
  task.turn := 'agency';
  task.lead_id := lead.id;
  task.agent_id := lead.assigned_agent_id;
  return private.task_json(task, caller)
    || jsonb_build_object('why', why, 'archive_reason', lead.archive_reason, 'is_overdue', false);
end
$function$;

alter function "private"."next_action"(public.leads, private.principal) owner to "postgres";

create or replace function private.open_tasks (
  agency_id    uuid,
  permissions  text[],
  only_lead_id uuid   default null::uuid
)
  returns SETOF private.task
  language plpgsql
  stable
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  -- A range and not "is null or equal", so that one plan that is kept finds a single lead by its index.
  first_lead_id uuid := coalesce(only_lead_id, '00000000-0000-0000-0000-000000000000');
  last_lead_id uuid := coalesce(only_lead_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  -- What a permission hides in REST it hides here: each part asks for the one of what it is about.

  -- What a person wrote and nobody answered.
  return query
  select 'answer_message', 'agency', l.id, null::uuid, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    min(m.created_at), min(m.created_at) + interval '4 hours'
  from public.messages m
  join public.leads l on l.agency_id = m.agency_id and l.id = m.lead_id and l.archived_at is null
  where 'leads:read' = any (permissions) and m.agency_id = open_tasks.agency_id and m.lead_id between first_lead_id and last_lead_id
    and m.direction = 'inbound' and m.created_at > now() - interval '90 days'
    and not exists (
      select from public.messages answer
      where answer.agency_id = m.agency_id and answer.lead_id = m.lead_id and answer.direction = 'outbound'
        and answer.created_at >= m.created_at)
  group by l.id, l.assigned_agent_id;

  -- Who came in without a message and was not called yet.
  return query
  select 'contact_lead', 'agency', l.id, l.operation_id, null::uuid, null::uuid, l.assigned_agent_id, null::text,
    l.created_at, l.created_at + interval '2 hours'
  from public.leads l
  where 'leads:read' = any (permissions) and l.agency_id = open_tasks.agency_id and l.id between first_lead_id and last_lead_id
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
    s.created_at, s.created_at + interval '1 day'
  from public.sanctions_screens s
  join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id and l.archived_at is null
  where 'leads:read' = any (permissions) and s.agency_id = open_tasks.agency_id and s.lead_id between first_lead_id and last_lead_id
    and s.status = 'possible_match'
    and not exists (
      select from public.sanctions_screens later
      where later.agency_id = s.agency_id and later.lead_id = s.lead_id and later.created_at > s.created_at);

  -- Viewings until the end of tomorrow, and those that are over and of which nobody said what became.
  return query
  select case when v.ends_at < now() then 'close_viewing' else 'prepare_viewing' end, 'agency',
    v.lead_id, v.operation_id, v.id, v.property_id, coalesce(v.agent_id, l.assigned_agent_id), null::text,
    case when v.ends_at < now() then v.ends_at else v.created_at end,
    case when v.ends_at < now() then v.ends_at else v.starts_at end
  from public.viewings v
  join public.leads l on l.agency_id = v.agency_id and l.id = v.lead_id
  join public.agencies a on a.id = v.agency_id
  where 'viewings:read' = any (permissions) and v.agency_id = open_tasks.agency_id and v.lead_id between first_lead_id and last_lead_id
    and v.status = 'scheduled'
    and v.starts_at < (date_trunc('day', now() at time zone a.time_zone) + interval '2 days') at time zone a.time_zone;

  -- What holds each open operation in its stage: the first open step of the gate, or only somebody to move it on.
  return query
  select
    case when step.id is null and not awaits_deposit then 'advance_stage' else 'pending_step' end,
    case
      when awaits_deposit or step.id = 'favoritaElegida' then 'client'
      when step.id = 'precioAcordado' and has_offer then 'client'
      else 'agency'
    end,
    o.lead_id, o.id, null::uuid, o.property_id, l.assigned_agent_id,
    case when awaits_deposit then 'fianzaPagada' else step.id end,
    entered.at, entered.at + interval '7 days'
  from public.operations o
  join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id and l.archived_at is null
  left join lateral (
    select g.id from public.operation_steps s
    join public.gate_steps g on g.flow = s.flow and g.id = s.step_id
    where s.agency_id = o.agency_id and s.operation_id = o.id and not s.done and g.stage = o.stage
    order by g.position limit 1
  ) step on true
  cross join lateral (
    select coalesce(max(h.occurred_at), o.created_at) as at from public.stage_history h
    where h.agency_id = o.agency_id and h.operation_id = o.id
  ) entered
  cross join lateral (
    select exists (
      select from public.offers f
      where f.agency_id = o.agency_id and f.operation_id = o.id and f.status = 'received') as has_offer,
    -- The gate of the database: the last stage of a rental waits for the deposit.
    o.flow = 'rent' and o.stage = 'handover' and o.deposit_paid_at is null as awaits_deposit
  ) state
  where 'operations:read' = any (permissions) and o.agency_id = open_tasks.agency_id and o.lead_id between first_lead_id and last_lead_id
    and o.closed_at is null
    -- A viewing that is arranged is a task of its own already.
    and not (step.id is not distinct from 'propiedadesVisitadas' and exists (
      select from public.viewings v
      where v.agency_id = o.agency_id and v.operation_id = o.id and v.status = 'scheduled'));
end
$function$;

alter function "private"."open_tasks"(uuid, text[], uuid) owner to "postgres";

create or replace function private.operation_summary (
  operation public.operations,
  caller    private.principal
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'operation_id', operation.id,
      'operation_type', operation.operation_type,
      'flow', operation.flow,
      'stage', operation.stage,
      'stage_label', s.label,
      'is_terminal', s.outcome is not null,
      'pending_actions', private.pending_actions(operation),
      'next_stage', (
        select n.id from public.stages n
        where n.flow = s.flow and n.outcome is null and n.position > s.position and s.outcome is null
        order by n.position limit 1),
      'lost_reason', operation.lost_reason,
      'in_stage_since', date_trunc('second', coalesce((
        select max(h.occurred_at) from public.stage_history h
        where h.agency_id = operation.agency_id and h.operation_id = operation.id), operation.created_at)),
      'deposit_paid_at', date_trunc('second', operation.deposit_paid_at),
      'closed_at', date_trunc('second', operation.closed_at),
      'property_id', operation.property_id,
      'property', case when 'properties:read' = any (caller.permissions) then (
        select private.property_summary(p) from public.properties p
        where p.agency_id = operation.agency_id and p.id = operation.property_id) end)
    from public.stages s
    where s.flow = operation.flow and s.id = operation.stage);
end
$function$;

alter function "private"."operation_summary"(public.operations, private.principal) owner to
  "postgres";

create or replace function private.role_permissions (
  role text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case
    when role in ('owner', 'manager', 'agent') then array[
      'leads:read', 'leads:write', 'operations:read', 'operations:write', 'properties:read', 'properties:write',
      'viewings:read', 'viewings:write', 'offers:read', 'offers:write', 'signatures:read', 'signatures:write',
      'documents:read', 'documents:write']
    when role = 'viewer' then array[
      'leads:read', 'operations:read', 'properties:read', 'viewings:read', 'offers:read', 'signatures:read', 'documents:read']
    -- A role that this function does not know, because one was added and it was forgotten, opens nothing.
    else '{}'
  end;
end
$function$;

create or replace function private.task_json (
  task   private.task,
  caller private.principal
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  lead public.leads;
  operation public.operations;
  property public.properties;
  viewing public.viewings;
  stage_label text;
  next_stage public.stages;
  step_label text;
begin
  select l.* into lead from public.leads l
  where l.agency_id = (select private.agency_id()) and l.id = task.lead_id;
  select o.* into operation from public.operations o
  where o.agency_id = lead.agency_id and o.id = task.operation_id;
  select p.* into property from public.properties p
  where p.agency_id = lead.agency_id and p.id = task.property_id;
  select v.* into viewing from public.viewings v
  where v.agency_id = lead.agency_id and v.id = task.viewing_id;
  select s.label into stage_label from public.stages s where s.flow = operation.flow and s.id = operation.stage;
  select n.* into next_stage from public.stages s
  join public.stages n on n.flow = s.flow and n.position > s.position and n.outcome is distinct from 'failure'
  where s.flow = operation.flow and s.id = operation.stage
  order by n.position limit 1;
  step_label := case when task.step_id = 'fianzaPagada' then 'Fianza pagada'
    else (select g.label from public.gate_steps g where g.flow = operation.flow and g.id = task.step_id) end;

  return jsonb_build_object(
    'kind', task.kind,
    'turn', case
      when task.turn = 'client' then 'client'
      when task.agent_id is null then 'unassigned'
      when task.agent_id = caller.agent_id then 'yours'
      else 'colleague'
    end,
    'agent_id', task.agent_id,
    'agent_name', (select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = task.agent_id),
    'since', date_trunc('second', task.since),
    'due_at', date_trunc('second', task.due_at),
    'is_overdue', task.due_at < now(),
    'lead_id', task.lead_id,
    'full_name', case when 'leads:read' = any (caller.permissions) then lead.full_name end,
    'operation_id', task.operation_id,
    'stage', operation.stage,
    'stage_label', stage_label,
    'next_stage_label', next_stage.label,
    'pending_action', case when step_label is not null then jsonb_build_object('id', task.step_id, 'label', step_label) end,
    'viewing_id', task.viewing_id,
    'starts_at', date_trunc('second', viewing.starts_at),
    'property_id', task.property_id,
    'property_title', case when 'properties:read' = any (caller.permissions) then
      coalesce(property.title, property.street, property.reference) end
  );
end
$function$;

alter function "private"."task_json"(private.task, private.principal) owner to "postgres";

create or replace function private.viewing_summary (
  viewing public.viewings,
  caller  private.principal
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select jsonb_build_object(
      'viewing_id', viewing.id,
      'starts_at', date_trunc('second', viewing.starts_at),
      'ends_at', date_trunc('second', viewing.ends_at),
      'status', viewing.status,
      'lead_id', viewing.lead_id,
      'full_name', case when 'leads:read' = any (caller.permissions) then l.full_name end,
      'phone', case when 'leads:read' = any (caller.permissions) then l.phone end,
      'operation_id', viewing.operation_id,
      'property_id', viewing.property_id,
      'property_title', case when 'properties:read' = any (caller.permissions) then coalesce(p.title, p.reference) end,
      'address', case when 'properties:read' = any (caller.permissions) then
        nullif(concat_ws(', ', p.street, p.zone, p.city), '') end,
      'agent_id', viewing.agent_id,
      'agent_name', g.name,
      'notes', left(viewing.notes, 500))
    from public.leads l
    join public.properties p on p.agency_id = l.agency_id and p.id = viewing.property_id
    left join public.agents g on g.agency_id = l.agency_id and g.id = viewing.agent_id
    where l.agency_id = viewing.agency_id and l.id = viewing.lead_id);
end
$function$;

alter function "private"."viewing_summary"(public.viewings, private.principal) owner to "postgres";

comment on function "api"."mcp_agenda"(text, text, uuid, boolean, integer) is
  'The viewings of a period, earliest first, without the cancelled ones; dates and times in the agency''s zone. By default today and the six days after. Names only with leads:read, titles and addresses only with properties:read; missing_permissions says which are not there. Permission viewings:read. Errors: invalid_time, agent_required.';

comment on function "api"."mcp_case_file"(uuid) is 'The whole case file of a lead: operations with stage and pending steps, property, viewings, offers, documents, signatures, latest messages, sanctions state and one suggested next action. Lists are bounded and say when they were cut; one that the caller may not read is null, and missing_permissions says why. Permission leads:read. Errors: not_found.';

comment on function "api"."mcp_my_day"(integer) is 'The day plan of the caller: what waits to be done in the agency, the caller''s own turn first, the most overdue first; times in the agency''s zone. Tasks about leads and viewings, and names, only with their permissions; missing_permissions says which are not there. Permission operations:read.';

comment on function "api"."mcp_search"(text, integer) is 'Clients and properties that a text means, the likeliest first: by name, phone in any spelling, e-mail, address or reference; blind to accents and lenient with typing errors. Properties only with properties:read, open operations only with operations:read; missing_permissions says which are not there. Permission leads:read.';

comment on function "private"."case_file"(uuid) is 'The case file of a lead of the caller''s agency, or null; api.mcp_case_file tells more.';

comment on function "private"."client_summary"(private.principal, uuid) is 'A person with their leads and, for who may read them, open operations, as searches show them.';

comment on function "private"."missing_permissions"(private.principal, text[]) is
  'Those of some permissions that a caller does not have. An answer that is composed of several resources leaves out what they open, and says so with them.';

comment on function "private"."next_action"(public.leads, private.principal) is
  'The one thing to do next for a lead, as private.task_json shows it. Where nothing waits, why says so: archived, viewing_arranged, unqualified, no_open_operation, or operations_hidden from a caller without operations:read.';

comment on function "private"."open_tasks"(uuid, text[], uuid) is 'What waits to be done in an agency, or for one of its leads, as far as the permissions show it: unanswered messages, new leads and possible sanctions matches (leads:read), viewings (viewings:read), and what holds each open operation in its stage (operations:read).';

comment on function "private"."operation_summary"(public.operations, private.principal) is
  'An operation as a case file shows it: where it stands, what is pending, and its property for who may read it.';

comment on function "private"."role_permissions"(text) is 'What an agent''s role allows: owners, managers and agents read and write, viewers read, any other role nothing.';

comment on function "private"."task_json"(private.task, private.principal) is
  'A task as the caller may see it, with whose turn it is seen from the caller''s agent. What is said about it is the connector''s.';

comment on function "private"."viewing_summary"(public.viewings, private.principal) is
  'A viewing with who (for readers of leads), where (for readers of properties) and with whom, as agendas show it; times in the zone that the caller set.';

revoke all on function "private"."case_file"(uuid) from public;

grant execute on function "private"."case_file"(uuid) to "anon", "authenticated";

revoke all on function "private"."case_file"(uuid) from "postgres";

grant execute on function "private"."case_file"(uuid) to "postgres";

revoke all on function "private"."client_summary"(private.principal, uuid) from public;

grant execute
  on function "private"."client_summary"(private.principal, uuid)
  to "anon", "authenticated";

revoke all on function "private"."client_summary"(private.principal, uuid) from "postgres";

grant execute on function "private"."client_summary"(private.principal, uuid) to "postgres";

revoke all on function "private"."missing_permissions"(private.principal, text[]) from public;

grant execute
  on function "private"."missing_permissions"(private.principal, text[])
  to "anon", "authenticated";

revoke all on function "private"."missing_permissions"(private.principal, text[]) from "postgres";

grant execute on function "private"."missing_permissions"(private.principal, text[]) to "postgres";

revoke all on function "private"."next_action"(public.leads, private.principal) from public;

revoke all on function "private"."next_action"(public.leads, private.principal) from "postgres";

grant execute on function "private"."next_action"(public.leads, private.principal) to "postgres";

revoke all on function "private"."open_tasks"(uuid, text[], uuid) from public;

grant execute on function "private"."open_tasks"(uuid, text[], uuid) to "anon", "authenticated";

revoke all on function "private"."open_tasks"(uuid, text[], uuid) from "postgres";

grant execute on function "private"."open_tasks"(uuid, text[], uuid) to "postgres";

revoke all
  on function "private"."operation_summary"(public.operations, private.principal)
  from public;

revoke all
  on function "private"."operation_summary"(public.operations, private.principal)
  from "postgres";

grant execute
  on function "private"."operation_summary"(public.operations, private.principal)
  to "postgres";

revoke all on function "private"."task_json"(private.task, private.principal) from public;

grant execute
  on function "private"."task_json"(private.task, private.principal)
  to "anon", "authenticated";

revoke all on function "private"."task_json"(private.task, private.principal) from "postgres";

grant execute on function "private"."task_json"(private.task, private.principal) to "postgres";

revoke all on function "private"."viewing_summary"(public.viewings, private.principal) from public;

grant execute
  on function "private"."viewing_summary"(public.viewings, private.principal)
  to "anon", "authenticated";

revoke all
  on function "private"."viewing_summary"(public.viewings, private.principal)
  from "postgres";

grant execute
  on function "private"."viewing_summary"(public.viewings, private.principal)
  to "postgres";

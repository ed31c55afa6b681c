set local check_function_bodies = off;

drop trigger "_500_by_hand" on "public"."operation_steps";

drop view "public"."stuck_operations";

alter table "public"."flows"
  drop constraint "operation_type_is_known";

alter table "public"."operations"
  drop constraint "lost_has_reason";

alter table "public"."operations"
  drop constraint "operation_type_is_known";

drop function "private"."close_step"(uuid, uuid, text);

drop function "private"."raise_error"(integer, text, text, jsonb);

drop function "private"."reopen_step"(uuid, uuid, text);

create table "public"."required_dates" (
  "flow"        text not null,
  "id"          text not null,
  "label"       text not null,
  "column_name" text not null,
  "refusal"     text not null,
  constraint "column_is_a_date_of_operations" check ((column_name = 'deposit_paid_at'::text)),
  constraint "required_dates_pkey" primary key (flow, id)
);

alter table "public"."required_dates"
  enable row level security;

alter table "public"."required_dates"
  owner to "postgres";

alter table "public"."flows"
  add column "side" text not null default 'demand'::text;

alter table "public"."gate_steps"
  add column "closed_by" text[] not null default '{}'::text[];

alter table "public"."gate_steps"
  add column "by_hand" text;

alter table "public"."stages"
  add column "requires" text;

alter table "public"."stages"
  add column "requires_reason" boolean not null default false;

alter type "private"."task" add attribute "closed_by" text[] cascade;

alter type "private"."task" add attribute "step_label" text cascade;

create or replace function api.create_lead (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:write');
  answer jsonb := private.replay('create_lead', idempotency_key, body);
  origin text := coalesce(body ->> 'origin', 'other');
  message text := coalesce(body ->> 'email_body', case when body ->> 'origin' = 'email' then body ->> 'notes' end);
  full_name text := btrim(body ->> 'full_name');
  phone text := private.normal_phone(body ->> 'phone');
  email text := private.normal_email(body ->> 'email');
  contact record;
  agent_id uuid;
  open_operations jsonb;
  lead public.leads;
  opened_id uuid := case when body ->> 'operation_type' is not null then gen_random_uuid() end;
begin
  if answer is not null then
    return answer;
  end if;
  if opened_id is not null then
    perform private.refuse_lead_type(body ->> 'operation_type');
  end if;

  contact := private.find_or_create_contact(caller.agency_id, full_name, phone, email);
  -- A client who comes back stays with whoever looks after them, and that costs nobody their turn.
  if contact.is_known then
    agent_id := private.agent_of_contact(contact.contact_id);
    open_operations := private.open_operations(contact.contact_id);
  elsif 'operations:read' = any (caller.permissions) then
    open_operations := '[]';
  end if;

  insert into public.leads (
    agency_id, full_name, phone, email, origin, intent, budget_max, bedrooms_min, notes,
    contact_id, assigned_agent_id, operation_id)
  values (
    caller.agency_id,
    full_name,
    phone,
    email,
    origin,
    body ->> 'intent',
    (body ->> 'budget_max')::numeric,
    (body ->> 'bedrooms_min')::int,
    body ->> 'notes',
    contact.contact_id,
    coalesce(agent_id, private.next_agent()),
    opened_id)
  returning * into lead;

  -- The lead was written with the agent whose turn it is, since writing it twice would cost a fifth of the call; only
  -- now is the turn taken.
  if agent_id is null then
    perform private.assign_agent(lead.assigned_agent_id);
  end if;

  if opened_id is not null then
    insert into public.operations (agency_id, id, lead_id, operation_type)
    values (caller.agency_id, opened_id, lead.id, body ->> 'operation_type');
  end if;

  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  values (caller.agency_id, lead.id, lead.contact_id);

  if btrim(message) <> '' then
    insert into public.messages (agency_id, lead_id, direction, channel, subject, body, qualification_status)
    values (caller.agency_id, lead.id, 'inbound', 'email', body ->> 'email_subject', message, 'pending');
  end if;

  -- Sent once this transaction has committed, by a worker of the database; the answer does not wait for it.
  perform private.start_intake();

  return private.answer(idempotency_key, 201, private.lead_json(lead)
    || jsonb_build_object('known_contact', contact.is_known, 'open_operations', open_operations));
end
$function$;

create or replace function api.create_operation (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:write');
  answer jsonb := private.replay('create_operation', idempotency_key, body);
  operation public.operations;
begin
  if answer is not null then
    return answer;
  end if;
  perform private.refuse_unknown_type(body ->> 'operation_type');
  if not exists (select from public.leads l where l.agency_id = caller.agency_id and l.id = (body ->> 'lead_id')::uuid) then
    perform private.refuse_reference('lead_id', 'There is no such lead.');
  end if;
  if body ->> 'stage' is not null and not exists (
    select from public.flows f join public.stages s on s.flow = f.id
    where f.operation_type = body ->> 'operation_type' and s.id = body ->> 'stage' and s.outcome is null) then
    perform private.refuse('invalid_stage', 'An operation starts at an active stage of its flow.',
      private.known_stages(body ->> 'operation_type', true));
  end if;

  insert into public.operations (agency_id, lead_id, operation_type, stage)
  values (caller.agency_id, (body ->> 'lead_id')::uuid, body ->> 'operation_type', body ->> 'stage')
  on conflict (agency_id, lead_id, operation_type) where closed_at is null do nothing
  returning * into operation;
  if operation.id is not null then
    return private.answer(idempotency_key, 201, private.own_operation_json(operation));
  end if;

  select o.* into operation from public.operations o
  where o.agency_id = caller.agency_id and o.lead_id = (body ->> 'lead_id')::uuid
    and o.operation_type = body ->> 'operation_type' and o.closed_at is null;
  if operation.id is null then
    -- The open one was closed between the two statements; the caller's retry opens a new one.
    perform private.raise_error(409, 'conflict', 'The operation was being closed; try again.');
  end if;
  return private.answer(idempotency_key, 200, private.own_operation_json(operation));
end
$function$;

create or replace function api.list_operations (
  stage          text    default null::text,
  operation_type text    default null::text,
  lead_id        uuid    default null::uuid,
  open_only      boolean default null::boolean,
  page_limit     integer default null::integer,
  page_cursor    text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:read');
begin
  -- Whoever misspells a stage is told so; an empty list would say that nothing is there.
  if stage is not null and not exists (select from public.stages s where s.id = list_operations.stage) then
    perform private.refuse('invalid_stage', 'No flow has such a stage.',
      '{"issues": [{"path": "stage", "message": "No flow has such a stage."}]}' || private.known_stages());
  end if;
  if operation_type is not null then
    perform private.refuse_unknown_type(operation_type, 'query');
  end if;
  return private.list_page(
    caller.agency_id, 'operations', 'own_operation_json', 'created_at',
    array_remove(array[
      case when stage is not null then 't.stage = $2 ->> ''stage''' end,
      case when operation_type is not null then 't.operation_type = $2 ->> ''operation_type''' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when open_only then 't.closed_at is null' end], null),
    jsonb_build_object('stage', stage, 'operation_type', operation_type, 'lead_id', lead_id),
    page_limit, page_cursor);
end
$function$;

create or replace function api.mcp_advance_stage (
  operation_id uuid,
  patch        jsonb default '{}'::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  operation public.operations;
  ahead public.stages;
begin
  -- Which stage comes next is looked up here, under the caller's own policies; who may move it, and whether it may
  -- move, is judged by the RPC that REST calls too, which also counts the request.
  select o.* into operation from public.operations o
  where o.agency_id = (select private.agency_id()) and o.id = mcp_advance_stage.operation_id;
  select a.* into ahead from private.stage_ahead(operation.flow, operation.stage) a;
  if operation.closed_at is null and operation.id is not null and (ahead.id is null or ahead.outcome is not null) then
    perform private.authorize('operations:write');
    perform private.refuse('stage_required', 'The operation is in its last stage; name how it closes.',
      jsonb_build_object('stages', (
        select jsonb_agg(s.id order by s.position) from public.stages s
        where s.flow = operation.flow and s.outcome is not null)));
  end if;
  -- A closed operation is asked for the stage that it has, and refused as closed.
  return api.update_operation(
    mcp_advance_stage.operation_id, patch || jsonb_build_object('stage', coalesce(ahead.id, operation.stage)));
end
$function$;

create or replace function private.awaited_date (
  operation public.operations,
  stage     public.stages
)
  returns public.required_dates
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  awaited public.required_dates;
begin
  if stage.requires is not null then
    select d.* into awaited from public.required_dates d
    where d.flow = stage.flow and d.id = stage.requires and to_jsonb(operation) ->> d.column_name is null;
  end if;
  return awaited;
end
$function$;

alter function "private"."awaited_date"(public.operations, public.stages) owner to "postgres";

create or replace function private.close_steps (
  agency_id    uuid,
  operation_id uuid,
  event        text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  -- A look-up for each step of the operation; as a join, the kept plan might read all steps there are.
  update public.operation_steps s set done = true
  where s.agency_id = close_steps.agency_id and s.operation_id = close_steps.operation_id and not s.done
    and (select close_steps.event = any (g.closed_by) from public.gate_steps g where g.flow = s.flow and g.id = s.step_id);
end
$function$;

alter function "private"."close_steps"(uuid, uuid, text) owner to "postgres";

create or replace function private.open_tasks (
  agency_id   uuid,
  permissions text[],
  lead_ids    uuid[]
)
  returns SETOF private.task
  language plpgsql
  stable
  set search_path to ''
  AS $function$
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
  left join lateral (
    select d.* from private.awaited_date(o, ahead) d where ahead.requires is not null
  ) awaited on true
  where 'operations:read' = any (permissions) and o.agency_id = open_tasks.agency_id and o.lead_id = any (lead_ids)
    and o.closed_at is null
    -- A viewing that is arranged is a task of its own already.
    and not ('viewing_done' = any (coalesce(step.closed_by, '{}')) and exists (
      select from public.viewings v
      where v.agency_id = o.agency_id and v.operation_id = o.id and v.status = 'scheduled'));
end
$function$;

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
      'next_stage', (select n.id from private.stage_ahead(operation.flow, operation.stage) n where n.outcome is null),
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

create or replace function private.raise_error (
  status  integer,
  code    text,
  message text,
  details jsonb   default '{}'::jsonb,
  hints   jsonb   default null::jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  raise exception using
    errcode = 'PT' || status,
    message = message,
    detail = jsonb_strip_nulls(jsonb_build_object(
      'code', code,
      'details', details,
      'hints', hints,
      -- private.authorize leaves the caller's budget here, so that refusals can show it too.
      'rate_limit', nullif(current_setting('corredor.rate_limit', true), '')::jsonb
    ));
end
$function$;

alter function "private"."raise_error"(integer, text, text, jsonb, jsonb) owner to "postgres";

create or replace function private.refuse_lead_type (
  operation_type text
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  side text := (select f.side from public.flows f where f.operation_type = refuse_lead_type.operation_type);
  types text;
begin
  if side is distinct from 'demand' then
    types := (select string_agg(f.operation_type, ' or ' order by f.operation_type) from public.flows f where f.side = 'demand');
    perform private.refuse(case when side is null then 'invalid_body' else 'operation_type_not_allowed' end,
      format('A lead is created with a %s operation, or with none.', types),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'operation_type', 'message', case
        when side is null then 'must be ' || types
        else operation_type || ' is not allowed here; a listing lead comes from the application' end))));
  end if;
end
$function$;

alter function "private"."refuse_lead_type"(text) owner to "postgres";

create or replace function private.refuse_taken_property (
  offer public.offers
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  property_status text;
begin
  -- Held until the transaction ends, so that of two acceptances the second one finds the first.
  select p.status into property_status from public.properties p
  where p.agency_id = offer.agency_id and p.id = offer.property_id for no key update;
  if property_status in ('sold', 'rented', 'withdrawn') then
    perform private.refuse('property_not_available', format('The property is %s; no offer on it is accepted.', property_status));
  end if;
  -- An offer that was accepted binds the property while its deal is open, and once the deal is won, until the property
  -- is put on the market again. A seller's deal and a buyer's deal of one sale each have the offer.
  if exists (
    select from public.offers o
    join public.operations theirs on theirs.agency_id = o.agency_id and theirs.id = o.operation_id
    join public.operations mine on mine.agency_id = offer.agency_id and mine.id = offer.operation_id
    join public.flows their_flow on their_flow.id = theirs.flow
    join public.flows my_flow on my_flow.id = mine.flow and my_flow.side = their_flow.side
    where o.agency_id = offer.agency_id and o.property_id = offer.property_id and o.status = 'accepted'
      and o.operation_id <> offer.operation_id
      and (theirs.closed_at is null or theirs.won_at is not null and property_status <> 'available')) then
    perform private.refuse('offer_already_accepted',
      'Another offer on the property is accepted; its deal has to be lost, or the offer rejected or withdrawn, first.');
  end if;
end
$function$;

create or replace function private.refuse_unknown_type (
  operation_type text,
  part           text default 'body'::text
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if not exists (select from public.flows f where f.operation_type = refuse_unknown_type.operation_type) then
    perform private.refuse('invalid_' || part, format('The %s does not fit.', part),
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'operation_type', 'message', (
        select 'Invalid option: expected one of ' || string_agg(format('"%s"', f.operation_type), '|' order by f.operation_type)
        from public.flows f)))));
  end if;
end
$function$;

alter function "private"."refuse_unknown_type"(text, text) owner to "postgres";

create or replace function private.reopen_steps (
  agency_id    uuid,
  operation_id uuid,
  event        text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.operation_steps s set done = false
  where s.agency_id = reopen_steps.agency_id and s.operation_id = reopen_steps.operation_id and s.done
    and (select reopen_steps.event = any (g.closed_by) from public.gate_steps g where g.flow = s.flow and g.id = s.step_id);
end
$function$;

alter function "private"."reopen_steps"(uuid, uuid, text) owner to "postgres";

create or replace function private.requires_reason (
  stage text,
  flow  text default null::text
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return exists (
    select from public.stages s
    where s.id = requires_reason.stage and s.flow = coalesce(requires_reason.flow, s.flow) and s.requires_reason);
end
$function$;

alter function "private"."requires_reason"(text, text) owner to "postgres";

create or replace function private.stage_ahead (
  flow  text,
  stage text
)
  returns SETOF public.stages
  language sql
  stable
  AS $function$
  select n.*
  from public.stages s
  join public.stages n on n.flow = s.flow and (n.outcome is null and n.position > s.position or n.outcome = 'success')
  where s.flow = stage_ahead.flow and s.id = stage_ahead.stage and s.outcome is null
  order by n.outcome nulls first, n.position limit 1
$function$;

alter function "private"."stage_ahead"(text, text) owner to "postgres";

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
    'next_stage_label', (select n.label from private.stage_ahead(operation.flow, operation.stage) n),
    'pending_action', case when task.step_id is not null then
      jsonb_build_object('id', task.step_id, 'label', task.step_label) end,
    'closed_by', task.closed_by,
    'viewing_id', task.viewing_id,
    'starts_at', date_trunc('second', viewing.starts_at),
    'property_id', task.property_id,
    'property_title', case when 'properties:read' = any (caller.permissions) then
      coalesce(property.title, property.street, property.reference) end
  );
end
$function$;

create or replace function private.tg_documents__completed()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if new.operation_id is not null then
    perform private.close_steps(new.agency_id, new.operation_id, new.kind || '_received');
  end if;
  if tg_op = 'INSERT' or old.completed_at is null then
    perform private.queue_event(new.agency_id, 'document_completed', new.id);
  end if;
  return null;
end
$function$;

create or replace function private.tg_offers__accepted()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.properties p set status = 'pending'
  where p.agency_id = new.agency_id and p.id = new.property_id and p.status <> 'pending';
  update public.listings l set status = 'paused'
  where l.agency_id = new.agency_id and l.property_id = new.property_id and l.status = 'active';
  perform private.close_steps(new.agency_id, new.operation_id, 'offer_accepted');
  if tg_op = 'INSERT' or old.accepted_at is null then
    perform private.queue_event(new.agency_id, 'offer_accepted', new.id);
  end if;
  return null;
end
$function$;

create or replace function private.tg_offers__no_longer_accepted()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.reopen_steps(new.agency_id, new.operation_id, 'offer_accepted');
  return null;
end
$function$;

create or replace function private.tg_offers__recorded()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.close_steps(new.agency_id, new.operation_id, 'offer_recorded');
  return null;
end
$function$;

create or replace function private.tg_operation_steps__by_hand()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  step public.gate_steps;
  offer_id uuid;
begin
  select g.* into step from public.gate_steps g where g.flow = new.flow and g.id = new.step_id;
  -- The action that a step names may have closed it; then there is nothing left to do here.
  if step.by_hand = 'create_offer' then
    if exists (select from public.offers o where o.agency_id = new.agency_id and o.operation_id = new.operation_id) then
      return null;
    end if;
    if new.amount is null then
      perform private.refuse('amount_required',
        format('Closing "%s" by hand creates an offer and needs its amount.', step.label));
    end if;
    insert into public.offers (agency_id, operation_id, amount) values (new.agency_id, new.operation_id, new.amount);
  elsif step.by_hand = 'accept_offer' then
    if exists (select from public.offers o
      where o.agency_id = new.agency_id and o.operation_id = new.operation_id and o.status = 'accepted') then
      return null;
    end if;
    select o.id into offer_id from public.offers o
    where o.agency_id = new.agency_id and o.operation_id = new.operation_id and o.status = 'received'
    order by o.created_at desc, o.id desc
    limit 1
    for no key update;
    if offer_id is null then
      perform private.refuse('offer_required',
        format('Closing "%s" accepts the latest offer; the operation has none.', step.label));
    end if;
    update public.offers o set status = 'accepted' where o.agency_id = new.agency_id and o.id = offer_id;
  end if;
  return null;
end
$function$;

create or replace function private.tg_operation_steps__done()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if new.step_id is distinct from old.step_id or new.operation_id is distinct from old.operation_id
    or new.agency_id is distinct from old.agency_id or new.flow is distinct from old.flow then
    perform private.refuse('change_refused', 'A step stays the step of its operation; only done and amount can be edited.');
  end if;
  -- What a step did when it was ticked (an offer made, an offer accepted) is not undone by removing the tick.
  if old.done and not new.done and exists (
    select from public.gate_steps g
    join public.offers o on o.agency_id = old.agency_id and o.operation_id = old.operation_id
    where g.flow = old.flow and g.id = old.step_id
      and (g.by_hand = 'create_offer' or g.by_hand = 'accept_offer' and o.status = 'accepted')) then
    perform private.refuse('step_not_reopened', 'An offer stands behind this step; change the offer instead.');
  end if;
  new.done_at := case when new.done then coalesce(old.done_at, now()) end;
  return new;
end
$function$;

create or replace function private.tg_operations__keep_identity()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if (new.agency_id, new.id, new.lead_id, new.operation_type, new.flow)
    is distinct from (old.agency_id, old.id, old.lead_id, old.operation_type, old.flow) then
    perform private.refuse('change_refused', 'An operation keeps its lead, type and flow; open another one instead.');
  end if;
  -- What was closed stays as it was. That a deposit was paid, and why a deal was lost, may come to be known better later.
  if old.closed_at is not null then
    if new.property_id is distinct from old.property_id
      or new.deposit_paid_at is null and old.deposit_paid_at is not null
      or new.lost_reason is null and old.lost_reason is not null
      or new.lost_reason is distinct from old.lost_reason and not private.requires_reason(old.stage, old.flow) then
      perform private.refuse('operation_closed', 'The operation is closed; it stays as it was.');
    end if;
  end if;
  -- These two follow from the stage and from nothing else.
  new.won_at := old.won_at;
  new.closed_at := old.closed_at;
  -- Noted here, because a trigger of its own would cost each move as much as this one does.
  new.updated_at := now();
  return new;
end
$function$;

create or replace function private.tg_operations__move()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  target public.stages;
  ahead public.stages;
  pending jsonb;
  awaited public.required_dates;
begin
  if old.closed_at is not null then
    perform private.refuse('operation_closed', 'The operation is closed; its stage no longer changes.');
  end if;

  select s.* into target from public.stages s where s.flow = old.flow and s.id = new.stage;
  if target.id is null then
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.',
      private.known_stages(old.operation_type));
  end if;

  if target.requires_reason and coalesce(new.lost_reason, '') !~ '\S' then
    perform private.refuse('lost_reason_required', format('Moving to %s needs a lost_reason.', target.id));
  end if;

  if target.outcome is distinct from 'failure' then
    select a.* into ahead from private.stage_ahead(old.flow, old.stage) a;
    if target.outcome is distinct from ahead.outcome or target.outcome is null and target.id is distinct from ahead.id then
      perform private.refuse('invalid_transition',
        'A stage is left one step forward; only the last active stage leads to a successful close.');
    end if;

    pending := private.pending_actions(old);
    if pending <> '[]' then
      perform private.raise_error(422, 'validation_error', 'The gate of the current stage has pending steps.',
        jsonb_build_object('reason', 'stage_gate_blocked', 'pending_actions', pending),
        (select jsonb_object_agg(g.id, g.closed_by) from public.gate_steps g where g.flow = old.flow and g.stage = old.stage));
    end if;

    awaited := private.awaited_date(new, target);
    if awaited.id is not null then
      perform private.refuse('db_gate_blocked', awaited.refusal);
    end if;
  end if;

  if target.outcome is not null then
    new.closed_at := now();
  end if;
  if target.outcome = 'success' then
    new.won_at := now();
  end if;
  return new;
end
$function$;

create or replace function private.tg_operations__open()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  initial public.stages;
begin
  select s.* into initial
  from public.flows f join public.stages s on s.flow = f.id
  where f.operation_type = new.operation_type and (s.id = new.stage or new.stage is null and s.outcome is null)
  order by s.position limit 1;
  if initial.id is null then
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.',
      private.known_stages(new.operation_type));
  end if;
  if initial.requires_reason and coalesce(new.lost_reason, '') !~ '\S' then
    raise check_violation using message = format('An operation that is %s has a lost_reason.', initial.id);
  end if;
  new.flow := initial.flow;
  new.stage := initial.id;
  -- No gate applies to an initial stage. An import may bring operations that are closed already.
  new.closed_at := case when initial.outcome is not null then coalesce(new.closed_at, now()) end;
  new.won_at := case when initial.outcome = 'success' then coalesce(new.won_at, new.closed_at) end;
  return new;
end
$function$;

create or replace function private.tg_operations__property_chosen()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if new.property_id is not null then
    perform private.close_steps(new.agency_id, new.id, 'property_chosen');
  else
    perform private.reopen_steps(new.agency_id, new.id, 'property_chosen');
  end if;
  return null;
end
$function$;

create or replace function private.tg_operations__steps()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  insert into public.operation_steps (agency_id, operation_id, step_id, flow)
  select new.agency_id, new.id, g.id, g.flow from public.gate_steps g where g.flow = new.flow;
  if new.property_id is not null then
    perform private.close_steps(new.agency_id, new.id, 'property_chosen');
  end if;
  return null;
end
$function$;

create or replace function private.tg_viewings__done()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  perform private.close_steps(new.agency_id, new.operation_id, 'viewing_done');
  return null;
end
$function$;

create or replace function private.update_operation (
  operation_id uuid,
  patch        jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:write');
  chosen_property_id uuid := (patch ->> 'property_id')::uuid;
  operation public.operations;
begin
  if not patch ?| array['stage', 'property_id'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  -- Two ifs, because PL/pgSQL runs a condition that has a query in it as a query, whatever stands before the `and`.
  if chosen_property_id is not null then
    if not exists (
      select from public.properties p where p.agency_id = caller.agency_id and p.id = chosen_property_id) then
      perform private.refuse_reference('property_id', 'There is no such property.');
    end if;
  end if;

  -- The property first: choosing it may be the step that the gate waits for.
  if patch ? 'property_id' then
    update public.operations o set property_id = chosen_property_id
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  -- The stage machine is a trigger on this column; it judges every change of it.
  if patch ? 'stage' then
    update public.operations o
    set stage = patch ->> 'stage',
        lost_reason = case when private.requires_reason(patch ->> 'stage') then patch ->> 'lost_reason' else o.lost_reason end
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  if operation.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  if patch ->> 'lost_reason' ~ '\S' and not private.requires_reason(operation.stage, operation.flow) then
    perform private.refuse('invalid_body', 'The body does not fit.', jsonb_build_object('issues', jsonb_build_array(
      jsonb_build_object('path', 'lost_reason', 'message', (
        select format('goes only with stage %s', string_agg(distinct s.id, ' or ')) from public.stages s where s.requires_reason)))));
  end if;
  return private.operation_json(operation);
end
$function$;

alter table "public"."flows"
  add constraint "side_is_known" check ((side = ANY (ARRAY['demand'::text, 'supply'::text])));

alter table "public"."gate_steps"
  add constraint "by_hand_is_known"
    check ((by_hand = ANY (ARRAY['create_offer'::text, 'accept_offer'::text])));

alter table "public"."gate_steps"
  add constraint "closed_by_is_known"
    check
    ((closed_by <@ ARRAY['property_chosen'::text, 'offer_recorded'::text, 'offer_accepted'::text,
    'viewing_done'::text,
    'viewing_sheet_received'::text,
    'identity_received'::text,
    'mandate_received'::text,
    'reservation_received'::text,
    'contract_received'::text,
    'deed_received'::text,
    'deposit_receipt_received'::text,
    'land_registry_note_received'::text,
    'energy_certificate_received'::text, 'proof_of_income_received'::text]));

alter table "public"."gate_steps"
  add constraint "what_is_taken_back_closes_alone"
    check
    (((NOT (closed_by && ARRAY['property_chosen'::text, 'offer_accepted'::text])) OR
    (cardinality(closed_by) = 1)));

alter table "public"."operations"
  add constraint "lost_reason_is_not_blank" check ((lost_reason ~ '\S'::text));

alter table "public"."operations"
  add constraint "operations_operation_type_fkey" foreign key (operation_type)
    references public.flows(operation_type) on delete restrict;

alter table "public"."required_dates"
  add constraint "required_dates_flow_fkey" foreign key (flow) references public.flows(id)
    on delete restrict;

alter table "public"."stages"
  add constraint "failure_requires_no_date"
    check (((outcome <> 'failure'::text) OR (requires IS NULL)));

alter table "public"."stages"
  add constraint "only_failure_requires_a_reason"
    check (((outcome = 'failure'::text) OR (NOT requires_reason)));

alter table "public"."stages"
  add constraint "stages_flow_requires_fkey" foreign key (flow, requires)
    references public.required_dates(flow, id) on delete restrict;

create view "public"."stuck_operations" with (security_invoker=true) AS  SELECT a.name AS agency,
    l.full_name AS client,
    f.label AS flow,
    s.label AS stage,
    (floor((EXTRACT(epoch FROM (now() - entered.at)) / (86400)::numeric)))::integer AS days_in_stage,
    NULLIF(concat_ws(', '::text, pending.steps, awaited.label), ''::text) AS pending_steps,
    g.name AS agent,
    COALESCE(p.title, p.street, p.reference) AS property,
    l.phone,
    l.email,
    entered.at AS in_stage_since,
    o.id AS operation_id,
    o.lead_id,
    o.agency_id
   FROM ((((((((((public.operations o
     JOIN public.agencies a ON ((a.id = o.agency_id)))
     JOIN public.flows f ON ((f.id = o.flow)))
     JOIN public.stages s ON (((s.flow = o.flow) AND (s.id = o.stage))))
     JOIN public.leads l ON (((l.agency_id = o.agency_id) AND (l.id = o.lead_id))))
     LEFT JOIN public.agents g ON (((g.agency_id = l.agency_id) AND (g.id = l.assigned_agent_id))))
     LEFT JOIN public.properties p ON (((p.agency_id = o.agency_id) AND (p.id = o.property_id))))
     CROSS JOIN LATERAL ( SELECT COALESCE(max(h.occurred_at), o.created_at) AS at
           FROM public.stage_history h
          WHERE ((h.agency_id = o.agency_id) AND (h.operation_id = o.id))) entered)
     CROSS JOIN LATERAL ( SELECT string_agg(step.label, ', '::text ORDER BY step.n) AS steps
           FROM ROWS FROM(jsonb_to_recordset(private.pending_actions(o.*)) AS (label text)) WITH ORDINALITY step(label, n)) pending)
     LEFT JOIN LATERAL private.stage_ahead(o.flow, o.stage) ahead(flow, id, label, "position", outcome, requires, requires_reason) ON (true))
     LEFT JOIN LATERAL private.awaited_date(o.*, ahead.*) awaited(flow, id, label, column_name, refusal) ON (true))
  WHERE ((o.closed_at IS NULL) AND (l.archived_at IS NULL) AND (entered.at < (now() - '7 days'::interval)) AND (NOT (EXISTS ( SELECT
           FROM public.viewings v
          WHERE ((v.agency_id = o.agency_id) AND (v.operation_id = o.id) AND (v.status = 'scheduled'::text) AND (v.ends_at > now()))))))
  ORDER BY entered.at;

alter view "public"."stuck_operations" owner to "postgres";

create trigger _500_by_hand
  after update of done on public.operation_steps
  for each row
  when ((new.done AND (NOT old.done) AND (pg_trigger_depth() = 0)))
  execute function private.tg_operation_steps__by_hand();

create policy "select_with_credential" on "public"."required_dates"
  for select
  to "anon", "authenticated"
  using ((( select private.agency_id() as agency_id) is not null));

comment on column "public"."documents"."kind" is 'viewing_sheet, identity, mandate, reservation, contract, deed, deposit_receipt, land_registry_note, energy_certificate, proof_of_income or other. Received, it closes the step that waits for its kind: gate_steps.closed_by.';

comment on column "public"."flows"."operation_type" is 'The type of operation that follows it, as in operations.operation_type: buy, rent, sell.';

comment on column "public"."flows"."side" is 'demand: of somebody who looks for a property, who may come in as a lead with it. supply: of an owner, whose deal and that of whoever takes the property may each have an accepted offer on it.';

comment on column "public"."gate_steps"."by_hand" is 'What ticking the step does besides: create_offer (which needs amount) or accept_offer (the latest one). Null for nothing.';

comment on column "public"."gate_steps"."closed_by" is 'What closes the step by itself, each alone: viewing_done, offer_recorded, a document of a kind that is received (viewing_sheet_received), or property_chosen and offer_accepted, which open it again when they are taken back. Empty: a person alone closes it.';

comment on column "public"."offers"."status" is 'received, accepted, rejected or withdrawn. Setting accepted does what closing a step that accepts the offer does.';

comment on column "public"."operation_steps"."amount" is 'For a step that creates an offer when it is ticked by hand: the amount of the offer, in EUR.';

comment on column "public"."operation_steps"."done" is 'Whether the step is closed. Ticking it does what gate_steps.by_hand says: creates an offer, which needs amount, or accepts the latest one.';

comment on column "public"."operation_steps"."step_id" is 'The step, as in gate_steps.id.';

comment on column "public"."operations"."deposit_paid_at" is 'When the deposit (fianza) was paid; stages whose requires names it are not entered before.';

comment on column "public"."operations"."lost_reason" is 'Why it was lost; required by the stages whose requires_reason says so.';

comment on column "public"."operations"."operation_type" is 'buy, rent, sell or another one of flows.operation_type. A lead has at most one open operation of each.';

comment on column "public"."operations"."property_id" is 'The property chosen. Setting it closes the step that waits for it. A deal may be closed without one, also successfully; it then stays without.';

comment on column "public"."operations"."won_at" is 'When it first closed with success; queues deal_won.';

comment on column "public"."required_dates"."column_name" is 'The column of operations that holds the date.';

comment on column "public"."required_dates"."flow" is 'The flow it belongs to, as in flows.id.';

comment on column "public"."required_dates"."id" is 'Name of what the date is waited for, as in the pending action of a task.';

comment on column "public"."required_dates"."label" is 'Name for people.';

comment on column "public"."required_dates"."refusal" is 'What a refused move says (db_gate_blocked).';

comment on column "public"."stages"."requires" is 'The date without which no operation enters the stage, as in required_dates.id; null for none.';

comment on column "public"."stages"."requires_reason" is 'Whether an operation enters the stage only with its lost_reason, which goes with such a stage alone.';

comment on column "public"."viewings"."status" is 'scheduled, done, cancelled or no_show. done, from 15 minutes before the start on, closes the step of the operation that waits for one.';

comment on function "api"."create_lead"(jsonb, text) is 'A new lead with its side effects in one transaction: contact found or created, lead inserted, given to the agent who looks after the contact, else to the next in turn, operation opened (if its type is named), sanctions screen started, mail stored for qualification. The background part is asked to start at once. Phone in E.164 where it could be read, else as it came; the same for the e-mail. The answer says whether the contact was known and, to who may read operations, which are open. Permission leads:write. Errors: operation_type_not_allowed, idempotency_key_reused.';

comment on function "api"."create_operation"(jsonb, text) is 'Opens an operation {lead_id, operation_type, stage?}: 201 with the new one, or 200 with the open one of that type that the lead already has. Permission operations:write. Errors: invalid_body, unknown_reference, invalid_stage, idempotency_key_reused, conflict.';

comment on function "api"."list_operations"(text, text, uuid, boolean, integer, text) is
  'The agency''s operations, newest first: {data, next_cursor}. Permission operations:read. Errors: invalid_stage, invalid_query.';

comment on function "api"."update_viewing"(uuid, jsonb) is 'Moves a scheduled viewing {starts_at, ends_at or duration_minutes (else it keeps its length), agent_id}, says what became of it {status: done, cancelled, no_show} or notes something. done, which can be said from 15 minutes before the start on, closes the step that waits for a viewing. Permission viewings:write. Errors: not_found, nothing_to_change, invalid_transition, invalid_time, unknown_reference, conflict.';

comment on function "private"."awaited_date"(public.operations, public.stages) is
  'The date that an operation lacks to enter a stage: the database''s own gate. Null when it lacks none.';

comment on function "private"."close_steps"(uuid, uuid, text) is 'Closes the gate steps of an operation that an event closes, as gate_steps.closed_by names it. Nothing to do where the flow has no such step or it is closed.';

comment on function "private"."raise_error"(integer, text, text, jsonb, jsonb) is
  'Refuses with an HTTP status: SQLSTATE PT<status>, a sentence for people as message, and {"code","details","hints","rate_limit"} as detail; REST does not show the hints, they tell the connector how to go on. Codes: unauthorized, forbidden, not_found, conflict, validation_error, rate_limited.';

comment on function "private"."refuse_lead_type"(text) is 'Refuses a type of operation that a lead does not come in with: one that no flow is for (invalid_body), or an owner''s (operation_type_not_allowed).';

comment on function "private"."refuse_unknown_type"(text, text) is 'Refuses a type of operation that no flow is for (invalid_body, invalid_query).';

comment on function "private"."reopen_steps"(uuid, uuid, text) is 'Opens gate steps again because what closed them no longer holds.';

comment on function "private"."requires_reason"(text, text) is 'Whether a stage, of the flow or of any, is entered only with a lost_reason.';

comment on function "private"."stage_ahead"(text, text) is 'Where an operation goes from an active stage: to the next one, or from the last one to a successful close, the first of them. None from a closing stage.';

comment on function "private"."tg_documents__completed"() is 'A received document closes the step that waits for its kind; the first completion queues document_completed.';

comment on function "private"."tg_offers__accepted"() is 'What acceptance does: the property returns to pending, its listings are paused, the step that waits for it closes, and the first time offer_accepted is queued.';

comment on function "private"."tg_offers__no_longer_accepted"() is 'An accepted offer that is rejected or withdrawn opens the step again that it closed. The property and its listings are left to people.';

comment on function "private"."tg_offers__recorded"() is 'Recording an offer closes the step that waits for one.';

comment on function "private"."tg_operation_steps__by_hand"() is 'Ticking a step by hand does what gate_steps.by_hand says: creates an offer (amount_required, property_required), or accepts the latest one (offer_required).';

comment on function "private"."tg_operation_steps__done"() is 'Dates the closing of a step. Refuses to reopen one that creates an offer while there is an offer, and one that accepts it while one is accepted (step_not_reopened).';

comment on function "private"."tg_operations__keep_identity"() is 'An operation keeps its lead, type and flow, and its closing dates follow from its stage (change_refused). Of a closed one only the date of its deposit may be set or corrected, but not removed, and the reason of a lost one corrected, but not removed (operation_closed). Notes when the row last changed.';

comment on function "private"."tg_operations__property_chosen"() is 'Choosing the property closes the step that waits for it; taking the choice back opens it again.';

comment on function "private"."tg_viewings__done"() is 'A viewing that took place closes the step of its operation that waits for one.';

comment on table "public"."flows" is 'The journeys an operation can follow. The same for every agency. A flow is added by rows alone: here, in required_dates, stages and gate_steps.';

comment on table "public"."operations" is 'A deal of a lead. It walks its flow one stage at a time, through gates, to a closing stage.';

comment on table "public"."required_dates" is 'The dates that the database asks for before an operation may enter a stage, whose stages.requires names one.';

comment on type "private"."task" is 'Something that waits to be done: what, whose turn it is (agency or client), for whom, since when and until when. A pending step with its label and what closes it, as gate_steps.closed_by says or the column of a required date.';

comment on view "public"."stuck_operations" is 'Open operations that have stood at one stage for more than a week and have no viewing ahead, the longest waiting first. Those of archived leads are left out.';

revoke all on function "private"."awaited_date"(public.operations, public.stages) from public;

grant execute
  on function "private"."awaited_date"(public.operations, public.stages)
  to "anon", "authenticated";

revoke all on function "private"."awaited_date"(public.operations, public.stages) from "postgres";

grant execute on function "private"."awaited_date"(public.operations, public.stages) to "postgres";

revoke all on function "private"."close_steps"(uuid, uuid, text) from public;

revoke all on function "private"."close_steps"(uuid, uuid, text) from "postgres";

grant execute on function "private"."close_steps"(uuid, uuid, text) to "postgres";

revoke all on function "private"."raise_error"(integer, text, text, jsonb, jsonb) from public;

grant execute
  on function "private"."raise_error"(integer, text, text, jsonb, jsonb)
  to "anon", "authenticated";

revoke all on function "private"."raise_error"(integer, text, text, jsonb, jsonb) from "postgres";

grant execute on function "private"."raise_error"(integer, text, text, jsonb, jsonb) to "postgres";

grant execute
  on function "private"."raise_error"(integer, text, text, jsonb, jsonb)
  to "service_role";

revoke all on function "private"."refuse_lead_type"(text) from public;

grant execute on function "private"."refuse_lead_type"(text) to "anon", "authenticated";

revoke all on function "private"."refuse_lead_type"(text) from "postgres";

grant execute on function "private"."refuse_lead_type"(text) to "postgres";

revoke all on function "private"."refuse_unknown_type"(text, text) from public;

grant execute on function "private"."refuse_unknown_type"(text, text) to "anon", "authenticated";

revoke all on function "private"."refuse_unknown_type"(text, text) from "postgres";

grant execute on function "private"."refuse_unknown_type"(text, text) to "postgres";

revoke all on function "private"."reopen_steps"(uuid, uuid, text) from public;

revoke all on function "private"."reopen_steps"(uuid, uuid, text) from "postgres";

grant execute on function "private"."reopen_steps"(uuid, uuid, text) to "postgres";

revoke all on function "private"."requires_reason"(text, text) from public;

revoke all on function "private"."requires_reason"(text, text) from "postgres";

grant execute on function "private"."requires_reason"(text, text) to "postgres";

revoke all on function "private"."stage_ahead"(text, text) from public;

grant execute on function "private"."stage_ahead"(text, text) to "anon", "authenticated";

revoke all on function "private"."stage_ahead"(text, text) from "postgres";

grant execute on function "private"."stage_ahead"(text, text) to "postgres";

grant select on table "public"."required_dates" to "anon", "authenticated";

comment on column public.pipeline_by_stage.flow is 'The flow: Compra, Alquiler, Venta or another.';

comment on column public.stuck_operations.flow is 'The flow: Compra, Alquiler, Venta or another.';

comment on column public.stuck_operations.agent is 'The agent who looks after the lead; null when nobody does.';

comment on column public.stuck_operations.email is 'The client''s e-mail.';

comment on column public.stuck_operations.phone is 'The client''s phone.';

comment on column public.stuck_operations.stage is 'Where it stands.';

comment on column public.stuck_operations.agency is 'The agency.';

comment on column public.stuck_operations.client is 'Whose operation it is.';

comment on column public.stuck_operations.lead_id is 'The lead, as in leads.id.';

comment on column public.stuck_operations.property is 'The property chosen, if one is.';

comment on column public.stuck_operations.agency_id is 'The agency, as in agencies.id.';

comment on column public.stuck_operations.operation_id is 'The operation, as in operations.id; its steps are in operation_steps.';

comment on column public.stuck_operations.days_in_stage is 'For how many whole days.';

comment on column public.stuck_operations.pending_steps is 'What the stage''s gate waits for, and the date that the database asks for ahead; null when nothing is open and somebody has only to move it on.';

comment on column public.stuck_operations.in_stage_since is 'When it entered the stage.';

-- The journeys of a Spanish brokerage. Adding a flow, a stage or a step is a row here and a migration, not code.
insert into public.flows (id, label, operation_type, side) values
  ('buy', 'Compra', 'buy', 'demand'),
  ('rent', 'Alquiler', 'rent', 'demand'),
  ('sell', 'Venta', 'sell', 'supply')
on conflict (id) do update
  set label = excluded.label, operation_type = excluded.operation_type, side = excluded.side;

insert into public.required_dates (flow, id, label, column_name, refusal) values
  ('rent', 'fianzaPagada', 'Fianza pagada', 'deposit_paid_at', 'A rental cannot close before the deposit is paid.')
on conflict (flow, id) do update
  set label = excluded.label, column_name = excluded.column_name, refusal = excluded.refusal;

insert into public.stages (flow, id, label, position, outcome, requires, requires_reason) values
  ('buy', 'qualification', 'Cualificación', 1, null, null, false),
  ('buy', 'search', 'Búsqueda', 2, null, null, false),
  ('buy', 'viewings', 'Visitas', 3, null, null, false),
  ('buy', 'offer', 'Oferta y negociación', 4, null, null, false),
  ('buy', 'reservation', 'Reserva', 5, null, null, false),
  ('buy', 'closing', 'Notaría', 6, null, null, false),
  ('buy', 'won', 'Ganada', 11, 'success', null, false),
  ('buy', 'lost', 'Perdida', 21, 'failure', null, true),
  ('buy', 'expired', 'Caducada', 22, 'failure', null, false),
  ('buy', 'cancelled', 'Cancelada', 23, 'failure', null, false),
  ('rent', 'qualification', 'Cualificación', 1, null, null, false),
  ('rent', 'search', 'Búsqueda', 2, null, null, false),
  ('rent', 'viewings', 'Visitas', 3, null, null, false),
  ('rent', 'offer', 'Propuesta de alquiler', 4, null, null, false),
  ('rent', 'contract', 'Contrato', 5, null, null, false),
  ('rent', 'handover', 'Fianza y llaves', 6, null, null, false),
  ('rent', 'rented', 'Alquilada', 11, 'success', 'fianzaPagada', false),
  ('rent', 'won', 'Ganada', 12, 'success', 'fianzaPagada', false),
  ('rent', 'lost', 'Perdida', 21, 'failure', null, true),
  ('rent', 'expired', 'Caducada', 22, 'failure', null, false),
  ('rent', 'cancelled', 'Cancelada', 23, 'failure', null, false),
  ('sell', 'valuation', 'Valoración', 1, null, null, false),
  ('sell', 'mandate', 'Encargo', 2, null, null, false),
  ('sell', 'listed', 'Publicación y visitas', 3, null, null, false),
  ('sell', 'offer', 'Oferta recibida', 4, null, null, false),
  ('sell', 'reservation', 'Arras', 5, null, null, false),
  ('sell', 'closing', 'Notaría', 6, null, null, false),
  ('sell', 'sold', 'Vendida', 11, 'success', null, false),
  ('sell', 'won', 'Ganada', 12, 'success', null, false),
  ('sell', 'lost', 'Perdida', 21, 'failure', null, true),
  ('sell', 'expired', 'Caducada', 22, 'failure', null, false),
  ('sell', 'cancelled', 'Cancelada', 23, 'failure', null, false)
on conflict (flow, id) do update
  set label = excluded.label, position = excluded.position, outcome = excluded.outcome, requires = excluded.requires,
    requires_reason = excluded.requires_reason;

insert into public.gate_steps (flow, stage, id, label, position, closed_by, by_hand) values
  ('buy', 'viewings', 'propiedadesVisitadas', 'Propiedades visitadas', 1, '{viewing_done,viewing_sheet_received}', null),
  ('buy', 'viewings', 'favoritaElegida', 'Propiedad favorita elegida', 2, '{property_chosen}', null),
  ('buy', 'offer', 'ofertaPreparada', 'Oferta preparada', 1, '{offer_recorded}', 'create_offer'),
  ('buy', 'offer', 'precioAcordado', 'Precio acordado', 2, '{offer_accepted}', 'accept_offer'),
  ('rent', 'viewings', 'propiedadesVisitadas', 'Propiedades visitadas', 1, '{viewing_done,viewing_sheet_received}', null),
  ('rent', 'viewings', 'favoritaElegida', 'Propiedad favorita elegida', 2, '{property_chosen}', null),
  ('rent', 'offer', 'ofertaPreparada', 'Oferta preparada', 1, '{offer_recorded}', 'create_offer'),
  ('rent', 'offer', 'precioAcordado', 'Precio acordado', 2, '{offer_accepted}', 'accept_offer'),
  ('sell', 'offer', 'ofertaPreparada', 'Oferta preparada', 1, '{offer_recorded}', 'create_offer'),
  ('sell', 'offer', 'precioAcordado', 'Precio acordado', 2, '{offer_accepted}', 'accept_offer')
on conflict (flow, id) do update
  set stage = excluded.stage, label = excluded.label, position = excluded.position, closed_by = excluded.closed_by,
    by_hand = excluded.by_hand;

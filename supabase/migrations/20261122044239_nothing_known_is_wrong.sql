set local check_function_bodies = off;

drop index "public"."contacts_by_phone_end";

drop index "public"."contacts_by_phone";

drop index "public"."leads_by_email";

drop index "public"."leads_by_phone_end";

drop index "public"."sanctions_names_by_words";

drop view "public"."possible_sanctions_matches";

alter table "public"."contacts"
  drop constraint "contact_email_is_unique_in_agency";

alter table "public"."contacts"
  drop constraint "email_is_normal";

alter table "public"."contacts"
  drop constraint "phone_is_e164";

alter table "public"."leads"
  drop constraint "email_is_normal";

alter table "public"."leads"
  drop constraint "phone_is_e164";

drop function "private"."case_file"(uuid, uuid);

drop function "private"."cleared_entries"(uuid, uuid);

drop function "private"."client_summary"(uuid, uuid);

drop function "private"."find_or_create_contact"(uuid, text, text, text);

drop function "private"."next_action"(public.leads, uuid);

drop function "private"."open_tasks"(uuid, uuid[]);

drop function "private"."operation_summary"(public.operations);

drop function "private"."task_json"(private.task, uuid);

drop function "private"."viewing_summary"(public.viewings);

drop function "private"."word_spellings"(text[]);

drop table "public"."public_link_buckets";

create unlogged table "public"."request_buckets" (
  "key"     text                     not null,
  "full_at" timestamp with time zone not null,
  constraint "request_buckets_pkey" primary key (key)
);

alter table "public"."request_buckets"
  enable row level security;

alter table "public"."request_buckets"
  owner to "postgres";

alter table "public"."leads"
  add column "email_key" text generated always as (lower(email)) stored;

alter table "public"."sanctions_names"
  add column "words" text[] not null default '{}'::text[];

alter table "public"."sanctions_screens"
  add column "screened_name" text;

alter table "public"."sanctions_screens"
  add column "birth_date" date;

alter table "public"."sanctions_screens"
  add column "country" text;

alter table "public"."sanctions_words"
  add column "sounds" text[] not null default '{}'::text[];

alter table "public"."sanctions_words"
  add column "keys" text[] not null default '{}'::text[];

create type "private"."budget" as (
  "requests_per_minute" integer,
  "allowed"             boolean,
  "full_at_us"          bigint,
  "remaining"           integer,
  "reset_seconds"       integer,
  "retry_after_seconds" integer
);

alter type "private"."budget" owner to "postgres";

create or replace function admin.merge_contacts (
  keep_id   uuid,
  merge_id  uuid,
  merged_by text default SESSION_USER
)
  returns uuid
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  kept public.contacts;
  merged public.contacts;
  aliases uuid[];
  merge_record uuid;
  identity_changes boolean;
begin
  perform private.lock_contacts(array[keep_id, merge_id]);
  select c.* into kept from public.contacts c where c.id = keep_id;
  select c.* into merged from public.contacts c where c.id = merge_id;
  if kept.id is null or merged.id is null or kept.agency_id <> merged.agency_id then
    perform private.raise_error(404, 'not_found', 'There are no such two contacts of one agency.');
  end if;
  if kept.id = merged.id then
    perform private.refuse('same_contact', 'A contact is not merged into itself.');
  end if;
  if kept.merged_into is not null or merged.merged_into is not null then
    perform private.raise_error(409, 'conflict', 'One of the contacts has been merged already.',
      jsonb_build_object('merged_into', coalesce(merged.merged_into, kept.merged_into)));
  end if;

  -- Asked before the screens move with their leads.
  identity_changes := private.identities_differ(kept, merged);
  with followed as (
    update public.contacts c set merged_into = kept.id
    where c.agency_id = kept.agency_id and (c.id = merged.id or c.merged_into = merged.id)
    returning c.id
  )
  select coalesce(array_agg(f.id) filter (where f.id <> merged.id), '{}') into aliases from followed f;

  insert into public.contact_merges (agency_id, kept_id, merged_id, lead_ids, alias_ids, merged_by)
  values (
    kept.agency_id, kept.id, merged.id,
    private.move_leads(kept.agency_id, null, merged.id, kept.id), aliases, merge_contacts.merged_by)
  returning id into merge_record;
  if identity_changes then
    perform private.screen_contacts_again(kept.agency_id, array[kept.id]);
  end if;

  update public.contact_suggestions s set status = 'merged', decided_by = merge_contacts.merged_by
  where s.agency_id = kept.agency_id and s.status = 'open'
    and (s.contact_id, s.similar_id) in ((kept.id, merged.id), (merged.id, kept.id));
  return merge_record;
end
$function$;

create or replace function admin.unmerge_contacts (
  merge_id  uuid,
  undone_by text default SESSION_USER
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  merge public.contact_merges;
  kept public.contacts;
  merged public.contacts;
  returned uuid[];
  identity_changes boolean;
begin
  select m.* into merge from public.contact_merges m where m.id = merge_id for update;
  if merge.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such merge.');
  end if;
  perform private.lock_contacts(array[merge.kept_id, merge.merged_id]);
  select c.* into kept from public.contacts c where c.agency_id = merge.agency_id and c.id = merge.kept_id;
  if merge.undone_at is not null then
    perform private.raise_error(409, 'conflict', 'The merge has been undone already.');
  end if;
  if kept.merged_into is not null then
    perform private.raise_error(409, 'conflict', 'The contact that was kept has been merged since; undo that merge first.');
  end if;

  select c.* into merged from public.contacts c where c.agency_id = merge.agency_id and c.id = merge.merged_id;
  identity_changes := private.identities_differ(kept, merged);
  update public.contacts c
  set merged_into = case when c.id <> merge.merged_id then merge.merged_id end
  where c.agency_id = merge.agency_id and c.merged_into = merge.kept_id
    and (c.id = merge.merged_id or c.id = any (merge.alias_ids));
  returned := private.move_leads(merge.agency_id, merge.lead_ids, merge.kept_id, merge.merged_id);
  if identity_changes then
    perform private.screen_contacts_again(merge.agency_id, array[merge.kept_id, merge.merged_id]);
  end if;

  update public.contact_merges m set undone_by = unmerge_contacts.undone_by, undone_at = clock_timestamp()
  where m.agency_id = merge.agency_id and m.id = merge.id;
  update public.contact_suggestions s set status = 'dismissed', decided_by = unmerge_contacts.undone_by
  where s.agency_id = merge.agency_id and s.status = 'merged'
    and (s.contact_id, s.similar_id) in ((merge.kept_id, merge.merged_id), (merge.merged_id, merge.kept_id));
  return cardinality(returned);
end
$function$;

create or replace function api.count_stranger (
  address    text,
  key_prefix text default null::text
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select to_jsonb(private.count_stranger(address, key_prefix)) - 'full_at_us';
$function$;

alter function "api"."count_stranger"(text, text) owner to "postgres";

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
  if body ->> 'operation_type' not in ('buy', 'rent') then
    perform private.refuse('operation_type_not_allowed', 'A lead is created with a buy or rent operation, or with none.');
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

create or replace function api.create_viewing (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:write');
  answer jsonb := private.replay('create_viewing', idempotency_key, body);
  viewing public.viewings;
begin
  if answer is not null then
    return answer;
  end if;
  viewing.agency_id := caller.agency_id;
  viewing.lead_id := (body ->> 'lead_id')::uuid;
  viewing.property_id := (body ->> 'property_id')::uuid;
  viewing.operation_id := (body ->> 'operation_id')::uuid;

  if not exists (
    select from public.leads l where l.agency_id = caller.agency_id and l.id = viewing.lead_id) then
    perform private.refuse_reference('lead_id', 'There is no such lead.');
  end if;
  if not exists (
    select from public.properties p where p.agency_id = caller.agency_id and p.id = viewing.property_id) then
    perform private.refuse_reference('property_id', 'There is no such property.');
  end if;
  perform private.refuse_unknown_agent(caller.agency_id, (body ->> 'agent_id')::uuid);
  viewing.agent_id := coalesce((body ->> 'agent_id')::uuid, (
    select a.id from public.leads l
    join public.agents a on a.agency_id = l.agency_id and a.id = l.assigned_agent_id and a.active
    where l.agency_id = caller.agency_id and l.id = viewing.lead_id));
  viewing.starts_at := private.at_local_time(body ->> 'starts_at', private.time_zone(), 'starts_at');
  perform private.refuse_past(viewing.starts_at);
  viewing.ends_at := private.viewing_end(body, viewing.starts_at, interval '45 minutes');

  begin
    insert into public.viewings (agency_id, property_id, lead_id, operation_id, agent_id, starts_at, ends_at, notes)
    values (
      viewing.agency_id, viewing.property_id, viewing.lead_id, viewing.operation_id, viewing.agent_id,
      viewing.starts_at, viewing.ends_at, body ->> 'notes')
    returning * into viewing;
  exception when exclusion_violation then
    perform private.refuse_double_booking(viewing);
  end;
  return private.answer(idempotency_key, 201, private.viewing_json(viewing));
end
$function$;

create or replace function api.list_leads (
  temperature       text    default null::text,
  origin            text    default null::text,
  email             text    default null::text,
  assigned_agent_id uuid    default null::uuid,
  include_archived  boolean default null::boolean,
  page_limit        integer default null::integer,
  page_cursor       text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:read');
begin
  return private.list_page(
    caller.agency_id, 'leads', 'lead_json', 'created_at',
    array_remove(array[
      case when temperature is not null then 't.temperature = $2 ->> ''temperature''' end,
      case when origin is not null then 't.origin = $2 ->> ''origin''' end,
      case when email is not null then 't.email_key = $2 ->> ''email''' end,
      case when assigned_agent_id is not null then 't.assigned_agent_id = ($2 ->> ''assigned_agent_id'')::uuid' end,
      case when include_archived is not true then 't.archived_at is null' end], null),
    jsonb_build_object(
      'temperature', temperature, 'origin', origin, 'email', lower(private.normal_email(email)), 'assigned_agent_id', assigned_agent_id),
    page_limit, page_cursor);
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
    with found as not materialized (
      select v as viewing, v.starts_at, v.id from public.viewings v
      where v.agency_id = caller.agency_id
        and v.starts_at >= first_moment and v.starts_at < last_moment
        and v.status <> 'cancelled'
        and (wanted_agent_id is null or v.agent_id = wanted_agent_id)
    ), counted as (
      select count(*) as total from found
    ), shown as (
      -- Of a period of years, only what is shown is read in order.
      select f.viewing, row_number() over (order by f.starts_at, f.id) as n
      from found f
      order by f.starts_at, f.id
      limit page_limit
    )
    select jsonb_build_object(
      'time_zone', time_zone,
      'starts_from', first_moment,
      'starts_before', last_moment,
      'missing_permissions', private.missing_permissions(caller, 'leads:read', 'properties:read'),
      'viewings', jsonb_build_object(
        'total', c.total,
        'truncated', c.total > page_limit,
        'items', (select coalesce(jsonb_agg(private.viewing_summary(s.viewing, caller) order by s.n), '[]') from shown s)))
    from counted c);
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
      from private.open_tasks(
        caller.agency_id, caller.permissions, private.leads_at_work(caller.agency_id, caller.agent_id)) t
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

create or replace function api.update_lead (
  lead_id uuid,
  patch   jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:write');
  lead public.leads;
begin
  if not patch ?| array[
    'full_name', 'phone', 'email', 'origin', 'lead_status', 'temperature', 'intent', 'budget_max', 'bedrooms_min',
    'zone', 'language', 'urgency', 'summary', 'notes', 'assigned_agent_id'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  if patch ->> 'assigned_agent_id' is not null and not exists (
    select from public.agents a
    where a.agency_id = caller.agency_id and a.id = (patch ->> 'assigned_agent_id')::uuid and a.active) then
    perform private.refuse_reference('assigned_agent_id', 'There is no such active agent.');
  end if;

  update public.leads l set
    full_name = case when patch ? 'full_name' then btrim(patch ->> 'full_name') else l.full_name end,
    phone = case when patch ? 'phone' then private.normal_phone(patch ->> 'phone') else l.phone end,
    email = case when patch ? 'email' then private.normal_email(patch ->> 'email') else l.email end,
    origin = case when patch ? 'origin' then patch ->> 'origin' else l.origin end,
    lead_status = case when patch ? 'lead_status' then patch ->> 'lead_status' else l.lead_status end,
    temperature = case when patch ? 'temperature' then patch ->> 'temperature' else l.temperature end,
    intent = case when patch ? 'intent' then patch ->> 'intent' else l.intent end,
    budget_max = case when patch ? 'budget_max' then (patch ->> 'budget_max')::numeric else l.budget_max end,
    bedrooms_min = case when patch ? 'bedrooms_min' then (patch ->> 'bedrooms_min')::int else l.bedrooms_min end,
    zone = case when patch ? 'zone' then btrim(patch ->> 'zone') else l.zone end,
    language = case when patch ? 'language' then patch ->> 'language' else l.language end,
    urgency = case when patch ? 'urgency' then patch ->> 'urgency' else l.urgency end,
    summary = case when patch ? 'summary' then patch ->> 'summary' else l.summary end,
    notes = case when patch ? 'notes' then patch ->> 'notes' else l.notes end,
    assigned_agent_id = case
      when patch ? 'assigned_agent_id' then (patch ->> 'assigned_agent_id')::uuid else l.assigned_agent_id end
  where l.agency_id = caller.agency_id and l.id = lead_id
  returning * into lead;
  if lead.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return private.lead_json(lead);
end
$function$;

create or replace function api.update_viewing (
  viewing_id uuid,
  patch      jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:write');
  old_viewing public.viewings;
  viewing public.viewings;
begin
  if not patch ?| array['status', 'starts_at', 'ends_at', 'duration_minutes', 'agent_id', 'notes'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select v.* into old_viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = viewing_id
  for no key update;
  if old_viewing.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such viewing.');
  end if;
  -- What became of a viewing stays; saying it again changes nothing. Only an admin, in Studio, corrects a mistake.
  if old_viewing.status <> 'scheduled' and (
    patch ->> 'status' <> old_viewing.status or patch ?| array['starts_at', 'ends_at', 'duration_minutes', 'agent_id']) then
    perform private.refuse('invalid_transition', format('The viewing is %s; it is no longer moved.', old_viewing.status));
  end if;
  perform private.refuse_unknown_agent(caller.agency_id, (patch ->> 'agent_id')::uuid);

  viewing := old_viewing;
  if patch ? 'starts_at' then
    viewing.starts_at := private.at_local_time(patch ->> 'starts_at', private.time_zone(), 'starts_at');
    -- Saying again when it was moves nothing.
    if viewing.starts_at <> old_viewing.starts_at then
      perform private.refuse_past(viewing.starts_at);
    end if;
  end if;
  -- A viewing that is moved keeps its length.
  viewing.ends_at := private.viewing_end(patch, viewing.starts_at, old_viewing.ends_at - old_viewing.starts_at);
  if patch ? 'agent_id' then
    viewing.agent_id := (patch ->> 'agent_id')::uuid;
  end if;

  begin
    update public.viewings v set
      status = coalesce(patch ->> 'status', v.status),
      starts_at = viewing.starts_at,
      ends_at = viewing.ends_at,
      agent_id = viewing.agent_id,
      notes = case when patch ? 'notes' then patch ->> 'notes' else v.notes end
    where v.agency_id = caller.agency_id and v.id = old_viewing.id
    returning * into viewing;
  exception when exclusion_violation then
    perform private.refuse_double_booking(viewing);
  end;
  return private.viewing_json(viewing);
end
$function$;

create or replace function private.agent_of_contact (
  contact_id uuid
)
  returns uuid
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  -- Asked once, not for each row.
  caller_agency_id uuid := private.agency_id();
begin
  return (
    select l.assigned_agent_id
    from public.leads l
    join public.agents a on a.agency_id = l.agency_id and a.id = l.assigned_agent_id
    where l.agency_id = caller_agency_id and l.contact_id = agent_of_contact.contact_id
      and l.archived_at is null and private.takes_leads(a)
    order by l.created_at desc, l.id desc
    limit 1);
end
$function$;

alter function "private"."agent_of_contact"(uuid) owner to "postgres";

create or replace function private.arabic_sounds (
  word text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  forms text[] := array[word];
begin
  -- The article, alone or behind "servant of", is written or left out.
  if word ~ '^ال..' then
    forms := forms || substr(word, 3);
  end if;
  if word ~ '^عبدال..' then
    forms := forms || ('عبد' || substr(word, 6));
  end if;
  -- Long vowels share their letters with w and v.
  if word like '%و%' then
    forms := forms || array(select replace(f, 'و', 'B') from unnest(forms) f)
      || array(select regexp_replace(f, '^(.*)و', '\1B') from unnest(forms) f);
  end if;
  forms := private.each_way(forms, '[ذضظ]', '{D,S}');
  forms := private.each_way(forms, 'ث', '{T,S}');
  return array(
    select distinct regexp_replace(translate(f,
      'بپتجچخدرزژسشصطغفقكلمنבגדזחטכךלמםנןספףצץקרשתاويعهحءאהויע',
      'BPTCCKDRSCSCSTGFKKLMNBGDSKTKKLMMNNSPPSSKRCT'), '(.)\1+', '\1', 'g')
    from unnest(forms) f);
end
$function$;

alter function "private"."arabic_sounds"(text) owner to "postgres";

create or replace function private.as_sent (
  value text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return case
    when value !~ '\S' then null
    when char_length(value) > 500 then left(value, 499) || '…'
    else value
  end;
end
$function$;

alter function "private"."as_sent"(text) owner to "postgres";

create or replace function private.asked_with (
  screen public.sanctions_screens
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object(
    'source', screen.source, 'name', screen.screened_name, 'birth_date', screen.birth_date, 'country', screen.country);
end
$function$;

alter function "private"."asked_with"(public.sanctions_screens) owner to "postgres";

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
      'sanctions_status', private.sanctions_status(lead.agency_id, lead.id),
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

create or replace function private.clean_up()
  returns void
  language sql
  set search_path to ''
  AS $function$
  delete from public.idempotency_keys where expires_at < now();
  delete from public.deliveries d using public.events e
  where e.agency_id = d.agency_id and e.id = d.event_id and e.status = 'delivered'
    and d.started_at < now() - interval '90 days';
  delete from public.drain_runs where started_at < now() - interval '90 days';
  delete from public.request_buckets where full_at < now();
  delete from cron.job_run_details where end_time < now() - interval '7 days';
$function$;

create or replace function private.cleared_entries (
  agency_id  uuid,
  contact_id uuid,
  name       text
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', e.entry ->> 'id', 'listed_at', e.entry ->> 'listed_at', 'cleared_at', s.resolution_at)), '[]')
  from public.sanctions_screens s
  cross join lateral private.screened_person(s) as person
  cross join lateral jsonb_array_elements(s.entries) as e (entry)
  where s.agency_id = cleared_entries.agency_id and s.contact_id = cleared_entries.contact_id and s.resolution = 'cleared'
    and private.same_name(coalesce(e.entry #>> '{found_by,name}', person.name), cleared_entries.name);
$function$;

alter function "private"."cleared_entries"(uuid, uuid, text) owner to "postgres";

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

create or replace function private.count_stranger (
  address    text,
  key_prefix text
)
  returns private.budget
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  -- An office shares an address, and one of its scripts may have lost its key, so both are generous.
  per_address constant int := 300;
  per_key constant int := 60;
  by_address private.budget := private.take_from_bucket('address:' || left(address, 64), per_address);
  by_key private.budget;
begin
  -- Only for keys that there are: invented ones would make a row each.
  if not by_address.allowed or not exists (select from public.api_keys k where k.prefix = key_prefix) then
    return by_address;
  end if;
  by_key := private.take_from_bucket('key:' || key_prefix, per_key);
  return case when by_key.remaining < by_address.remaining or not by_key.allowed then by_key else by_address end;
end
$function$;

alter function "private"."count_stranger"(text, text) owner to "postgres";

create or replace function private.each_way (
  forms   text[],
  letters text,
  ways    text[]
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if forms[1] !~ letters then
    return forms;
  end if;
  return array(
    select distinct regexp_replace(f.form, letters, w.way, 'g') from unnest(forms) as f (form), unnest(ways) as w (way));
end
$function$;

alter function "private"."each_way"(text[], text, text[]) owner to "postgres";

create or replace function private.find_or_create_contact (
  agency_id uuid,
  full_name text,
  phone     text,
  email     text,
  OUT       contact_id uuid,
  OUT       is_known boolean
)
  returns record
  language plpgsql
  set search_path to ''
  AS $function$
declare
  -- What could not be read finds nobody: two people may both have written "none".
  known_phone text := case when private.is_e164(phone) then phone end;
  known_email text := case when private.is_email(email) then email end;
  contact public.contacts;
begin
  -- Two leads with one e-mail or phone that come in at once must find one contact. Taken in a fixed order, these
  -- locks cannot deadlock; one of what is missing is none.
  perform
    pg_advisory_xact_lock(hashtextextended('contact:' || agency_id || ':' || least(known_email, known_phone), 0)),
    pg_advisory_xact_lock(hashtextextended('contact:' || agency_id || ':' || greatest(known_email, known_phone), 0));

  select c.* into contact from public.contacts c
  where c.agency_id = find_or_create_contact.agency_id and c.email = known_email and c.email_is_valid;
  if contact.id is null then
    -- Couples share a phone: the name must fit, unless the contact has no e-mail that could tell them apart.
    select c.* into contact from public.contacts c
    where c.agency_id = find_or_create_contact.agency_id and c.phone_e164 = known_phone
      and (c.email is null or private.names_compatible(c.full_name, find_or_create_contact.full_name))
    order by private.names_compatible(c.full_name, find_or_create_contact.full_name) desc, c.created_at, c.id
    limit 1;
  end if;

  is_known := contact.id is not null;
  if not is_known then
    insert into public.contacts (agency_id, full_name, phone, email)
    values (agency_id, full_name, phone, email)
    returning id into contact_id;
  elsif contact.merged_into is not null then
    -- An admin found the two to be one person. What this one knows stays with it, so that a merge can be undone.
    contact_id := contact.merged_into;
  else
    contact_id := contact.id;
    if (contact.email_is_valid is not true and known_email is not null or contact.phone_e164 is null and known_phone is not null)
      and private.names_compatible(contact.full_name, full_name) then
      update public.contacts c
      set email = case when c.email_is_valid then c.email else coalesce(known_email, c.email) end,
          phone = coalesce(c.phone_e164, known_phone, c.phone)
      where c.agency_id = find_or_create_contact.agency_id and c.id = contact.id;
    end if;
  end if;
end
$function$;

alter function "private"."find_or_create_contact"(uuid, text, text, text) owner to "postgres";

create or replace function private.found_contacts (
  query    text,
  max_rows integer
)
  returns table (
    contact_id uuid,
    score      real,
    matched    text
  )
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
#variable_conflict use_column
declare
  -- As the owner, because row level security uses an index only for plain comparisons; so each row is asked for its
  -- agency here, which is the caller's and no other.
  caller_agency_id uuid := private.agency_id();
  digits text := regexp_replace(query, '[^0-9]', '', 'g');
  -- The last nine digits say who it is, with or without the country's prefix.
  phone_end text := reverse(right(digits, 9));
  words text[] := (private.plain_words(query))[1:8];
  as_written tsquery := private.search_query(caller_agency_id, words, false);
  with_errors tsquery := private.search_query(caller_agency_id, words, true);
begin
  -- What a merged contact was called still finds the person, under the contact that was kept.
  if char_length(digits) >= 6 and query !~ '[[:alpha:]@]' then
    return query
    select c.id, 1::real, 'phone' from (
      select coalesce(c.merged_into, c.id) as id from public.contacts c
      where c.agency_id = caller_agency_id and reverse(c.phone_e164) like phone_end || '%'
      union
      select l.contact_id from public.leads l
      where l.agency_id = caller_agency_id and reverse(l.phone_e164) like phone_end || '%'
    ) c
    order by c.id limit max_rows;
    return;
  end if;
  -- Candidates are bounded: a name that half the agency has is not found any better by reading all of them.
  return query
  select c.id, max(c.score), (array_agg(c.matched order by c.score desc))[1] from (
    select coalesce(c.merged_into, c.id) as id, 1::real as score, 'email' as matched from public.contacts c
    where c.agency_id = caller_agency_id and c.email = lower(btrim(query)) and c.email_is_valid
    union all
    select l.contact_id, 1::real, 'email' from public.leads l
    where l.agency_id = caller_agency_id and l.email_key = lower(btrim(query))
    union all
    select c.id, private.likeness(words, c.text), case when query like '%@%' then 'email' else 'full_name' end from (
      (select coalesce(c.merged_into, c.id) as id, private.searched_text(c.full_name, c.email) as text from public.contacts c
      where c.agency_id = caller_agency_id
        and private.search_vector(c.agency_id, private.searched_text(c.full_name, c.email)) @@ as_written
      limit 300)
      union
      (select coalesce(c.merged_into, c.id), private.searched_text(c.full_name, c.email) from public.contacts c
      where c.agency_id = caller_agency_id
        and private.search_vector(c.agency_id, private.searched_text(c.full_name, c.email)) @@ with_errors
      limit 700)
      union
      (select l.contact_id, l.full_name from public.leads l
      where l.agency_id = caller_agency_id and private.search_vector(l.agency_id, l.full_name) @@ with_errors
      limit 300)
    ) c
  ) c
  where c.score >= 0.5
  group by c.id
  order by 2 desc, c.id
  limit max_rows;
end
$function$;

create or replace function private.identities_differ (
  a public.contacts,
  b public.contacts
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (a.birth_date, a.nationality) is distinct from (b.birth_date, b.nationality)
    or not private.same_name(a.full_name, b.full_name)
    or exists (
      select from public.sanctions_screens s
      where s.agency_id = a.agency_id and s.contact_id in (a.id, b.id) and s.resolution = 'cleared');
end
$function$;

alter function "private"."identities_differ"(public.contacts, public.contacts) owner to "postgres";

create or replace function private.intake_claim (
  max_jobs integer
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  claim uuid := gen_random_uuid();
  claimed jsonb;
begin
  perform private.intake_give_up();

  with turns as (
    -- Agencies take turns, and mail does not wait behind the screens that a new list starts.
    select j.agency_id, j.id,
      row_number() over (partition by j.agency_id, j.message_id is null order by j.available_at, j.id) as turn
    from public.intake_jobs j
    where j.available_at <= clock_timestamp() and j.attempts < 5
    order by turn
    limit max_jobs * 2
  ),
  picked as materialized (
    select j.agency_id, j.id
    from turns t
    join public.intake_jobs j on j.agency_id = t.agency_id and j.id = t.id
    where j.available_at <= clock_timestamp() and j.attempts < 5
    order by t.turn
    limit max_jobs
    for update of j skip locked
  ),
  held as (
    update public.intake_jobs j
    set attempts = j.attempts + 1,
        claim_id = claim,
        -- Longer than any run: a function lives 150 s at most.
        available_at = clock_timestamp() + interval '200 seconds'
    from picked p
    where j.agency_id = p.agency_id and j.id = p.id
    returning j.*
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'agency_id', h.agency_id,
    'id', h.id,
    'attempt', h.attempts,
    'message', case when m.id is not null then jsonb_build_object('subject', m.subject, 'body', m.body) end,
    'person', case when s.id is not null then to_jsonb(private.screened_person(s)) end
  ) order by h.message_id is null, h.created_at), '[]')
  into claimed
  from held h
  left join public.messages m on m.agency_id = h.agency_id and m.id = h.message_id
  left join public.sanctions_screens s on s.agency_id = h.agency_id and s.id = h.screen_id;

  return jsonb_build_object('claim_id', claim, 'jobs', claimed);
end
$function$;

create or replace function private.intake_screen (
  claim_id uuid,
  job_ids  uuid[]
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  screen public.sanctions_screens;
  person record;
  resolved int := 0;
begin
  for screen in
    with done as (
      delete from public.intake_jobs j
      using public.sanctions_screens s
      where j.claim_id = intake_screen.claim_id and j.id = any (job_ids)
        and s.agency_id = j.agency_id and s.id = j.screen_id
      returning s as screen
    )
    -- In one order, because each lead's screens are locked, and older ones first, as the names followed each other.
    select (d.screen).* from done d order by (d.screen).lead_id, (d.screen).created_at
  loop
    person := private.screened_person(screen);
    perform private.resolve_screen(screen, 'list', private.screen_entries(
      person.name, person.birth_date, person.country,
      private.cleared_entries(screen.agency_id, screen.contact_id, person.name)));
    resolved := resolved + 1;
  end loop;
  return resolved;
end
$function$;

create or replace function private.intake_screened (
  claim_id uuid,
  job_id   uuid,
  source   text,
  entries  jsonb
)
  returns boolean
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  screen public.sanctions_screens;
  cleared jsonb;
begin
  delete from public.intake_jobs j
  using public.sanctions_screens s
  where j.claim_id = intake_screened.claim_id and j.id = job_id
    and s.agency_id = j.agency_id and s.id = j.screen_id
  returning s.* into screen;
  if screen.id is null then
    return false;
  end if;
  -- A service does not tell when an entry changed, so what a person cleared stays so.
  cleared := private.cleared_entries(screen.agency_id, screen.contact_id, (private.screened_person(screen)).name);
  perform private.resolve_screen(screen, source, (
    select coalesce(jsonb_agg(e.entry order by (e.entry ->> 'score')::numeric desc), '[]')
    from jsonb_array_elements(entries) as e (entry)
    where not exists (select from jsonb_array_elements(cleared) c where c ->> 'id' = e.entry ->> 'id')));
  return true;
end
$function$;

create or replace function private.is_e164 (
  phone text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  -- That a number can exist is known only roughly here: Spain's have nine digits and begin with 5 to 9, and no country
  -- begins with the others. The functions know the plans of all countries, and send what they could read in this form.
  return phone ~ '^\+(34[5-9][0-9]{8}|(?!0|28|34|83|89|99[0179])[0-9]{7,15})$';
end
$function$;

alter function "private"."is_e164"(text) owner to "postgres";

create or replace function private.is_email (
  email text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return char_length(email) <= 254 and email ~
    '^(?!\.)(?!.*\.\.)[a-z0-9_''+.-]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$';
end
$function$;

alter function "private"."is_email"(text) owner to "postgres";

create or replace function private.known_stages (
  operation_type text    default null::text,
  active_only    boolean default false
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('stages', (
    select jsonb_agg(s.id order by s.position, s.id)
    from (
      select s.id, min(s.position) as position
      from public.flows f join public.stages s on s.flow = f.id
      where f.operation_type = coalesce(known_stages.operation_type, f.operation_type)
        and (s.outcome is null or not active_only)
      group by s.id
    ) s));
end
$function$;

alter function "private"."known_stages"(text, boolean) owner to "postgres";

create or replace function private.lead_json (
  lead public.leads
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  return jsonb_build_object(
    'id', lead.id,
    'contact_id', lead.contact_id,
    'full_name', lead.full_name,
    'phone', lead.phone,
    'phone_e164', lead.phone_e164,
    'email', lead.email,
    'email_is_valid', lead.email_is_valid,
    'origin', lead.origin,
    'operation_id', lead.operation_id,
    'lead_status', lead.lead_status,
    'temperature', lead.temperature,
    'intent', lead.intent,
    'budget_max', trim_scale(lead.budget_max),
    'bedrooms_min', lead.bedrooms_min,
    'zone', lead.zone,
    'language', lead.language,
    'urgency', lead.urgency,
    'summary', lead.summary,
    'notes', lead.notes,
    'assigned_agent_id', lead.assigned_agent_id,
    'sanctions_status', private.sanctions_status(lead.agency_id, lead.id),
    'archived_at', lead.archived_at,
    'archive_reason', lead.archive_reason,
    'created_at', lead.created_at,
    'updated_at', lead.updated_at
  );
end
$function$;

create or replace function private.list_sanctions_names (
  entry_ids text[] default null::text[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  create temporary table sanctions_changed_names on commit drop as
    select distinct e.id as entry_id, array_to_string(private.name_words(n.name), ' ') as name
    from public.sanctions_entries e
    cross join lateral unnest(e.name || e.aliases) as n (name)
    where entry_ids is null or e.id = any (entry_ids);
  delete from pg_temp.sanctions_changed_names n where n.name = '';
  insert into public.sanctions_names (entry_id, name, words)
  select n.entry_id, n.name, private.telling_words(string_to_array(n.name, ' ')) from pg_temp.sanctions_changed_names n;
  insert into public.sanctions_words (word, sounds, keys)
  select w.word, s.sounds, private.sound_keys(s.sounds)
  from (
    select distinct w.word from pg_temp.sanctions_changed_names n cross join lateral unnest(string_to_array(n.name, ' ')) as w (word)
  ) w
  cross join lateral (select private.word_sounds(w.word) as sounds offset 0) s
  where not exists (select from public.sanctions_words o where o.word = w.word);
end
$function$;

alter function "private"."list_sanctions_names"(text[]) owner to "postgres";

create or replace function private.list_sanctions_names_again()
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  delete from public.sanctions_names where true;
  delete from public.sanctions_words where true;
  perform private.list_sanctions_names();
  drop table pg_temp.sanctions_changed_names;
end
$function$;

alter function "private"."list_sanctions_names_again"() owner to "postgres";

create or replace function private.lock_contacts (
  contact_ids uuid[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  identity text;
begin
  -- The locks of private.find_or_create_contact, in its order: a lead that is just coming in is attached before or after.
  for identity in
    select distinct i.value
    from public.contacts c
    cross join lateral (
      values (case when c.email_is_valid then c.agency_id || ':' || c.email end), (c.agency_id || ':' || c.phone_e164)) as i (value)
    where c.id = any (contact_ids) and i.value is not null
    order by 1
  loop
    perform pg_advisory_xact_lock(hashtextextended('contact:' || identity, 0));
  end loop;
  perform from public.contacts c where c.id = any (contact_ids) order by c.id for update;
end
$function$;

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

create or replace function private.name_words (
  name text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  pair text[];
begin
  -- Spanish short forms: "Mª del Rosario", "Fco. Javier".
  name := regexp_replace(name, '\m(m\.?[ªº°]|ma\.)(?![[:alpha:]])', 'maria ', 'gi');
  name := regexp_replace(name, '\mfco(?![[:alpha:]])\.?', 'francisco ', 'gi');
  name := normalize(name, NFKC);
  -- Marks that are written or left out at will: Arabic vowels and the line that stretches a word, invisible signs, apostrophes.
  name := regexp_replace(name, '[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f\u202a-\u202e\u2060\ufeff''’‘ʼʻʾʿʹʺ`´]', '', 'g');
  -- An abbreviated word is its initial; "i", "y" and "e" between two words are not.
  name := regexp_replace(name, '\m([[:alpha:]])[[:lower:]]\.', '\1 ', 'g');
  name := regexp_replace(name, '(?<=[[:alpha:]]{2})\s+[iye]\s+(?=[[:alpha:]]{2})', ' ', 'g');
  name := regexp_replace(name collate "und-x-icu", '([[:lower:]])([[:upper:]])', '\1 \2', 'g');
  name := private.romanised(lower(name collate "und-x-icu"));
  foreach pair slice 1 in array array[
    ['š', 'sh'], ['č', 'ch'], ['ć', 'ch'], ['ž', 'zh'], ['đ', 'dj'], ['ş', 'sh'], ['ș', 'sh'], ['ç', 'ch'], ['ü', 'u'], ['ñ', 'n'], ['ß', 'ss']]
  loop
    name := replace(name, pair[1], pair[2]);
  end loop;
  name := translate(name, 'أإآٱىیېئؤةہھکگ', 'اااايييييوههكك');
  name := regexp_replace(normalize(extensions.unaccent('extensions.unaccent'::regdictionary, name), NFKD), '[\u0300-\u036f]', '', 'g');
  -- "Servant of" is one word, however its article is written: "Abdul Aziz", "Abd al-Aziz".
  name := regexp_replace(name, '\mabd[aeou]+[lrsnzd]\M', 'abd', 'g');
  return array_remove(regexp_split_to_array(name collate "und-x-icu", '[^[:alnum:]]+'), '');
end
$function$;

alter function "private"."name_words"(text) owner to "postgres";

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
  select t.* into task from private.open_tasks(lead.agency_id, caller.permissions, array[lead.id]) t
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

create or replace function private.next_agent()
  returns uuid
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller_agency_id uuid := private.agency_id();
begin
  -- One at a time inside an agency until the transaction ends, so that n leads over k agents never differ by more than
  -- one.
  perform pg_advisory_xact_lock(hashtextextended('assign_agent:' || caller_agency_id, 0));
  return (
    select a.id from public.agents a
    where a.agency_id = caller_agency_id and a.active and a.accepts_leads and private.takes_leads(a)
    order by a.last_assigned_at nulls first, a.created_at, a.id
    limit 1);
end
$function$;

create or replace function private.normal_email (
  email text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  bare text;
begin
  if private.is_email(email) then
    return email;
  end if;
  -- Also as mail programs write it: "Ana Ruiz <ana@example.com>", "mailto:ana@example.com".
  bare := lower(regexp_replace(regexp_replace(email, '^[^<>]*<([^<>]*)>\s*$', '\1'), '^\s*(mailto:\s*)?|\s+$', '', 'gi'));
  return case when private.is_email(bare) then bare else private.as_sent(email) end;
end
$function$;

alter function "private"."normal_email"(text) owner to "postgres";

create or replace function private.normal_phone (
  phone text
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  bare text;
begin
  if private.is_e164(phone) then
    return phone;
  end if;
  bare := regexp_replace(phone, '[\s().-]', '', 'g');
  return case when private.is_e164(bare) then bare else private.as_sent(phone) end;
end
$function$;

alter function "private"."normal_phone"(text) owner to "postgres";

create or replace function private.open_operations (
  contact_id uuid
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.principal();
begin
  -- What a permission hides elsewhere it hides here.
  if not 'operations:read' = any (caller.permissions) then
    return null;
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', o.id,
      'lead_id', o.lead_id,
      'operation_type', o.operation_type,
      'stage', o.stage,
      'stage_label', s.label,
      'assigned_agent_id', l.assigned_agent_id) order by o.created_at desc, o.id desc), '[]')
    from public.leads l
    join public.operations o on o.agency_id = l.agency_id and o.lead_id = l.id and o.closed_at is null
    join public.stages s on s.flow = o.flow and s.id = o.stage
    where l.agency_id = caller.agency_id and l.contact_id = open_operations.contact_id);
end
$function$;

alter function "private"."open_operations"(uuid) owner to "postgres";

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
    min(m.created_at), min(m.created_at) + interval '4 hours'
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
    l.created_at, l.created_at + interval '2 hours'
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
    s.created_at, s.created_at + interval '1 day'
  from public.sanctions_screens s
  join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id and l.archived_at is null
  where 'leads:read' = any (permissions) and s.agency_id = open_tasks.agency_id and s.lead_id = any (lead_ids)
    and s.status = 'possible_match' and s.resolution is null and private.result_counts(s);

  -- Viewings until the end of tomorrow, and those that are over and of which nobody said what became.
  return query
  select case when v.ends_at < now() then 'close_viewing' else 'prepare_viewing' end, 'agency',
    v.lead_id, v.operation_id, v.id, v.property_id, coalesce(v.agent_id, l.assigned_agent_id), null::text,
    case when v.ends_at < now() then v.ends_at else v.created_at end,
    case when v.ends_at < now() then v.ends_at else v.starts_at end
  from public.viewings v
  join public.leads l on l.agency_id = v.agency_id and l.id = v.lead_id
  join public.agencies a on a.id = v.agency_id
  where 'viewings:read' = any (permissions) and v.agency_id = open_tasks.agency_id and v.lead_id = any (lead_ids)
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
  where 'operations:read' = any (permissions) and o.agency_id = open_tasks.agency_id and o.lead_id = any (lead_ids)
    and o.closed_at is null
    -- A viewing that is arranged is a task of its own already.
    and not (step.id is not distinct from 'propiedadesVisitadas' and exists (
      select from public.viewings v
      where v.agency_id = o.agency_id and v.operation_id = o.id and v.status = 'scheduled'));
end
$function$;

alter function "private"."open_tasks"(uuid, text[], uuid[]) owner to "postgres";

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

create or replace function private.pending_actions (
  operation public.operations
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'label', g.label) order by g.position), '[]')
    from public.gate_steps g
    -- A step that the operation has no row for is not done either.
    left join public.operation_steps s
      on s.agency_id = operation.agency_id and s.operation_id = operation.id and s.step_id = g.id
    where g.flow = operation.flow and g.stage = operation.stage and s.done is not true);
end
$function$;

create or replace function private.person_score (
  names             real,
  birth_date        date,
  country           text,
  entry_birth_dates text[],
  entry_countries   text[]
)
  returns real
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  -- A birth year that is near none of the entry's makes a namesake. Day and month swapped or a digit off do not: lists
  -- and papers are full of those.
  if birth_date is not null and exists (select from unnest(entry_birth_dates) d where d ~ '^[0-9]{4}')
    and not exists (
      select from unnest(entry_birth_dates) d
      where d ~ '^[0-9]{4}' and abs(extract(year from birth_date) - left(d, 4)::int) <= 1) then
    names := names * 0.6;
  end if;
  if country is not null and entry_countries <> '{}' and lower(country) <> all (entry_countries) then
    names := names * 0.9;
  end if;
  return names;
end
$function$;

create or replace function private.refuse_past (
  starts_at timestamp with time zone
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  -- An hour of grace: whoever stands before the door writes the viewing down a little late, and clocks differ.
  if starts_at < now() - interval '1 hour' then
    perform private.refuse('invalid_time', 'A viewing is not arranged for the past.', jsonb_build_object(
      'issues', jsonb_build_array(jsonb_build_object(
        'path', 'starts_at', 'message', 'This time is in the past.'))));
  end if;
end
$function$;

alter function "private"."refuse_past"(timestamp with time zone) owner to "postgres";

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
    where o.agency_id = offer.agency_id and o.property_id = offer.property_id and o.status = 'accepted'
      and o.operation_id <> offer.operation_id
      and (theirs.operation_type = 'sell') = (mine.operation_type = 'sell')
      and (theirs.closed_at is null or theirs.won_at is not null and property_status <> 'available')) then
    perform private.refuse('offer_already_accepted',
      'Another offer on the property is accepted; its deal has to be lost, or the offer rejected or withdrawn, first.');
  end if;
end
$function$;

alter function "private"."refuse_taken_property"(public.offers) owner to "postgres";

create or replace function private.resolve_screen (
  screen  public.sanctions_screens,
  source  text,
  entries jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  likely jsonb := jsonb_path_query_array(entries, '$[*] ? (@.score >= $threshold)',
    jsonb_build_object('threshold', case when source = 'list' then private.sanctions_threshold() else 0 end));
  person record := private.screened_person(screen);
  standing public.sanctions_screens;
  kept jsonb;
  confirmed public.sanctions_screens;
begin
  -- The screens of a lead are resolved one after the other, so that each sees what the one before found.
  perform from public.sanctions_screens s where s.agency_id = screen.agency_id and s.lead_id = screen.lead_id order by s.id for update;
  standing := private.standing_match(screen.agency_id, screen.lead_id);
  standing.screened_name := (private.screened_person(standing)).name;
  screen.source := resolve_screen.source;
  screen.screened_name := person.name;
  screen.birth_date := person.birth_date;
  screen.country := person.country;

  select coalesce(jsonb_agg(e.entry || jsonb_build_object('found_by', e.asked)), '[]') into kept
  from (
    select entry, coalesce(entry -> 'found_by', private.asked_with(standing)) as asked
    from jsonb_array_elements(standing.entries) as entry
  ) e
  where not exists (select from jsonb_array_elements(likely) l where l ->> 'id' = e.entry ->> 'id')
    and private.still_found(e.entry, e.asked, private.asked_with(screen),
      private.cleared_entries(screen.agency_id, screen.contact_id, e.asked ->> 'name'));
  select coalesce(jsonb_agg(e.entry order by (e.entry ->> 'score')::numeric desc), '[]') into likely
  from jsonb_array_elements(likely || kept) as e (entry);
  -- The last decision about each entry is that it is them: then nothing is new, and nobody is asked again.
  select s.* into confirmed from public.sanctions_screens s
  where s.agency_id = screen.agency_id and s.lead_id = screen.lead_id and s.resolution = 'confirmed'
    and jsonb_array_length(likely) > 0
    and not exists (
      select from jsonb_array_elements(likely) l
      where (
        select d.resolution from public.sanctions_screens d
        where d.agency_id = screen.agency_id and d.lead_id = screen.lead_id and d.resolution is not null
          and d.entries @> jsonb_build_array(jsonb_build_object('id', l -> 'id'))
        order by d.resolution_at desc, d.resolved_at desc limit 1) is distinct from 'confirmed')
  order by s.resolution_at desc, s.resolved_at desc limit 1;

  update public.sanctions_screens s
  set status = case when jsonb_array_length(likely) > 0 then 'possible_match' else 'clear' end,
      source = resolve_screen.source,
      screened_name = person.name,
      birth_date = person.birth_date,
      country = person.country,
      score = greatest((resolve_screen.entries #>> '{0,score}')::numeric, (likely #>> '{0,score}')::numeric, 0),
      entries = likely,
      error = null,
      resolution = confirmed.resolution,
      resolution_reason = confirmed.resolution_reason,
      resolution_by = confirmed.resolution_by,
      resolution_at = confirmed.resolution_at,
      resolved_at = clock_timestamp()
  where s.agency_id = screen.agency_id and s.id = screen.id and s.status = 'pending';
end
$function$;

create or replace function private.result_counts (
  screen public.sanctions_screens
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  -- By the time of the result: of two screens that ran at once, the later one has taken over what the other found.
  return not exists (
    select from public.sanctions_screens later
    where later.agency_id = screen.agency_id and later.lead_id = screen.lead_id
      and later.status in ('clear', 'possible_match') and later.resolved_at > screen.resolved_at);
end
$function$;

alter function "private"."result_counts"(public.sanctions_screens) owner to "postgres";

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

create or replace function private.romanised (
  name text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  pair text[];
begin
  if name ~ '[\u0370-\u03ff]' then
    name := translate(name, 'άέήίόύώϊϋΐΰ', 'αεηιουωιυιυ');
    foreach pair slice 1 in array array[
      ['μπ', 'b'], ['γκ', 'g'], ['γγ', 'ng'], ['τζ', 'tz'], ['ου', 'u'], ['αυ', 'av'], ['ευ', 'ev'],
      ['θ', 'th'], ['χ', 'ch'], ['ψ', 'ps'], ['ξ', 'x'], ['φ', 'f']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'αβγδεζηικλμνοπρσςτυω', 'avgdeziiklmnoprsstyo');
  end if;
  if name ~ '[\u0400-\u04ff]' then
    foreach pair slice 1 in array array[
      ['дж', 'dzh'], ['ж', 'zh'], ['х', 'kh'], ['ц', 'ts'], ['ч', 'ch'], ['щ', 'shch'], ['ш', 'sh'], ['ю', 'yu'], ['я', 'ya'],
      ['є', 'ye'], ['ї', 'yi'], ['ё', 'yo'], ['љ', 'lj'], ['њ', 'nj'], ['ђ', 'dj'], ['џ', 'dzh'], ['ћ', 'ch'], ['ѓ', 'g'], ['ќ', 'k'],
      ['ь', ''], ['ъ', ''], ['ў', 'u'], ['ғ', 'g'], ['қ', 'k'], ['ң', 'n'], ['ҳ', 'h'], ['һ', 'h']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'абвгґдезѕиійјклмнопрстуфыэәөүұ', 'abvggdezziiijklmnoprstufyeaouu');
  end if;
  if name ~ '[\u10a0-\u10ff]' then
    foreach pair slice 1 in array array[
      ['ჟ', 'zh'], ['ღ', 'gh'], ['შ', 'sh'], ['ჩ', 'ch'], ['ც', 'ts'], ['ძ', 'dz'], ['წ', 'ts'], ['ჭ', 'ch'], ['ხ', 'kh'], ['ჯ', 'j']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'აბგდევზთიკლმნოპრსტუფქყჰ', 'abgdevztiklmnoprstupkqh');
  end if;
  if name ~ '[\u0530-\u058f]' then
    foreach pair slice 1 in array array[
      ['ու', 'u'], ['ժ', 'zh'], ['խ', 'kh'], ['ծ', 'ts'], ['ձ', 'dz'], ['ղ', 'gh'], ['ճ', 'ch'], ['շ', 'sh'], ['չ', 'ch'], ['ջ', 'j'], ['ց', 'ts'], ['և', 'ev']]
    loop
      name := replace(name, pair[1], pair[2]);
    end loop;
    name := translate(name, 'աբգդեզէըթիլկհմյնոպռսվտրւփքօֆ', 'abgdezeetilkhmynoprsvtrvpkof');
  end if;
  return name;
end
$function$;

alter function "private"."romanised"(text) owner to "postgres";

create or replace function private.same_name (
  a text,
  b text
)
  returns boolean
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  words_a text[] := private.plain_words(a);
  words_b text[] := private.plain_words(b);
begin
  -- Not merely compatible: "Khalid Mansour" may be the brother of "Khalid Mansour al-Derbani".
  return words_a <@ words_b and words_b <@ words_a and cardinality(words_a) = cardinality(words_b);
end
$function$;

alter function "private"."same_name"(text, text) owner to "postgres";

create or replace function private.same_name_otherwise (
  word text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  names text;
begin
  -- Frequent names whose usual spellings are further apart than the sounds of one name are.
  foreach names in array array[
    ' muhammad mohammed mohamed mohammad mohamad muhammed muhamad muhamed mehmet mehmed mahomed magomed mohd ',
    ' umar omar omer ', ' yusuf youssef yousef yousuf youssouf yusef yusuf iusuf yosef josef ',
    ' ri lee yi rhee ', ' pak park bak ', ' choe choi choy ', ' jong jung jeong chung chong cheong ', ' vladimir volodymyr uladzimir ', ' aleksandr alexander oleksandr ',
    ' dmitri dmytro dimitri dimitris dimitrios ', ' nikolai mykola nikolas nikolaos ', ' georgi giorgi georgios jorge ']
  loop
    if names like '% ' || word || ' %' then
      return array[split_part(names, ' ', 2)];
    end if;
  end loop;
  return '{}';
end
$function$;

alter function "private"."same_name_otherwise"(text) owner to "postgres";

create or replace function private.sanctions_status (
  agency_id uuid,
  lead_id   uuid
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select s.status from public.sanctions_screens s
    where s.agency_id = sanctions_status.agency_id and s.lead_id = sanctions_status.lead_id
    order by s.status = 'possible_match' and private.result_counts(s) desc, s.status = 'pending' desc, s.created_at desc
    limit 1);
end
$function$;

alter function "private"."sanctions_status"(uuid, uuid) owner to "postgres";

create or replace function private.score_names (
  names          public.sanctions_names[],
  words          text[],
  first          integer[],
  last           integer[],
  split          integer[],
  half           integer[],
  word           text[],
  spelling_score real[]
)
  returns table (
    entry_id text,
    name     text,
    score    real
  )
  language plpgsql
  stable
  rows 20
  set search_path to ''
  AS $function$
#variable_conflict use_column
begin
  return query
  with spelling as materialized (
    select * from unnest(
      score_names.first, score_names.last, score_names.split, score_names.half, score_names.word, score_names.spelling_score) as s (first, last, split, half, word, score)
  ),
  near as materialized (
    select n.* from unnest(score_names.names) with ordinality as n (name, entry_id, words, id)
  ),
  hit as materialized (
    select c.id, s.first, s.last, s.split, s.half, w.place, s.score
    from near c
    cross join lateral unnest(c.words) with ordinality as w (word, place)
    join spelling s on s.word = w.word
    union all
    select c.id, l.n::int, l.n::int, 0, 0, w.place, 0.62
    from near c
    cross join lateral unnest(c.words) with ordinality as w (word, place)
    join unnest(score_names.words) with ordinality as l (word, n) on left(l.word, 1) in (left(w.word, 1), left(ltrim(w.word, 'yh'), 1)) or left(w.word, 1) = left(ltrim(l.word, 'yh'), 1)
    where char_length(l.word) = 1 or char_length(w.word) = 1
  ),
  -- Half a word is none.
  whole as materialized (
    select h.* from hit h
    where h.split = 0 or exists (
      select from hit o
      where o.id = h.id and o.first = h.first and o.split = h.split and o.half <> h.half
        and sign(o.place - h.place) = o.half - h.half and (h.split < 100 or abs(o.place - h.place) = 1))
  ),
  -- A word that is listed as two, and two that are listed as one, count twice.
  asked as (
    select a.id, count(*) as words, avg(a.score) as score, sum(a.slots) as slots
    from (
      select w.id, n, max(w.score) as score, max(least(w.split, 1)) + 1 as slots
      from whole w cross join lateral generate_series(w.first, w.last) n group by w.id, n
    ) a
    group by a.id
  ),
  listed as (
    select l.id, count(*) as words, avg(l.score) as score, sum(l.slots) as slots
    from (
      select w.id, w.place, max(w.score) as score, max(w.last - w.first) + 1 as slots from whole w group by w.id, w.place
    ) l
    group by l.id
  )
  select n.entry_id, n.name, (case
    when a.words = cardinality(score_names.words) and l.words = cardinality(n.words) then a.score
    -- "Juan García" may be "Juan García López".
    when a.words = cardinality(score_names.words) and l.slots >= a.words then 0.9 * a.score
    when l.words = cardinality(n.words) and a.slots >= l.words then 0.9 * l.score
    else 0 end)::real
  from near n
  join asked a on a.id = n.id
  join listed l on l.id = n.id
  -- A single word may be anybody.
  where a.slots >= 2 and l.slots >= 2 or cardinality(score_names.words) = 1 and cardinality(n.words) = 1;
end
$function$;

alter function
  "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
  integer[], text[], real[]) owner to "postgres";

create or replace function private.screen_contacts_again (
  agency_id   uuid,
  contact_ids uuid[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id from public.leads l
  where l.agency_id = screen_contacts_again.agency_id and l.contact_id = any (contact_ids) and l.archived_at is null;
end
$function$;

alter function "private"."screen_contacts_again"(uuid, uuid[]) owner to "postgres";

create or replace function private.screen_entries (
  person_name text,
  birth_date  date,
  country     text,
  cleared     jsonb
)
  returns jsonb
  language sql
  stable
  set search_path to ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', near.entry_id,
    'name', near.name,
    'matched_name', near.matched_name,
    'score', round(near.score::numeric, 3),
    'schema', near.schema,
    'birth_dates', near.birth_dates,
    'countries', near.countries,
    'sanctions', left(near.sanctions, 500),
    'datasets', near.datasets,
    'listed_at', near.changed_at
  ) order by near.score desc, near.entry_id), '[]')
  from (
    select s.entry_id, s.matched_name, s.score, e.*
    from private.screen_person(person_name, birth_date, country) s
    join public.sanctions_entries e on e.id = s.entry_id
    -- What a person ruled out stays ruled out until the entry changes.
    where not exists (
      select from jsonb_to_recordset(cleared) as c (id text, listed_at timestamptz, cleared_at timestamptz)
      where c.id = s.entry_id and coalesce(c.listed_at = e.changed_at, c.cleared_at >= e.changed_at))
    order by s.score desc, s.entry_id
    limit 20
  ) near;
$function$;

create or replace function private.screen_person (
  person_name text,
  birth_date  date default null::date,
  country     text default null::text
)
  returns table (
    entry_id     text,
    matched_name text,
    score        real
  )
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  -- Enough words for any person; a longer text is no name and shall not take long.
  words text[] := (private.telling_words(private.name_words(person_name)))[1:12];
  spelled record;
  terms text[];
  condition text;
  near public.sanctions_names[];
begin
  select array_agg(s.first) as first, array_agg(s.last) as last, array_agg(s.split) as split, array_agg(s.half) as half,
    array_agg(s.word) as word, array_agg(s.score) as score
  into spelled
  from private.word_spellings(words) s;
  if spelled.first is null then
    return;
  end if;

  -- What a listed name has when it has the word: a spelling, part of one, or its initial. Written into the query, since
  -- the plan depends on how common they are.
  select array_agg(format('n.words operator(pg_catalog.&&) %L::text[]', t.terms))
  into terms
  from (
    select u.n, array_agg(distinct u.term) as terms
    from (
      select n, w.word as term
      from unnest(spelled.first, spelled.last, spelled.word) as w (first, last, word)
      cross join lateral generate_series(w.first, w.last) n
      union all
      select n::int, left(w.word, 1) from unnest(words) with ordinality as w (word, n) where char_length(w.word) > 1
    ) u
    group by u.n
  ) t;
  if cardinality(terms) = 1 then
    condition := terms[1];
  else
    select string_agg(format('%s and %s', terms[i], terms[k]), ' or ') into condition
    from generate_subscripts(terms, 1) i
    join generate_subscripts(terms, 1) k on k > i;
    -- A name of as many words or more must have all of these.
    condition := format('(%s) and (cardinality(n.words) < %s or %s)', condition, cardinality(words), array_to_string(terms, ' and '));
  end if;

  execute format('select array_agg(n) from public.sanctions_names n where %s', condition) into near;
  return query
  with best as (
    select distinct on (s.entry_id) s.*
    from private.score_names(near, words, spelled.first, spelled.last, spelled.split, spelled.half, spelled.word, spelled.score) s
    where s.score >= 0.5
    order by s.entry_id, s.score desc
  )
  select b.entry_id, b.name, private.person_score(b.score, birth_date, country, e.birth_dates, e.countries)
  from best b
  join public.sanctions_entries e on e.id = b.entry_id;
end
$function$;

create or replace function private.screened_person (
  screen public.sanctions_screens,
  OUT    name text,
  OUT    birth_date date,
  OUT    country text
)
  returns record
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  contact public.contacts;
begin
  name := coalesce(screen.screened_name, (
    select l.full_name from public.leads l where l.agency_id = screen.agency_id and l.id = screen.lead_id));
  -- A lead finds its contact by an e-mail or a phone that another person may use too.
  select c.* into contact from public.contacts c where c.agency_id = screen.agency_id and c.id = screen.contact_id;
  if private.same_name(contact.full_name, name) then
    birth_date := contact.birth_date;
    country := contact.nationality;
  end if;
end
$function$;

alter function "private"."screened_person"(public.sanctions_screens) owner to "postgres";

create or replace function private.show_budget (
  budget private.budget
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return
    set_config('corredor.rate_limit',
      format('{"limit": %s, "remaining": %s, "reset": %s}',
        budget.requests_per_minute, budget.remaining, budget.reset_seconds), true)
    || set_config('response.headers',
      format('[{"ratelimit-limit": "%s"}, {"ratelimit-remaining": "%s"}, {"ratelimit-reset": "%s"}]',
        budget.requests_per_minute, budget.remaining, budget.reset_seconds), true);
end
$function$;

alter function "private"."show_budget"(private.budget) owner to "postgres";

create or replace function private.sound_key (
  sounds text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return regexp_replace(translate(sounds, 'BFDGCAEO', 'PPTKS'), '([^ ])\1+', '\1', 'g');
end
$function$;

alter function "private"."sound_key"(text) owner to "postgres";

create or replace function private.sound_keys (
  sounds text[]
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return array(
    select k.key
    from unnest(sounds) s
    cross join lateral (values
      ('=' || s),
      (private.sound_key(s)),
      -- In a short word the vowels tell: its consonants alone are those of too many.
      (case when char_length(s) <= 4 then translate(s, 'BFDGC', 'PPTKS') end),
      (case when s !~ '[AEO]' then '#' || private.sound_key(s) end)) as k (key)
    where k.key not in ('', '=', '#')
    group by k.key);
end
$function$;

alter function "private"."sound_keys"(text[]) owner to "postgres";

create or replace function private.sound_score (
  a text[],
  b text[]
)
  returns real
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  x text;
  y text;
  kinds_x text;
  kinds_y text;
  consonants_x text;
  consonants_y text;
  letters int;
  changes real;
  best real := 0;
begin
  if a && b and a[1] ~ '[AEO]' then
    return 1;
  end if;
  foreach x in array a loop
    kinds_x := translate(left(x, 100), 'BFDGC', 'PPTKS');
    consonants_x := translate(kinds_x, 'AEO', '');
    foreach y in array b loop
      kinds_y := translate(left(y, 100), 'BFDGC', 'PPTKS');
      consonants_y := translate(kinds_y, 'AEO', '');
      if consonants_x = kinds_x or consonants_y = kinds_y then
        -- Vowels that were not written tell nothing, and few consonants tell little.
        if private.sound_key(x) = private.sound_key(y) then
          best := greatest(best, 0.75 + 0.05 * least(length(private.sound_key(x)), 4));
        end if;
      else
        -- Another consonant counts whole, another vowel three quarters, another consonant of the same kind (d for t)
        -- half. In a short word a change may well make another name, as does an ending (Martín, Martynov).
        letters := greatest(length(x), length(y));
        changes := 0.5 * extensions.levenshtein(left(x, 100), left(y, 100)) + 0.25 * extensions.levenshtein(kinds_x, kinds_y)
          + 0.25 * extensions.levenshtein(consonants_x, consonants_y);
        best := greatest(best, 1 - changes / letters - case when changes > 0 and letters <= 5 then 0.1 else 0 end
          - case when abs(length(x) - length(y)) >= 2 then 0.05 else 0 end);
      end if;
    end loop;
  end loop;
  return best;
end
$function$;

alter function "private"."sound_score"(text[], text[]) owner to "postgres";

create or replace function private.spend (
  full_at_us          bigint,
  now_us              bigint,
  requests_per_minute integer
)
  returns private.budget
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  interval_us bigint := greatest(60000000 / requests_per_minute, 1);
  window_us bigint := interval_us * requests_per_minute;
  budget private.budget;
begin
  -- Generic cell rate algorithm: all there is to know is the time at which the bucket will be full again. That is now at
  -- the earliest, and a window from now at the latest: a clock that was put back must not close a bucket until it has
  -- caught up.
  full_at_us := least(greatest(coalesce(full_at_us, 0), now_us), now_us + window_us);
  budget.requests_per_minute := requests_per_minute;
  budget.allowed := full_at_us + interval_us <= now_us + window_us;
  -- A request refused for its rate costs nothing: who comes back after Retry-After finds a token.
  budget.full_at_us := case when budget.allowed then full_at_us + interval_us else full_at_us end;
  budget.remaining := (now_us + window_us - budget.full_at_us) / interval_us;
  budget.reset_seconds := ceil((budget.full_at_us - now_us) / 1000000.0);
  budget.retry_after_seconds := case when not budget.allowed then ceil(interval_us / 1000000.0) end;
  return budget;
end
$function$;

alter function "private"."spend"(bigint, bigint, integer) owner to "postgres";

create or replace function private.standing_match (
  agency_id uuid,
  lead_id   uuid
)
  returns public.sanctions_screens
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  standing public.sanctions_screens;
begin
  select s.* into standing from public.sanctions_screens s
  where s.agency_id = standing_match.agency_id and s.lead_id = standing_match.lead_id and s.status = 'possible_match'
    and private.result_counts(s);
  return standing;
end
$function$;

alter function "private"."standing_match"(uuid, uuid) owner to "postgres";

create or replace function private.start_screens_again()
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  started int;
begin
  perform set_config('pg_trgm.similarity_threshold', '0.25', true);
  create temporary table sanctions_changed_words on commit drop as
    select s.word, s.keys
    from (
      select distinct w.word from pg_temp.sanctions_changed_names n cross join lateral unnest(string_to_array(n.name, ' ')) as w (word)
    ) w
    join public.sanctions_words s on s.word = w.word;
  create index on pg_temp.sanctions_changed_words using gin (word extensions.gin_trgm_ops);
  analyze pg_temp.sanctions_changed_words;

  with lead as materialized (
    select l.agency_id, l.id, l.contact_id, private.telling_words(private.name_words(l.full_name)) as words
    from public.leads l
    -- A screen that waits will see the new list.
    where l.archived_at is null and exists (
      select from public.sanctions_screens s where s.agency_id = l.agency_id and s.lead_id = l.id)
      and not exists (
        select from public.sanctions_screens s where s.agency_id = l.agency_id and s.lead_id = l.id and s.status = 'pending')
  ),
  changed_key as materialized (
    select distinct k.key from pg_temp.sanctions_changed_words c cross join lateral unnest(c.keys) as k (key)
  ),
  word as materialized (
    select v.word, s.sounds
    from (select distinct unnest(l.words) as word from lead l) v
    left join public.sanctions_words o on o.word = v.word
    cross join lateral (select coalesce(o.sounds, private.word_sounds(v.word)) as sounds offset 0) s
    where char_length(v.word) > 1
  ),
  hit as materialized (
    select w.word, 1 as words from word w
    where exists (select from unnest(private.wanted_keys(w.sounds)) as k (key) join changed_key c on c.key = k.key)
      or exists (
        select from pg_temp.sanctions_changed_words c
        where c.word operator(extensions.%) w.word and private.word_score(c.word, w.word) >= 0.5)
    union all
    select w.word, 2
    from word w
    cross join lateral private.word_cuts(w.word, w.sounds, true) c
    where char_length(w.word) >= 6 and (
      exists (select from pg_temp.sanctions_changed_words o where o.word = any (c.words))
      or exists (select from unnest(c.keys) as k (key) join changed_key o on o.key = k.key))
    group by w.word, c.split
    having count(*) = 2
  ),
  named as materialized (
    select s.agency_id, s.lead_id
    from public.sanctions_screens s
    cross join lateral jsonb_array_elements(s.entries) e
    join pg_temp.sanctions_touched t on t.id = e ->> 'id'
    where private.result_counts(s)
  )
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id from lead l
  where exists (select from named n where n.agency_id = l.agency_id and n.lead_id = l.id)
    or (
      select coalesce(sum(case when char_length(w.word) = 1 then 1 else h.words end), 0)
      from unnest(l.words) as w (word)
      left join lateral (select max(h.words) as words from hit h where h.word = w.word) h on true
    ) >= least(2, cardinality(l.words))
    or exists (
      select
      from generate_series(1, cardinality(l.words) - 1) n
      join word a on a.word = l.words[n]
      join word b on b.word = l.words[n + 1]
      join changed_key c on c.key = private.sound_key(a.sounds[1] || b.sounds[1]));
  get diagnostics started = row_count;
  return started;
end
$function$;

create or replace function private.still_found (
  entry     jsonb,
  asked     jsonb,
  asked_now jsonb,
  cleared   jsonb
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  if exists (select from jsonb_array_elements(cleared) c where c ->> 'id' = entry ->> 'id') then
    return false;
  end if;
  if asked ->> 'source' = 'list' then
    -- By the name alone: what else became known of the person is for a person to judge.
    return exists (
      select from private.screen_person(asked ->> 'name') p
      where p.entry_id = entry ->> 'id' and p.score >= private.sanctions_threshold());
  end if;
  -- A service that is asked the same again and finds less has changed its list; asked otherwise, it answers for another.
  return asked <> asked_now;
end
$function$;

alter function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) owner to "postgres";

create or replace function private.suggest_duplicates (
  contact public.contacts
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  wanted text := private.screening_name(contact.full_name);
begin
  perform set_config('pg_trgm.similarity_threshold', '0.6', true);
  insert into public.contact_suggestions (agency_id, contact_id, similar_id, reasons, score)
  select contact.agency_id, contact.id, near.id, near.reasons, round(near.score::numeric, 3)
  from (
    select c.id, s.score, array_remove(array[
      case when c.phone_e164 = contact.phone_e164 then 'same_phone' end,
      -- One name alone is shared by too many.
      case when s.score >= 0.85 and wanted like '% %' then 'similar_name' end,
      case when c.email_is_valid and contact.email_is_valid
        and split_part(c.email, '@', 1) = split_part(contact.email, '@', 1) and s.score >= 0.5 then 'similar_email' end
    ], null) as reasons
    from (
      select o.* from public.contacts o where o.agency_id = contact.agency_id and o.phone_e164 = contact.phone_e164
      union
      select o.* from public.contacts o
      where o.agency_id = contact.agency_id and o.merged_into is null
        and private.screening_name(o.full_name) operator(extensions.%) wanted
    ) c
    cross join lateral (select private.name_score(wanted, private.screening_name(c.full_name)) as score) s
    where c.id <> contact.id and c.merged_into is null
  ) near
  where near.reasons <> '{}'
  order by near.score desc
  limit 20
  on conflict do nothing;
end
$function$;

create or replace function private.swap_sanctions_list (
  file_name text
)
  returns public.sanctions_loads
  language plpgsql
  set search_path to ''
  AS $function$
declare
  load public.sanctions_loads;
begin
  create temporary table sanctions_touched on commit drop as
    select coalesce(i.id, e.id) as id,
      case when e.id is null then 'added' when i.id is null then 'removed' else 'changed' end as change
    from pg_temp.sanctions_incoming i
    full join public.sanctions_entries e on e.id = i.id
    where i.id is null or e.id is null
      or (i.schema, i.name, i.aliases, i.birth_dates, i.countries, i.sanctions, i.datasets)
        is distinct from (e.schema, e.name, e.aliases, e.birth_dates, e.countries, e.sanctions, e.datasets);
  create unique index on pg_temp.sanctions_touched (id);
  analyze pg_temp.sanctions_touched;

  delete from public.sanctions_entries e using pg_temp.sanctions_touched t where t.id = e.id and t.change = 'removed';
  delete from public.sanctions_names n using pg_temp.sanctions_touched t where t.id = n.entry_id and t.change = 'changed';
  insert into public.sanctions_entries (
    id, schema, name, aliases, birth_dates, countries, sanctions, datasets, first_seen, last_seen)
  select i.id, i.schema, i.name, i.aliases, i.birth_dates, i.countries, i.sanctions, i.datasets, i.first_seen, i.last_seen
  from pg_temp.sanctions_incoming i
  join pg_temp.sanctions_touched t on t.id = i.id
  on conflict (id) do update set
    schema = excluded.schema, name = excluded.name, aliases = excluded.aliases, birth_dates = excluded.birth_dates,
    countries = excluded.countries, sanctions = excluded.sanctions, datasets = excluded.datasets,
    first_seen = excluded.first_seen, last_seen = excluded.last_seen, changed_at = clock_timestamp();

  perform private.list_sanctions_names(array(select t.id from pg_temp.sanctions_touched t where t.change <> 'removed'));

  insert into public.sanctions_loads (file_name, entries, added, changed, removed, screens_started)
  values (
    file_name,
    (select count(*) from public.sanctions_entries),
    (select count(*) from pg_temp.sanctions_touched where change = 'added'),
    (select count(*) from pg_temp.sanctions_touched where change = 'changed'),
    (select count(*) from pg_temp.sanctions_touched where change = 'removed'),
    private.start_screens_again())
  returning * into load;
  return load;
end
$function$;

create or replace function private.take_from_bucket (
  bucket_key          text,
  requests_per_minute integer
)
  returns private.budget
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  bucket public.request_buckets;
  budget private.budget;
begin
  -- A row will do here, where credentials have a sequence: the request does little else and commits, so nobody waits
  -- long for the row. The moment at which everything begins is a bucket that is full.
  insert into public.request_buckets (key, full_at) values (bucket_key, 'epoch') on conflict (key) do nothing;
  select b.* into bucket from public.request_buckets b where b.key = bucket_key for update;
  budget := private.spend(
    (extract(epoch from bucket.full_at) * 1000000)::bigint,
    (extract(epoch from clock_timestamp()) * 1000000)::bigint,
    requests_per_minute);
  update public.request_buckets b set full_at = 'epoch'::timestamptz + budget.full_at_us * interval '1 microsecond'
  where b.key = bucket_key;
  return budget;
end
$function$;

alter function "private"."take_from_bucket"(text, integer) owner to "postgres";

create or replace function private.take_public_token (
  bucket_key          text,
  requests_per_minute integer
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  budget private.budget := private.take_from_bucket('link:' || bucket_key, requests_per_minute);
begin
  perform private.show_budget(budget);
  if not budget.allowed then
    perform private.raise_error(429, 'rate_limited', 'Too many requests; try again later.',
      jsonb_build_object('retry_after_seconds', budget.retry_after_seconds));
  end if;
end
$function$;

create or replace function private.take_token (
  agency_id     uuid,
  credential_id uuid
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  bucket regclass;
  lock_key bigint := hashtextextended('rate_limit:' || credential_id, 0);
  requests_per_minute int;
  full_at_us bigint;
  budget private.budget;
  -- Every request comes by here. A `perform` would be a query of its own; an assignment is none.
  done text;
begin
  select r.requests_per_minute, private.rate_bucket(r.credential_id)
  into strict requests_per_minute, bucket
  from public.rate_limits r
  where r.agency_id = take_token.agency_id and r.credential_id = take_token.credential_id;

  -- A lock of the session, not of the transaction: another request waits microseconds for it, never for our work. A
  -- statement can be cancelled between any two lines, so taking the lock and giving it back both stand inside the block
  -- that gives it back. What was cancelled while it waited gives back nothing, which is a warning and no harm.
  begin
    done := pg_advisory_lock(lock_key);
    full_at_us := pg_sequence_last_value(bucket);
    budget := private.spend(full_at_us, (extract(epoch from clock_timestamp()) * 1000000)::bigint, requests_per_minute);
    -- A refused request writes nothing, unless the clock was put back.
    if budget.full_at_us is distinct from full_at_us then
      done := setval(bucket, budget.full_at_us);
    end if;
    done := pg_advisory_unlock(lock_key);
  exception when query_canceled or others then
    done := pg_advisory_unlock(lock_key);
    raise;
  end;

  done := private.show_budget(budget);
  return budget.retry_after_seconds;
end
$function$;

create or replace function private.takes_leads (
  agent public.agents
)
  returns boolean
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return agent.active and agent.accepts_leads and 'leads:write' = any (private.role_permissions(agent.role));
end
$function$;

alter function "private"."takes_leads"(public.agents) owner to "postgres";

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

create or replace function private.telling_words (
  words text[]
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  telling text[] := array(
    select w.word from unnest(words) with ordinality as w (word, n)
    where w.word <> all (array[
      'de', 'del', 'della', 'dela', 'delas', 'delos', 'da', 'das', 'do', 'dos', 'di', 'du', 'des', 'dello', 'dell', 'la', 'las', 'le', 'los', 'lo', 'el', 'al', 'ul', 'ar',
      'as', 'ash', 'ad', 'ed', 'ud', 'an', 'at', 'az', 'es', 'van', 'vanden', 'vander', 'von', 'der', 'den', 'ter', 'ten', 'zu', 'bin', 'ben', 'ibn', 'bint', 'und', 'y', 'i',
      'don', 'dona', 'sr', 'sra', 'srta', 'dr', 'dra', 'mr', 'mrs', 'ms', 'sheikh', 'haji', 'hajji', 'hadji', 'mullah', 'mulla', 'بن', 'ابن', 'بنت', 'ال'])
      or (char_length(w.word) = 1 and w.word in ('y', 'i'))
    group by w.word
    order by min(w.n));
begin
  -- "Ben Ali", "Le Van Duc": who has no other words is told by these.
  return case when cardinality(telling) >= 2 then telling else words end;
end
$function$;

alter function "private"."telling_words"(text[]) owner to "postgres";

create or replace function private.tg__normal_forms()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.phone := private.normal_phone(new.phone);
  new.email := private.normal_email(new.email);
  return new;
end
$function$;

alter function "private"."tg__normal_forms"() owner to "postgres";

create or replace function private.tg_contacts__screen_again()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.screen_contacts_again(new.agency_id, array[new.id]);
  return null;
end
$function$;

create or replace function private.tg_gate_steps__held()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  insert into public.operation_steps (agency_id, operation_id, step_id, flow)
  select o.agency_id, o.id, new.id, new.flow from public.operations o where o.flow = new.flow and o.closed_at is null
  on conflict do nothing;
  return null;
end
$function$;

alter function "private"."tg_gate_steps__held"() owner to "postgres";

create or replace function private.tg_offers__date_acceptance()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  is_closed boolean;
begin
  if tg_op = 'UPDATE' then
    if (new.agency_id, new.id, new.operation_id, new.lead_id)
      is distinct from (old.agency_id, old.id, old.operation_id, old.lead_id) then
      perform private.refuse('change_refused', 'An offer stays with its operation and lead.');
    end if;
    if old.status = 'accepted' and new.property_id <> old.property_id then
      perform private.refuse('change_refused', 'An accepted offer stays with its property.');
    end if;
    new.accepted_at := old.accepted_at;
    if new.status = old.status or 'accepted' not in (new.status, old.status) then
      return new;
    end if;
  elsif new.status <> 'accepted' then
    new.accepted_at := null;
    return new;
  end if;

  -- Held until the transaction ends, as for a new offer.
  select o.closed_at is not null into is_closed from public.operations o
  where o.agency_id = new.agency_id and o.id = new.operation_id for share;
  if new.status = 'accepted' then
    if is_closed then
      perform private.refuse('operation_closed', 'The operation is closed; its offers are no longer accepted.');
    end if;
    if exists (select from public.offers o
      where o.agency_id = new.agency_id and o.operation_id = new.operation_id
        and o.status = 'accepted' and o.id <> new.id) then
      perform private.refuse('offer_already_accepted', 'Another offer of the operation is accepted; reject or withdraw it first.');
    end if;
    perform private.refuse_taken_property(new);
    -- Only the first acceptance counts, for the date and for the event.
    new.accepted_at := coalesce(new.accepted_at, now());
  else
    if new.status = 'received' then
      perform private.refuse('change_refused', 'An accepted offer is rejected or withdrawn; it is not merely received again.');
    end if;
    if is_closed then
      perform private.refuse('operation_closed', 'The operation is closed; its accepted offer stays accepted.');
    end if;
  end if;
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
      or new.lost_reason is distinct from old.lost_reason and old.stage <> 'lost' then
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
  target_position int;
  target_outcome text;
  next_position int;
  pending jsonb;
begin
  if old.closed_at is not null then
    perform private.refuse('operation_closed', 'The operation is closed; its stage no longer changes.');
  end if;

  select max(s.position) filter (where s.id = new.stage), max(s.outcome) filter (where s.id = new.stage),
    min(s.position) filter (where s.outcome is null and s.position > origin.position)
  into target_position, target_outcome, next_position
  from public.stages origin
  join public.stages s on s.flow = origin.flow
  where origin.flow = old.flow and origin.id = old.stage;
  if target_position is null then
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.',
      private.known_stages(old.operation_type));
  end if;

  if new.stage = 'lost' and coalesce(new.lost_reason, '') !~ '\S' then
    perform private.refuse('lost_reason_required', 'Moving to lost needs a lost_reason.');
  end if;

  if target_outcome is distinct from 'failure' then
    if (target_outcome is null and target_position is distinct from next_position)
      or (target_outcome = 'success' and next_position is not null) then
      perform private.refuse('invalid_transition',
        'A stage is left one step forward; only the last active stage leads to a successful close.');
    end if;

    pending := private.pending_actions(old);
    if pending <> '[]' then
      perform private.refuse('stage_gate_blocked', 'The gate of the current stage has pending steps.',
        jsonb_build_object('pending_actions', pending));
    end if;

    if old.flow = 'rent' and target_outcome = 'success' and new.deposit_paid_at is null then
      perform private.refuse('db_gate_blocked', 'A rental cannot close before the deposit is paid.');
    end if;
  end if;

  if target_outcome is not null then
    new.closed_at := now();
  end if;
  if target_outcome = 'success' then
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
  new.flow := initial.flow;
  new.stage := initial.id;
  -- No gate applies to an initial stage. An import may bring operations that are closed already.
  new.closed_at := case when initial.outcome is not null then coalesce(new.closed_at, now()) end;
  new.won_at := case when initial.outcome = 'success' then coalesce(new.won_at, new.closed_at) end;
  return new;
end
$function$;

create or replace function private.tg_sanctions_screens__name()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- Kept with the screen: the lead may have another name before the screen is resolved.
  select l.full_name into new.screened_name from public.leads l where l.agency_id = new.agency_id and l.id = new.lead_id;
  return new;
end
$function$;

alter function "private"."tg_sanctions_screens__name"() owner to "postgres";

create or replace function private.tg_sanctions_screens__resolution()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- What a person confirmed goes on to the next screen that finds the same, with its author and time.
  if old.status = 'pending' and new.status = 'possible_match' and new.resolution = 'confirmed' then
    return new;
  end if;
  if new.resolution is null then
    if old.resolution is not null then
      perform private.refuse('resolution_stays', 'A resolution may be changed, and is not taken back.');
    end if;
    return new;
  end if;
  if old.entries is null or jsonb_array_length(old.entries) = 0 then
    perform private.refuse('no_possible_match', 'Only a possible match is resolved.');
  end if;
  -- Deciding about a result that no longer counts would change nothing, and say that it did.
  if not private.result_counts(old) then
    perform private.refuse('screened_since', 'The lead has been screened again since; resolve its latest match.');
  end if;
  if nullif(btrim(new.resolution_reason), '') is null then
    perform private.refuse('resolution_reason_required', 'A resolution needs a reason.');
  end if;
  new.status := case new.resolution when 'cleared' then 'clear' else 'possible_match' end;
  new.resolution_by := coalesce(nullif(btrim(new.resolution_by), ''), session_user);
  new.resolution_at := clock_timestamp();
  return new;
end
$function$;

create or replace function private.tg_subscriptions__cap()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  hooks_max constant int := 20;
begin
  -- Two that come at once would each count without the other.
  perform pg_advisory_xact_lock(hashtextextended('hooks:' || new.agency_id || ':' || new.event_type, 0));
  -- The same hook again is not one more.
  if not exists (
      select from public.subscriptions s
      where s.agency_id = new.agency_id and s.event_type = new.event_type and s.target_url = new.target_url)
    and (
      select count(*) from public.subscriptions s
      where s.agency_id = new.agency_id and s.event_type = new.event_type) >= hooks_max then
    perform private.refuse('too_many_hooks', format('An agency has at most %s hooks for an event; remove one first.', hooks_max),
      jsonb_build_object('max_hooks', hooks_max));
  end if;
  return new;
end
$function$;

alter function "private"."tg_subscriptions__cap"() owner to "postgres";

create or replace function private.tg_viewings__took_place()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- The gate waits for a visit that happened; clients come a little early.
  if new.starts_at > now() + interval '15 minutes' then
    perform private.refuse('invalid_transition', 'A viewing is done from 15 minutes before its start on; this one is still to come.');
  end if;
  return new;
end
$function$;

alter function "private"."tg_viewings__took_place"() owner to "postgres";

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

create or replace function private.wanted_keys (
  sounds text[]
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return array(
    select k.key
    from unnest(sounds) s
    cross join lateral (values
      (case when s ~ '[AEO]' and char_length(s) <= 4 then translate(s, 'BFDGC', 'PPTKS') else private.sound_key(s) end),
      ('#' || private.sound_key(s))) as k (key)
    where k.key not in ('', '#')
    group by k.key);
end
$function$;

alter function "private"."wanted_keys"(text[]) owner to "postgres";

create or replace function private.word_cuts (
  word     text,
  sounds   text[],
  by_sound boolean
)
  returns table (
    split integer,
    half  integer,
    words text[],
    keys  text[]
  )
  language plpgsql
  immutable
  rows 20
  set search_path to ''
  AS $function$
#variable_conflict use_variable
begin
  return query
  select c.cut, h.part, h.texts, h.sounds
  from (
    -- As it is written: "Delosangeles" is "de los Ángeles" without particles.
    select n as cut, array[left(word, n)] as left_words, '{}'::text[] as left_keys, '{}'::text[] as right_keys,
      array[substr(word, n + 1), regexp_replace(substr(word, n + 1), '^(delos|delas|dela|del|de|al|el|bin)(?=..)', '')] as right_words
    from generate_series(2, least(char_length(word), 40) - 2) n
    union all
    -- As it sounds; of a word without vowels only the consonants are looked up.
    select 100 * x.form::int + n, '{}', array[x.sign || left(x.sound, n)], array[x.sign || substr(x.sound, n + 1)], '{}'
    from (
      select f.form, case when f.sound ~ '[AEO]' then '=' else '' end as sign,
        case when f.sound ~ '[AEO]' then f.sound else private.sound_key(f.sound) end as sound
      from unnest(word_cuts.sounds[1:4]) with ordinality as f (sound, form)
    ) x
    cross join lateral generate_series(
      case x.sign when '=' then 3 else 2 end, least(char_length(x.sound), 40) - case x.sign when '=' then 3 else 2 end) n
    where by_sound
  ) c
  cross join lateral (values (1, c.left_words, c.left_keys), (2, c.right_words, c.right_keys)) as h (part, texts, sounds);
end
$function$;

alter function "private"."word_cuts"(text, text[], boolean) owner to "postgres";

create or replace function private.word_sounds (
  word text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  form text;
  forms text[] := array[word];
begin
  if word ~ '[\u0590-\u06ff]' then
    return private.arabic_sounds(word);
  end if;
  -- Particles that some spellings write with their word.
  if word ~ '^((al|el|ul|bin|ben|del|dela|delos|delas|dell|van|vander|vanden)...|d[ei][^aeiou][aeiou]..)' then
    forms := forms || regexp_replace(word, '^(delos|delas|dela|dell|del|vander|vanden|van|de|di|al|el|ul|bin|ben)(?=...)', '');
  end if;
  -- A Russian ё is written as yo or e.
  if word ~ '[^aeiouy]yo[^aeiouyn]' then
    forms := forms || replace(word, 'yo', 'e');
  end if;
  forms := forms || private.same_name_otherwise(word);
  if word ~ '^a([dnrstz])\1...' then
    forms := forms || substr(word, 3);
  end if;
  if word ~ '[aeiou][ld]d[iy]n' then
    forms := forms || regexp_replace(word, '[aeiou][ld](d[iy]n)', '\1');
  end if;
  if word ~ '^abd[aeou](l|r|s|z|d|n).' then
    forms := forms || regexp_replace(word, '^abd[aeou](l|r(?=r)|s(?=s)|z(?=z)|d(?=d)|n(?=n))?', 'abd');
  end if;

  -- A French e is not heard at the end.
  if word ~ '[aeiou][^aeiou]e$' and char_length(word) >= 6 then
    forms := forms || array(select left(f, -1) from unnest(forms) f);
  end if;
  -- All forms in one text, for each expression costs more than what it is applied to.
  form := array_to_string(forms, ' ');
  form := regexp_replace(form, 'stsch|shtch|shtsch|schtsch|chtch|shch|schch|tsch|tch|sch|sh|dsch|dzh|dj|zh|cz|\mhs', 'C', 'g');
  form := regexp_replace(replace(replace(form, 'kh', 'K'), 'ck', 'K'), 'qu(?=[ei])', 'K', 'g');
  form := regexp_replace(replace(form, 'gh', 'G'), 'gu(?=[ei])', 'G', 'g');
  form := regexp_replace(form, 'ng(?![aeiouy])|n[jy](?=[aeiou])', 'N', 'g');
  form := replace(regexp_replace(form, 't[sz]|dz|c(?=[eiy])', 'S', 'g'), 'ph', 'F');
  forms := string_to_array(form, ' ');
  forms := private.each_way(forms, 'ch', '{C,K}');
  forms := private.each_way(forms, 'th', '{T,S}');
  forms := private.each_way(forms, 'dh', '{D,S}');
  forms := private.each_way(forms, 'x', '{KS,C,K}');
  forms := private.each_way(forms, '^c', '{K,S}');
  forms := private.each_way(forms, 'q(?=i[ao])', '{C}');
  forms := private.each_way(forms, '^q', '{K,C}');
  forms := private.each_way(forms, 'g(?=[eiy])|^g(?=a)', '{G,C}');
  forms := private.each_way(forms, 'j(?=ua)', '{K}');
  forms := private.each_way(forms, 'j', '{C,K,i}');
  forms := private.each_way(forms, 'w', '{B,u}');
  forms := private.each_way(forms, 'h', '{"",K}');
  form := translate(array_to_string(forms[1:16], ' '), 'yptkbvfdgszlmnrcq', 'iPTKBBFDGSSLMNRKK');
  -- A vowel and what glides into it or away from it are one.
  form := regexp_replace(form, '(o(?=ua)|[iu])+(?=[aeou])', '', 'g');
  form := regexp_replace(form, '(au|ou|oo|eo(?![aeiou])|eu|o|u)[aeiou]?', 'O', 'g');
  form := regexp_replace(form, '(a[ei]|e|i)[aeiou]*', 'E', 'g');
  form := regexp_replace(replace(form, 'a', 'A'), '([^ ])\1+', '\1', 'g');
  return array(select distinct f from unnest(string_to_array(form, ' ')) f);
end
$function$;

alter function "private"."word_sounds"(text) owner to "postgres";

create or replace function private.word_spellings (
  words text[]
)
  returns table (
    first integer,
    last  integer,
    split integer,
    half  integer,
    word  text,
    score real
  )
  language plpgsql
  stable
  rows 50
  set search_path to ''
  AS $function$
#variable_conflict use_column
begin
  -- Spellings by letters share three tenths of their trigrams, but for some short ones, and these sound alike.
  perform set_config('pg_trgm.similarity_threshold', '0.3', true);
  return query
  with single as materialized (
    select n::int as n, w.word as text, o.word is not null as is_listed, s.sounds
    from unnest(words) with ordinality as w (word, n)
    left join public.sanctions_words o on o.word = w.word
    cross join lateral (select case when o.word is null then private.word_sounds(w.word) else o.sounds end as sounds offset 0) s
    where char_length(w.word) > 1
  ),
  unit as materialized (
    select u.*, private.wanted_keys(u.sounds) as keys
    from (
      select s.n as first, s.n as last, s.text, s.is_listed, s.sounds from single s
      union all
      -- "Guan Ming" may be listed as "Guanming".
      select a.n, b.n, a.text || b.text, false, array(select distinct x || y from unnest(a.sounds[1:3]) x, unnest(b.sounds[1:3]) y)
      from single a
      join single b on b.n = a.n + 1
    ) u
  ),
  near as (
    select u.first, u.last, s.word,
      greatest(l.score, case when l.score between 0.5 and 0.94 then 0.95 * private.sound_score(u.sounds, s.sounds) end) as score
    from unit u
    join public.sanctions_words s on s.word operator(extensions.%) u.text
    cross join lateral (select private.word_score(s.word, u.text) as score offset 0) l
    where u.first = u.last
    union all
    select u.first, u.last, s.word, case when s.sounds operator(pg_catalog.&&) u.sounds then 0.95 else 0.95 * private.sound_score(u.sounds, s.sounds) end
    from unit u
    join public.sanctions_words s on s.keys operator(pg_catalog.&&) u.keys
  ),
  cut as materialized (
    select u.first, c.*
    from unit u
    cross join lateral private.word_cuts(u.text, u.sounds, not u.is_listed) c
    where u.first = u.last and char_length(u.text) >= 6
  ),
  part as materialized (
    select c.first, c.split, c.half, s.word, 0.95 as score
    from cut c
    join public.sanctions_words s on s.word = any (c.words)
    where c.words <> '{}'
    union
    select c.first, c.split, c.half, s.word, 0.85
    from cut c
    join public.sanctions_words s on s.keys operator(pg_catalog.&&) c.keys
    where c.keys <> '{}'
  )
  select n.first, n.last, 0, 0, n.word, max(n.score)::real from near n
  -- Two words together are long enough to be like many a word: they must be much like it.
  where n.score >= case when n.first < n.last then 0.85 else private.word_threshold() end
  group by n.first, n.last, n.word
  union all
  select p.first, p.first, p.split, p.half, p.word, p.score::real from part p
  where exists (select from part o where o.first = p.first and o.split = p.split and o.half <> p.half);
end
$function$;

alter function "private"."word_spellings"(text[]) owner to "postgres";

alter table "public"."contacts"
  add constraint "email_is_short" check ((char_length(email) <= 500));

alter table "public"."contacts"
  add constraint "phone_is_short" check ((char_length(phone) <= 500));

alter table "public"."leads"
  add constraint "email_is_short" check ((char_length(email) <= 500));

alter table "public"."leads"
  add constraint "phone_is_short" check ((char_length(phone) <= 500));

create view "public"."possible_sanctions_matches" with (security_invoker=true) AS  SELECT a.name AS agency,
    l.full_name AS client,
    (entry.value ->> 'name'::text) AS listed_as,
    x.score,
    person.birth_date,
    person.country AS nationality,
    (entry.value -> 'birth_dates'::text) AS listed_birth_dates,
    (entry.value -> 'countries'::text) AS listed_countries,
    (entry.value ->> 'sanctions'::text) AS sanctions,
    jsonb_array_length(x.entries) AS candidates,
    g.name AS agent,
    x.resolution,
    x.resolution_by,
    (floor((EXTRACT(epoch FROM (now() - x.created_at)) / (86400)::numeric)))::integer AS days_waiting,
    x.created_at AS since,
    x.source,
    x.id AS screen_id,
    x.lead_id,
    x.agency_id
   FROM (((((public.sanctions_screens x
     JOIN public.agencies a ON ((a.id = x.agency_id)))
     JOIN public.leads l ON (((l.agency_id = x.agency_id) AND (l.id = x.lead_id))))
     CROSS JOIN LATERAL private.screened_person(x.*) person(name, birth_date, country))
     LEFT JOIN public.agents g ON (((g.agency_id = l.agency_id) AND (g.id = l.assigned_agent_id))))
     CROSS JOIN LATERAL ( SELECT (x.entries -> 0) AS value) entry)
  WHERE ((x.status = 'possible_match'::text) AND private.result_counts(x.*))
  ORDER BY (x.resolution IS NOT NULL), x.created_at;

alter view "public"."possible_sanctions_matches" owner to "postgres";

create index leads_by_email on public.leads
  using btree (agency_id, email_key, created_at desc, id desc);

create index request_buckets_by_end on public.request_buckets using btree (full_at);

create index sanctions_names_by_words on public.sanctions_names using gin (words);

create index sanctions_words_by_key on public.sanctions_words using gin (keys);

create trigger _050_normal_forms
  before insert or update of phone, email on public.contacts
  for each row
  when
    (((new.phone IS DISTINCT FROM private.normal_phone(new.phone)) OR (new.email IS DISTINCT FROM
    private.normal_email(new.email))))
  execute function private.tg__normal_forms();

create trigger _500_held
  after insert on public.gate_steps
  for each row
  execute function private.tg_gate_steps__held();

create trigger _050_normal_forms
  before insert or update of phone, email on public.leads
  for each row
  when
    (((new.phone IS DISTINCT FROM private.normal_phone(new.phone)) OR (new.email IS DISTINCT FROM
    private.normal_email(new.email))))
  execute function private.tg__normal_forms();

create trigger _100_name
  before insert on public.sanctions_screens
  for each row
  execute function private.tg_sanctions_screens__name();

create trigger _100_cap
  before insert on public.subscriptions
  for each row
  execute function private.tg_subscriptions__cap();

create trigger _040_took_place
  before insert or update of status, starts_at on public.viewings
  for each row
  when ((new.status = 'done'::text))
  execute function private.tg_viewings__took_place();

comment on column "public"."contacts"."email" is 'E-mail, trimmed and lower case, or as it came when it is no address; no two contacts of an agency share one.';

comment on column "public"."contacts"."phone" is 'Phone in E.164, for example +34600111222, or as it came when it could not be read.';

comment on column "public"."leads"."email" is 'E-mail as given with this lead: trimmed and lower case, or as it came when it is no address.';

comment on column "public"."leads"."email_key" is 'The e-mail in lower case, for the filter; follows from email.';

comment on column "public"."leads"."phone" is 'Phone as given with this lead: in E.164, or as it came when it could not be read.';

comment on column "public"."operations"."closed_at" is 'When it reached a closing stage; closed operations do not move, and stay as they were.';

comment on column "public"."operations"."property_id" is 'The property chosen. Setting it closes the step favoritaElegida. A deal may be closed without one, also successfully; it then stays without.';

comment on column "public"."request_buckets"."full_at" is 'When the bucket will be full again.';

comment on column "public"."request_buckets"."key" is 'link:<offer id>, link:unknown, address:<IPv4 address or IPv6 network> or key:<prefix>.';

comment on column "public"."sanctions_names"."name" is 'The name romanised, without case, accents and punctuation.';

comment on column "public"."sanctions_names"."words" is 'Its words without particles and titles.';

comment on column "public"."sanctions_screens"."birth_date" is 'The birth date that was compared, where one is known of a person of that name.';

comment on column "public"."sanctions_screens"."country" is 'The nationality that was compared, where one is known of a person of that name.';

comment on column "public"."sanctions_screens"."entries" is 'The entries that may be the person: [{id, name, score, …}], best first. One that an earlier screen of the lead gave, and that still stands, says by what: found_by, {source, name, birth_date, country}.';

comment on column "public"."sanctions_screens"."screened_name" is 'The name screened: the lead''s when the screen was started; null on screens from before it was kept.';

comment on column "public"."sanctions_words"."keys" is 'What these sounds are looked up by (private.sound_keys).';

comment on column "public"."sanctions_words"."sounds" is 'How it may sound (private.word_sounds).';

comment on column "public"."sanctions_words"."word" is 'The word, romanised, without case, accents and punctuation.';

comment on column "public"."subscriptions"."target_url" is 'Where the event is posted to: https, without user or password, on any port, since receivers on servers of one''s own often have a high one and addresses inside a network are refused on every port. Its address is judged by the functions, when subscribing and again before each delivery.';

comment on column "public"."viewings"."status" is 'scheduled, done, cancelled or no_show. done, from 15 minutes before the start on, closes propiedadesVisitadas of the operation.';

comment on function "admin"."merge_contacts"(uuid, uuid, text) is 'Merges the second contact into the first: its leads and their screens move, later leads that match it go to the first, and all of them are screened again where the two differ in what a screen goes by. Nothing is removed, so admin.unmerge_contacts can undo it with the id that this returns. Errors: not_found, conflict (one was merged already), same_contact.';

comment on function "admin"."resolve_sanctions_match"(uuid, text, text, text) is
  'Resolves a possible match after a person looked at it: cleared (somebody else) or confirmed (it is them), with the reason. Cleared entries are not shown again for a person of that name and contact until they change. Errors: not_found, invalid_value, resolution_reason_required, no_possible_match, screened_since.';

comment on function "admin"."unmerge_contacts"(uuid, text) is 'Undoes a merge: the leads that moved go back, those that came since stay, and they are screened again as at the merge; the pair is not suggested again. Returns how many leads went back. Errors: not_found, conflict (undone already, or the kept contact was merged since).';

comment on function "api"."count_stranger"(text, text) is 'Counts a request without a valid credential by its address, and by the prefix of the key that it named: {requests_per_minute, allowed, remaining, reset_seconds, retry_after_seconds}. For the service role: a caller who could name the address would close it to others.';

comment on function "api"."create_hook"(jsonb, text) is 'Subscribes {event_type, target_url}; the same pair again returns the id that exists. Permission: read of the event''s resource. Errors: unknown_event_type, too_many_hooks (20 for each event), idempotency_key_reused.';

comment on function "api"."create_lead"(jsonb, text) is 'A new lead with its side effects in one transaction: contact found or created, lead inserted, given to the agent who looks after the contact, else to the next in turn, operation opened (buy or rent, if named), sanctions screen started, mail stored for qualification. The background part is asked to start at once. Phone in E.164 where it could be read, else as it came; the same for the e-mail. The answer says whether the contact was known and, to who may read operations, which are open. Permission leads:write. Errors: operation_type_not_allowed, idempotency_key_reused.';

comment on function "api"."create_viewing"(jsonb, text) is 'Arranges a viewing {lead_id, property_id, starts_at, ends_at? or duration_minutes? (45), operation_id?, agent_id? (the lead''s), notes?}; times without offset are in the agency''s zone, and the start is at most an hour ago. Permission viewings:write. Errors: unknown_reference, operation_closed, invalid_time, conflict (agent or property booked, with viewing_id), idempotency_key_reused.';

comment on function "api"."mcp_agenda"(text, text, uuid, boolean, integer) is
  'The viewings of a period, earliest first, without the cancelled ones; dates and times in the agency''s zone. By default today and the six days after. Names only with leads:read, titles and addresses only with properties:read; missing_permissions says which are not there. Permission viewings:read. Errors: invalid_time, agent_required.';

comment on function "api"."mcp_case_file"(uuid) is 'The whole case file of a lead: operations with stage and pending steps, property, viewings, offers, documents, signatures, latest messages, sanctions state and one suggested next action. Lists are bounded and say when they were cut; one that the caller may not read is null, and missing_permissions says why. Permission leads:read. Errors: not_found.';

comment on function "api"."mcp_my_day"(integer) is 'The day plan of the caller: what waits to be done in the agency, the caller''s own turn first, the most overdue first; times in the agency''s zone. Tasks about leads and viewings, and names, only with their permissions; missing_permissions says which are not there. The totals are exact up to 500 tasks of a kind, beyond that they say how many were looked at. Permission operations:read.';

comment on function "api"."mcp_search"(text, integer) is 'Clients and properties that a text means, the likeliest first: by name, phone in any spelling, e-mail, address or reference; blind to accents and lenient with typing errors. Properties only with properties:read, open operations only with operations:read; missing_permissions says which are not there. Permission leads:read.';

comment on function "api"."update_lead"(uuid, jsonb) is 'Changes the members that the patch has; null clears one. Phone in E.164 where it could be read, else as it came; the same for the e-mail. Permission leads:write. Errors: not_found, unknown_reference, nothing_to_change.';

comment on function "api"."update_viewing"(uuid, jsonb) is 'Moves a scheduled viewing {starts_at, ends_at or duration_minutes (else it keeps its length), agent_id}, says what became of it {status: done, cancelled, no_show} or notes something. done, which can be said from 15 minutes before the start on, closes propiedadesVisitadas. Permission viewings:write. Errors: not_found, nothing_to_change, invalid_transition, invalid_time, unknown_reference, conflict.';

comment on function "private"."agent_of_contact"(uuid) is 'The agent who looks after a person: whoever has their newest lead that is not archived, among those who take leads. Null when there is none.';

comment on function "private"."arabic_sounds"(text) is 'The sounds of a word of Arabic or Hebrew letters: its consonants.';

comment on function "private"."as_sent"(text) is 'A phone or e-mail that could not be read, as it came: null when it is blank, cut with an ellipsis after 499 characters when it is longer than 500.';

comment on function "private"."asked_with"(public.sanctions_screens) is 'What a resolved screen asked, and whom: {source, name, birth_date, country}.';

comment on function "private"."case_file"(uuid) is 'The case file of a lead of the caller''s agency, or null; api.mcp_case_file tells more.';

comment on function "private"."clean_up"() is 'Removes what is no longer of use: expired idempotency keys, idle request buckets, deliveries and drain runs older than 90 days, the job log after 7 days. Run each night by pg_cron.';

comment on function "private"."cleared_entries"(uuid, uuid, text) is 'The entries that a person of the agency said are somebody else than the contact under that name, [{id, listed_at, cleared_at}]: the entry as the list had it then.';

comment on function "private"."client_summary"(private.principal, uuid) is 'A person with their leads and, for who may read them, open operations, as searches show them.';

comment on function "private"."count_stranger"(text, text) is 'Counts a request that showed no valid credential against its address, and against the key that it named by its prefix. Returns the budget that is nearer to its end.';

comment on function "private"."each_way"(text[], text, text[]) is 'The forms of a word with some letters read in each of several ways.';

comment on function "private"."find_or_create_contact"(uuid, text, text, text) is
  'The contact of a new lead: found by e-mail, else by phone where the name fits, else created; and whether it was known before. Takes phone and e-mail in their normal forms; only what could be read finds a contact. A contact that was merged stands for the one it was merged into. Gives a contact whose name fits the e-mail or phone it has not, or has unreadably. Exact under concurrency.';

comment on function "private"."identities_differ"(public.contacts, public.contacts) is
  'Whether a lead may screen otherwise under one contact than under the other: by name, birth date, nationality or what a person cleared.';

comment on function "private"."is_e164"(text) is 'Whether a phone is in E.164, for example +34600111222, and may exist.';

comment on function "private"."is_email"(text) is 'Whether a text is an e-mail address in its normal form: in lower case, with nothing around it.';

comment on function "private"."known_stages"(text, boolean) is 'For the details of invalid_stage: {"stages": the names of a type''s stages in their order, or of all flows''}.';

comment on function "private"."list_sanctions_names"(text[]) is 'Writes the names of these entries, or of all, with the words to find them by. They are in the temporary table sanctions_changed_names then.';

comment on function "private"."list_sanctions_names_again"() is 'Writes the names of a list that is there as they are compared now. For a migration that changes how.';

comment on function "private"."missing_permissions"(private.principal, text[]) is
  'Those of some permissions that a caller does not have. An answer that is composed of several resources leaves out what they open, and says so with them.';

comment on function "private"."name_words"(text) is 'The words of a name as screening compares them: romanised, without case, accents, apostrophes, Arabic vowel marks and doubled spellings of a letter; joined words with a capital inside are split.';

comment on function "private"."next_action"(public.leads, private.principal) is
  'The one thing to do next for a lead, as private.task_json shows it. Where nothing waits, why says so: archived, viewing_arranged, unqualified, no_open_operation, or operations_hidden from a caller without operations:read.';

comment on function "private"."next_agent"() is 'Whose turn it is in the caller''s agency: the agent who takes leads and waited longest. Null when there is none. Nobody else is told before the transaction ends.';

comment on function "private"."normal_email"(text) is 'An e-mail address as it is stored: trimmed and in lower case when it is one, without the name or "mailto:" around it, else as it came.';

comment on function "private"."normal_phone"(text) is 'A phone as it is stored: in E.164 when it says its country and nothing else, else as it came. National numbers are read before, in functions/_shared/phone.ts.';

comment on function "private"."open_operations"(uuid) is 'The open operations of a person, newest first, as the answer to a new lead shows them; null for who may not read operations.';

comment on function "private"."open_tasks"(uuid, text[], uuid[]) is 'What waits to be done for some leads of an agency, as far as the permissions show it: unanswered messages, new leads and possible sanctions matches (leads:read), viewings (viewings:read), and what holds each open operation in its stage (operations:read).';

comment on function "private"."operation_summary"(public.operations, private.principal) is
  'An operation as a case file shows it: where it stands, what is pending, and its property for who may read it.';

comment on function "private"."person_score"(real, date, text, text[], text[]) is
  'The score of a name, lowered when birth year or country are known on both sides and differ, the year by more than one.';

comment on function "private"."refuse_past"(timestamp with time zone) is 'Refuses to arrange a viewing for more than an hour ago (invalid_time). What became of an earlier one is recorded in Studio.';

comment on function "private"."refuse_taken_property"(public.offers) is 'One property is promised once: refuses to accept an offer on a property that is sold, rented or withdrawn (property_not_available), or that another deal of the same side has an accepted offer on (offer_already_accepted).';

comment on function "private"."resolve_screen"(public.sanctions_screens, text, jsonb) is
  'Writes the result of a screen: possible_match with the entries that reach the threshold (a service has judged its own already) and those that an earlier screen of the lead found and that still stand, else clear. What a person confirmed stays confirmed when nothing else is found.';

comment on function "private"."result_counts"(public.sanctions_screens) is 'Whether no later screen of the lead has a result. A screen that waits or failed has none, so a match stands meanwhile.';

comment on function "private"."role_permissions"(text) is 'What an agent''s role allows: owners, managers and agents read and write, viewers read, any other role nothing.';

comment on function "private"."romanised"(text) is 'A lower-case name of Greek, Cyrillic, Georgian or Armenian letters in Latin ones. Arabic and Hebrew stay, since they leave out what a Latin spelling would need.';

comment on function "private"."same_name"(text, text) is 'Whether two names are the same words, in whatever order. Only then what is known of one person counts for a lead of the other name.';

comment on function "private"."same_name_otherwise"(text) is 'Another spelling of a frequent name, as an array of one or none.';

comment on function "private"."sanctions_status"(uuid, uuid) is 'The sanctions status of a lead: a match that nobody cleared stands, whatever is screened since; else that of the latest screen.';

comment on function
  "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
  integer[], text[], real[]) is 'How much listed names may be that of some words, 0 to 1, by the spellings of private.word_spellings: all words of one of the two must have a counterpart in the other, in whatever order, or be its initial.';

comment on function "private"."screen_contacts_again"(uuid, uuid[]) is 'Starts a screen for each lead of these contacts that is not archived, because what is known of the person changed.';

comment on function "private"."screen_entries"(text, date, text, jsonb) is 'The 20 entries that come nearest to a person, best first, without those that were cleared, [{id, listed_at, cleared_at}], and have not changed since.';

comment on function "private"."screened_person"(public.sanctions_screens) is
  'Whom a screen is about: the name, with birth date and nationality of the contact where that has the same name.';

comment on function "private"."show_budget"(private.budget) is 'Shows a budget in the RateLimit headers, and leaves it for private.raise_error, so that refusals show it too.';

comment on function "private"."sound_key"(text) is 'What is left of a sound, or of several with blanks between, when only kinds of consonants count.';

comment on function "private"."sound_keys"(text[]) is 'What a listed word is found by: the consonants of each sound, of a short one its vowels too, of one without vowels its consonants with a # before; and each sound itself with a = before.';

comment on function "private"."sound_score"(text[], text[]) is 'How much two words sound alike, 0 to 1, by the two of their sounds that come nearest.';

comment on function "private"."spend"(bigint, bigint, integer) is 'Takes one request from a bucket that will be full at a time given in microseconds, null if it never was used. It holds as many requests as may be made a minute, and refills continuously.';

comment on function "private"."standing_match"(uuid, uuid) is 'The possible or confirmed match of a lead that counts now, or null.';

comment on function "private"."start_screens_again"() is 'Starts a screen again for each lead that a load may change: two words of its name (or its only one, or one that is two, or two that are one) are spelled or sound like words of names that were added or changed, or its match named an entry that was changed or removed. Reads the temporary tables of private.swap_sanctions_list.';

comment on function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) is 'Whether an entry that an earlier screen found stays a possible match although the present one did not find it: the list still has it for the name it was found by, and nobody cleared it under that name.';

comment on function "private"."take_from_bucket"(text, integer) is 'Takes one request from a bucket that is named, and makes the bucket when there is none.';

comment on function "private"."takes_leads"(public.agents) is 'Whether a new lead may be given to an agent: one who is active, accepts leads and may change them. Who only reads could do nothing for it.';

comment on function "private"."task_json"(private.task, private.principal) is
  'A task as the caller may see it, with whose turn it is seen from the caller''s agent. What is said about it is the connector''s.';

comment on function "private"."telling_words"(text[]) is 'The words of a name without titles and particles, each once; all of them when fewer than two would be left.';

comment on function "private"."tg__normal_forms"() is 'Stores phone and e-mail in their normal forms, whoever writes them.';

comment on function "private"."tg_contacts__screen_again"() is 'A birth date or nationality that becomes known or changes may make another person of a contact, so their leads are screened again.';

comment on function "private"."tg_gate_steps__held"() is 'A step that is added to a gate holds the open operations too; each gets a row to tick.';

comment on function "private"."tg_offers__date_acceptance"() is 'Dates the first acceptance, and keeps the accepted offer of a closed operation. Refuses with operation_closed, offer_already_accepted, property_not_available, change_refused.';

comment on function "private"."tg_operations__keep_identity"() is 'An operation keeps its lead, type and flow, and its closing dates follow from its stage (change_refused). Of a closed one only the date of its deposit may be set or corrected, but not removed, and the reason of a lost one corrected (operation_closed). Notes when the row last changed.';

comment on function "private"."tg_sanctions_screens__name"() is 'A screen keeps the name that it is to screen.';

comment on function "private"."tg_sanctions_screens__resolution"() is 'A person resolves a possible match, here or in Studio: with a reason, noted with author and time. Refuses with resolution_reason_required, no_possible_match, screened_since, resolution_stays.';

comment on function "private"."tg_subscriptions__cap"() is 'An agency has at most 20 hooks for an event (too_many_hooks): each is a request that every such event makes.';

comment on function "private"."tg_viewings__took_place"() is 'A viewing is marked done from 15 minutes before its start on, and no earlier (invalid_transition).';

comment on function "private"."viewing_summary"(public.viewings, private.principal) is
  'A viewing with who (for readers of leads), where (for readers of properties) and with whom, as agendas show it; times in the zone that the caller set.';

comment on function "private"."wanted_keys"(text[]) is 'By which of private.sound_keys the listed words are found that may sound like a word.';

comment on function "private"."word_cuts"(text, text[], boolean) is 'The ways to take a word for two, each with its halves 1 and 2 as they are looked up: by words or by keys of private.sound_keys. Splits from 100 on are by sound.';

comment on function "private"."word_sounds"(text) is 'The sounds that a word of private.name_words may have, read as different languages spell.';

comment on function "private"."word_spellings"(text[]) is 'The words of the sanctions list that may be spellings of these, with a score: of one (from first to last the same), of two written as one, or (split from 1 on) of the halves 1 and 2 of one.';

comment on table "public"."request_buckets" is 'Request buckets of those who have no credential: offers'' public links, addresses and the prefixes of keys that were refused. They may be lost: then all are full again. Idle ones are removed each night, and with them the addresses.';

comment on table "public"."sanctions_names" is 'Each name of each entry as names are compared (private.name_words). Kept by the load.';

comment on type "private"."budget" is 'What one request made of a bucket: whether it may pass, when the bucket will be full again, and what the caller is told.';

comment on view "public"."possible_sanctions_matches" is 'People who may be on a sanctions list, by the last result of each lead; those that nobody has decided about first. Decide with select admin.resolve_sanctions_match(screen_id, ''cleared'' or ''confirmed'', reason).';

revoke all on function "api"."count_stranger"(text, text) from public;

revoke all on function "api"."count_stranger"(text, text) from "postgres";

grant execute on function "api"."count_stranger"(text, text) to "postgres";

grant execute on function "api"."count_stranger"(text, text) to "service_role";

revoke all on function "private"."agent_of_contact"(uuid) from public;

grant execute on function "private"."agent_of_contact"(uuid) to "anon", "authenticated";

revoke all on function "private"."agent_of_contact"(uuid) from "postgres";

grant execute on function "private"."agent_of_contact"(uuid) to "postgres";

revoke all on function "private"."arabic_sounds"(text) from public;

revoke all on function "private"."arabic_sounds"(text) from "postgres";

grant execute on function "private"."arabic_sounds"(text) to "postgres";

revoke all on function "private"."as_sent"(text) from public;

grant execute on function "private"."as_sent"(text) to "anon", "authenticated";

revoke all on function "private"."as_sent"(text) from "postgres";

grant execute on function "private"."as_sent"(text) to "postgres";

revoke all on function "private"."asked_with"(public.sanctions_screens) from public;

revoke all on function "private"."asked_with"(public.sanctions_screens) from "postgres";

grant execute on function "private"."asked_with"(public.sanctions_screens) to "postgres";

revoke all on function "private"."case_file"(uuid) from public;

grant execute on function "private"."case_file"(uuid) to "anon", "authenticated";

revoke all on function "private"."case_file"(uuid) from "postgres";

grant execute on function "private"."case_file"(uuid) to "postgres";

revoke all on function "private"."cleared_entries"(uuid, uuid, text) from public;

revoke all on function "private"."cleared_entries"(uuid, uuid, text) from "postgres";

grant execute on function "private"."cleared_entries"(uuid, uuid, text) to "postgres";

revoke all on function "private"."client_summary"(private.principal, uuid) from public;

grant execute
  on function "private"."client_summary"(private.principal, uuid)
  to "anon", "authenticated";

revoke all on function "private"."client_summary"(private.principal, uuid) from "postgres";

grant execute on function "private"."client_summary"(private.principal, uuid) to "postgres";

revoke all on function "private"."count_stranger"(text, text) from public;

revoke all on function "private"."count_stranger"(text, text) from "postgres";

grant execute on function "private"."count_stranger"(text, text) to "postgres";

grant execute on function "private"."count_stranger"(text, text) to "service_role";

revoke all on function "private"."each_way"(text[], text, text[]) from public;

revoke all on function "private"."each_way"(text[], text, text[]) from "postgres";

grant execute on function "private"."each_way"(text[], text, text[]) to "postgres";

revoke all on function "private"."find_or_create_contact"(uuid, text, text, text) from public;

grant execute
  on function "private"."find_or_create_contact"(uuid, text, text, text)
  to "anon", "authenticated";

revoke all on function "private"."find_or_create_contact"(uuid, text, text, text) from "postgres";

grant execute on function "private"."find_or_create_contact"(uuid, text, text, text) to "postgres";

revoke all on function "private"."identities_differ"(public.contacts, public.contacts) from public;

revoke all
  on function "private"."identities_differ"(public.contacts, public.contacts)
  from "postgres";

grant execute
  on function "private"."identities_differ"(public.contacts, public.contacts)
  to "postgres";

revoke all on function "private"."is_e164"(text) from public;

grant execute on function "private"."is_e164"(text) to "anon", "authenticated";

revoke all on function "private"."is_e164"(text) from "postgres";

grant execute on function "private"."is_e164"(text) to "postgres";

revoke all on function "private"."is_email"(text) from public;

grant execute on function "private"."is_email"(text) to "anon", "authenticated";

revoke all on function "private"."is_email"(text) from "postgres";

grant execute on function "private"."is_email"(text) to "postgres";

revoke all on function "private"."known_stages"(text, boolean) from public;

grant execute on function "private"."known_stages"(text, boolean) to "anon", "authenticated";

revoke all on function "private"."known_stages"(text, boolean) from "postgres";

grant execute on function "private"."known_stages"(text, boolean) to "postgres";

revoke all on function "private"."list_sanctions_names"(text[]) from public;

revoke all on function "private"."list_sanctions_names"(text[]) from "postgres";

grant execute on function "private"."list_sanctions_names"(text[]) to "postgres";

revoke all on function "private"."list_sanctions_names_again"() from public;

revoke all on function "private"."list_sanctions_names_again"() from "postgres";

grant execute on function "private"."list_sanctions_names_again"() to "postgres";

revoke all on function "private"."missing_permissions"(private.principal, text[]) from public;

grant execute
  on function "private"."missing_permissions"(private.principal, text[])
  to "anon", "authenticated";

revoke all on function "private"."missing_permissions"(private.principal, text[]) from "postgres";

grant execute on function "private"."missing_permissions"(private.principal, text[]) to "postgres";

revoke all on function "private"."name_words"(text) from public;

revoke all on function "private"."name_words"(text) from "postgres";

grant execute on function "private"."name_words"(text) to "postgres";

revoke all on function "private"."next_action"(public.leads, private.principal) from public;

revoke all on function "private"."next_action"(public.leads, private.principal) from "postgres";

grant execute on function "private"."next_action"(public.leads, private.principal) to "postgres";

revoke all on function "private"."normal_email"(text) from public;

grant execute on function "private"."normal_email"(text) to "anon", "authenticated";

revoke all on function "private"."normal_email"(text) from "postgres";

grant execute on function "private"."normal_email"(text) to "postgres";

revoke all on function "private"."normal_phone"(text) from public;

grant execute on function "private"."normal_phone"(text) to "anon", "authenticated";

revoke all on function "private"."normal_phone"(text) from "postgres";

grant execute on function "private"."normal_phone"(text) to "postgres";

revoke all on function "private"."open_operations"(uuid) from public;

grant execute on function "private"."open_operations"(uuid) to "anon", "authenticated";

revoke all on function "private"."open_operations"(uuid) from "postgres";

grant execute on function "private"."open_operations"(uuid) to "postgres";

revoke all on function "private"."open_tasks"(uuid, text[], uuid[]) from public;

grant execute on function "private"."open_tasks"(uuid, text[], uuid[]) to "anon", "authenticated";

revoke all on function "private"."open_tasks"(uuid, text[], uuid[]) from "postgres";

grant execute on function "private"."open_tasks"(uuid, text[], uuid[]) to "postgres";

revoke all
  on function "private"."operation_summary"(public.operations, private.principal)
  from public;

revoke all
  on function "private"."operation_summary"(public.operations, private.principal)
  from "postgres";

grant execute
  on function "private"."operation_summary"(public.operations, private.principal)
  to "postgres";

revoke all on function "private"."refuse_past"(timestamp with time zone) from public;

grant execute
  on function "private"."refuse_past"(timestamp with time zone)
  to "anon", "authenticated";

revoke all on function "private"."refuse_past"(timestamp with time zone) from "postgres";

grant execute on function "private"."refuse_past"(timestamp with time zone) to "postgres";

revoke all on function "private"."refuse_taken_property"(public.offers) from public;

revoke all on function "private"."refuse_taken_property"(public.offers) from "postgres";

grant execute on function "private"."refuse_taken_property"(public.offers) to "postgres";

revoke all on function "private"."result_counts"(public.sanctions_screens) from public;

grant execute
  on function "private"."result_counts"(public.sanctions_screens)
  to "anon", "authenticated";

revoke all on function "private"."result_counts"(public.sanctions_screens) from "postgres";

grant execute on function "private"."result_counts"(public.sanctions_screens) to "postgres";

revoke all on function "private"."romanised"(text) from public;

revoke all on function "private"."romanised"(text) from "postgres";

grant execute on function "private"."romanised"(text) to "postgres";

revoke all on function "private"."same_name"(text, text) from public;

grant execute on function "private"."same_name"(text, text) to "anon", "authenticated";

revoke all on function "private"."same_name"(text, text) from "postgres";

grant execute on function "private"."same_name"(text, text) to "postgres";

revoke all on function "private"."same_name_otherwise"(text) from public;

revoke all on function "private"."same_name_otherwise"(text) from "postgres";

grant execute on function "private"."same_name_otherwise"(text) to "postgres";

revoke all on function "private"."sanctions_status"(uuid, uuid) from public;

grant execute on function "private"."sanctions_status"(uuid, uuid) to "anon", "authenticated";

revoke all on function "private"."sanctions_status"(uuid, uuid) from "postgres";

grant execute on function "private"."sanctions_status"(uuid, uuid) to "postgres";

revoke all
  on function
    "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
    integer[], text[], real[])
  from public;

revoke all
  on function
    "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
    integer[], text[], real[])
  from "postgres";

grant execute
  on function
    "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
    integer[], text[], real[])
  to "postgres";

revoke all on function "private"."screen_contacts_again"(uuid, uuid[]) from public;

revoke all on function "private"."screen_contacts_again"(uuid, uuid[]) from "postgres";

grant execute on function "private"."screen_contacts_again"(uuid, uuid[]) to "postgres";

revoke all on function "private"."screened_person"(public.sanctions_screens) from public;

grant execute
  on function "private"."screened_person"(public.sanctions_screens)
  to "anon", "authenticated";

revoke all on function "private"."screened_person"(public.sanctions_screens) from "postgres";

grant execute on function "private"."screened_person"(public.sanctions_screens) to "postgres";

revoke all on function "private"."show_budget"(private.budget) from public;

revoke all on function "private"."show_budget"(private.budget) from "postgres";

grant execute on function "private"."show_budget"(private.budget) to "postgres";

revoke all on function "private"."sound_key"(text) from public;

revoke all on function "private"."sound_key"(text) from "postgres";

grant execute on function "private"."sound_key"(text) to "postgres";

revoke all on function "private"."sound_keys"(text[]) from public;

revoke all on function "private"."sound_keys"(text[]) from "postgres";

grant execute on function "private"."sound_keys"(text[]) to "postgres";

revoke all on function "private"."sound_score"(text[], text[]) from public;

revoke all on function "private"."sound_score"(text[], text[]) from "postgres";

grant execute on function "private"."sound_score"(text[], text[]) to "postgres";

revoke all on function "private"."spend"(bigint, bigint, integer) from public;

revoke all on function "private"."spend"(bigint, bigint, integer) from "postgres";

grant execute on function "private"."spend"(bigint, bigint, integer) to "postgres";

revoke all on function "private"."standing_match"(uuid, uuid) from public;

revoke all on function "private"."standing_match"(uuid, uuid) from "postgres";

grant execute on function "private"."standing_match"(uuid, uuid) to "postgres";

revoke all on function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) from public;

revoke all on function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) from "postgres";

grant execute on function "private"."still_found"(jsonb, jsonb, jsonb, jsonb) to "postgres";

revoke all on function "private"."take_from_bucket"(text, integer) from public;

revoke all on function "private"."take_from_bucket"(text, integer) from "postgres";

grant execute on function "private"."take_from_bucket"(text, integer) to "postgres";

revoke all on function "private"."takes_leads"(public.agents) from public;

revoke all on function "private"."takes_leads"(public.agents) from "postgres";

grant execute on function "private"."takes_leads"(public.agents) to "postgres";

revoke all on function "private"."task_json"(private.task, private.principal) from public;

grant execute
  on function "private"."task_json"(private.task, private.principal)
  to "anon", "authenticated";

revoke all on function "private"."task_json"(private.task, private.principal) from "postgres";

grant execute on function "private"."task_json"(private.task, private.principal) to "postgres";

revoke all on function "private"."telling_words"(text[]) from public;

revoke all on function "private"."telling_words"(text[]) from "postgres";

grant execute on function "private"."telling_words"(text[]) to "postgres";

revoke all on function "private"."tg__normal_forms"() from public;

revoke all on function "private"."tg__normal_forms"() from "postgres";

grant execute on function "private"."tg__normal_forms"() to "postgres";

revoke all on function "private"."tg_gate_steps__held"() from public;

revoke all on function "private"."tg_gate_steps__held"() from "postgres";

grant execute on function "private"."tg_gate_steps__held"() to "postgres";

revoke all on function "private"."tg_sanctions_screens__name"() from public;

revoke all on function "private"."tg_sanctions_screens__name"() from "postgres";

grant execute on function "private"."tg_sanctions_screens__name"() to "postgres";

revoke all on function "private"."tg_subscriptions__cap"() from public;

revoke all on function "private"."tg_subscriptions__cap"() from "postgres";

grant execute on function "private"."tg_subscriptions__cap"() to "postgres";

revoke all on function "private"."tg_viewings__took_place"() from public;

revoke all on function "private"."tg_viewings__took_place"() from "postgres";

grant execute on function "private"."tg_viewings__took_place"() to "postgres";

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

revoke all on function "private"."wanted_keys"(text[]) from public;

revoke all on function "private"."wanted_keys"(text[]) from "postgres";

grant execute on function "private"."wanted_keys"(text[]) to "postgres";

revoke all on function "private"."word_cuts"(text, text[], boolean) from public;

revoke all on function "private"."word_cuts"(text, text[], boolean) from "postgres";

grant execute on function "private"."word_cuts"(text, text[], boolean) to "postgres";

revoke all on function "private"."word_sounds"(text) from public;

revoke all on function "private"."word_sounds"(text) from "postgres";

grant execute on function "private"."word_sounds"(text) to "postgres";

revoke all on function "private"."word_spellings"(text[]) from public;

revoke all on function "private"."word_spellings"(text[]) from "postgres";

grant execute on function "private"."word_spellings"(text[]) to "postgres";

alter table "public"."contacts"
  add column "phone_e164" text generated always as (
CASE
    when private.is_e164(phone) THEN phone
    ELSE null::text
end) stored;

comment on column "public"."contacts"."phone_e164" is 'The phone where it could be read, else null; by it a new lead finds its contact.';

alter table "public"."contacts"
  add column "email_is_valid" boolean generated always as (private.is_email(email)) stored;

comment on column "public"."contacts"."email_is_valid" is 'Whether the e-mail is an address; only then does a new lead find its contact by it.';

alter table "public"."leads"
  add column "phone_e164" text generated always as (
CASE
    when private.is_e164(phone) THEN phone
    ELSE null::text
end) stored;

comment on column "public"."leads"."phone_e164" is 'The phone where it could be read, else null.';

alter table "public"."leads"
  add column "email_is_valid" boolean generated always as (private.is_email(email)) stored;

comment on column "public"."leads"."email_is_valid" is 'Whether the e-mail is an address; null without one.';

create unique index contact_email_is_unique_in_agency on public.contacts
  using btree (agency_id, email)
  where email_is_valid;

create index contacts_by_phone_end on public.contacts
  using btree (agency_id, reverse(phone_e164) text_pattern_ops)
  where (phone_e164 is not null);

create index contacts_by_phone on public.contacts using btree (agency_id, phone_e164, created_at)
  where (phone_e164 is not null);

create index leads_by_phone_end on public.leads
  using btree (agency_id, reverse(phone_e164) text_pattern_ops)
  where (phone_e164 is not null);

comment on column public.possible_sanctions_matches.agent is 'The agent who looks after the lead.';

comment on column public.possible_sanctions_matches.score is 'How much the person resembles that entry, 0 to 1.';

comment on column public.possible_sanctions_matches.since is 'When the person was screened.';

comment on column public.possible_sanctions_matches.agency is 'The agency.';

comment on column public.possible_sanctions_matches.client is 'The person as the lead names them now.';

comment on column public.possible_sanctions_matches.source is 'What they were screened against: list, or the host of a match service.';

comment on column public.possible_sanctions_matches.lead_id is 'The lead, as in leads.id.';

comment on column public.possible_sanctions_matches.agency_id is 'The agency, as in agencies.id.';

comment on column public.possible_sanctions_matches.listed_as is 'The listed name of the entry most like the person.';

comment on column public.possible_sanctions_matches.sanctions is 'The programmes and lists that name the entry.';

comment on column public.possible_sanctions_matches.screen_id is 'The screen, as in sanctions_screens.id; admin.resolve_sanctions_match takes it.';

comment on column public.possible_sanctions_matches.birth_date is 'The person''s birth date, where the agency knows it of somebody of that name.';

comment on column public.possible_sanctions_matches.candidates is 'How many entries may be the person; all are in sanctions_screens.entries.';

comment on column public.possible_sanctions_matches.resolution is 'Null until somebody decides; confirmed when it is them. Cleared ones are no longer listed.';

comment on column public.possible_sanctions_matches.nationality is 'The person''s nationality, where the agency knows it of somebody of that name.';

comment on column public.possible_sanctions_matches.days_waiting is 'For how many whole days the match has been known.';

comment on column public.possible_sanctions_matches.resolution_by is 'Who confirmed it.';

comment on column public.possible_sanctions_matches.listed_countries is 'Countries the entry belongs to.';

comment on column public.possible_sanctions_matches.listed_birth_dates is 'The entry''s birth dates: a year, a month or a day each.';

-- A list that is there is compared by words and sounds from now on.
select private.list_sanctions_names_again();

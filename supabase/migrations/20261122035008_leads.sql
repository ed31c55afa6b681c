set local check_function_bodies = off;

drop index "public"."contacts_by_phone_end";

drop index "public"."contacts_by_phone";

drop index "public"."leads_by_email";

drop index "public"."leads_by_phone_end";

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

drop function "private"."find_or_create_contact"(uuid, text, text, text);

alter table "public"."leads"
  add column "email_key" text generated always as (lower(email)) stored;

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
    'sanctions_status', (
      select s.status from public.sanctions_screens s
      where s.agency_id = lead.agency_id and s.lead_id = lead.id
      order by s.created_at desc limit 1),
    'archived_at', lead.archived_at,
    'archive_reason', lead.archive_reason,
    'created_at', lead.created_at,
    'updated_at', lead.updated_at
  );
end
$function$;

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

alter table "public"."contacts"
  add constraint "email_is_short" check ((char_length(email) <= 500));

alter table "public"."contacts"
  add constraint "phone_is_short" check ((char_length(phone) <= 500));

alter table "public"."leads"
  add constraint "email_is_short" check ((char_length(email) <= 500));

alter table "public"."leads"
  add constraint "phone_is_short" check ((char_length(phone) <= 500));

create index leads_by_email on public.leads
  using btree (agency_id, email_key, created_at desc, id desc);

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

comment on column "public"."viewings"."status" is 'scheduled, done, cancelled or no_show. done, from 15 minutes before the start on, closes propiedadesVisitadas of the operation.';

comment on function "api"."create_lead"(jsonb, text) is 'A new lead with its side effects in one transaction: contact found or created, lead inserted, given to the agent who looks after the contact, else to the next in turn, operation opened (buy or rent, if named), sanctions screen started, mail stored for qualification. The background part is asked to start at once. Phone in E.164 where it could be read, else as it came; the same for the e-mail. The answer says whether the contact was known and, to who may read operations, which are open. Permission leads:write. Errors: operation_type_not_allowed, idempotency_key_reused.';

comment on function "api"."update_lead"(uuid, jsonb) is 'Changes the members that the patch has; null clears one. Phone in E.164 where it could be read, else as it came; the same for the e-mail. Permission leads:write. Errors: not_found, unknown_reference, nothing_to_change.';

comment on function "api"."update_viewing"(uuid, jsonb) is 'Moves a scheduled viewing {starts_at, ends_at or duration_minutes (else it keeps its length), agent_id}, says what became of it {status: done, cancelled, no_show} or notes something. done, which can be said from 15 minutes before the start on, closes propiedadesVisitadas. Permission viewings:write. Errors: not_found, nothing_to_change, invalid_transition, invalid_time, unknown_reference, conflict.';

comment on function "private"."agent_of_contact"(uuid) is 'The agent who looks after a person: whoever has their newest lead that is not archived, among those who take leads. Null when there is none.';

comment on function "private"."as_sent"(text) is 'A phone or e-mail that could not be read, as it came: null when it is blank, cut with an ellipsis after 499 characters when it is longer than 500.';

comment on function "private"."find_or_create_contact"(uuid, text, text, text) is
  'The contact of a new lead: found by e-mail, else by phone where the name fits, else created; and whether it was known before. Takes phone and e-mail in their normal forms; only what could be read finds a contact. A contact that was merged stands for the one it was merged into. Gives a contact whose name fits the e-mail or phone it has not, or has unreadably. Exact under concurrency.';

comment on function "private"."is_e164"(text) is 'Whether a phone is in E.164, for example +34600111222, and may exist.';

comment on function "private"."is_email"(text) is 'Whether a text is an e-mail address in its normal form: in lower case, with nothing around it.';

comment on function "private"."known_stages"(text, boolean) is 'For the details of invalid_stage: {"stages": the names of a type''s stages in their order, or of all flows''}.';

comment on function "private"."next_agent"() is 'Whose turn it is in the caller''s agency: the agent who takes leads and waited longest. Null when there is none. Nobody else is told before the transaction ends.';

comment on function "private"."normal_email"(text) is 'An e-mail address as it is stored: trimmed and in lower case when it is one, without the name or "mailto:" around it, else as it came.';

comment on function "private"."normal_phone"(text) is 'A phone as it is stored: in E.164 when it says its country and nothing else, else as it came. National numbers are read before, in functions/_shared/phone.ts.';

comment on function "private"."open_operations"(uuid) is 'The open operations of a person, newest first, as the answer to a new lead shows them; null for who may not read operations.';

comment on function "private"."refuse_taken_property"(public.offers) is 'One property is promised once: refuses to accept an offer on a property that is sold, rented or withdrawn (property_not_available), or that another deal of the same side has an accepted offer on (offer_already_accepted).';

comment on function "private"."takes_leads"(public.agents) is 'Whether a new lead may be given to an agent: one who is active, accepts leads and may change them. Who only reads could do nothing for it.';

comment on function "private"."tg__normal_forms"() is 'Stores phone and e-mail in their normal forms, whoever writes them.';

comment on function "private"."tg_gate_steps__held"() is 'A step that is added to a gate holds the open operations too; each gets a row to tick.';

comment on function "private"."tg_offers__date_acceptance"() is 'Dates the first acceptance, and keeps the accepted offer of a closed operation. Refuses with operation_closed, offer_already_accepted, property_not_available, change_refused.';

comment on function "private"."tg_operations__keep_identity"() is 'An operation keeps its lead, type and flow, and its closing dates follow from its stage (change_refused). Of a closed one only the date of its deposit may be set or corrected, but not removed, and the reason of a lost one corrected (operation_closed). Notes when the row last changed.';

comment on function "private"."tg_viewings__took_place"() is 'A viewing is marked done from 15 minutes before its start on, and no earlier (invalid_transition).';

revoke all on function "private"."agent_of_contact"(uuid) from public;

grant execute on function "private"."agent_of_contact"(uuid) to "anon", "authenticated";

revoke all on function "private"."agent_of_contact"(uuid) from "postgres";

grant execute on function "private"."agent_of_contact"(uuid) to "postgres";

revoke all on function "private"."as_sent"(text) from public;

grant execute on function "private"."as_sent"(text) to "anon", "authenticated";

revoke all on function "private"."as_sent"(text) from "postgres";

grant execute on function "private"."as_sent"(text) to "postgres";

revoke all on function "private"."find_or_create_contact"(uuid, text, text, text) from public;

grant execute
  on function "private"."find_or_create_contact"(uuid, text, text, text)
  to "anon", "authenticated";

revoke all on function "private"."find_or_create_contact"(uuid, text, text, text) from "postgres";

grant execute on function "private"."find_or_create_contact"(uuid, text, text, text) to "postgres";

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

revoke all on function "private"."refuse_taken_property"(public.offers) from public;

revoke all on function "private"."refuse_taken_property"(public.offers) from "postgres";

grant execute on function "private"."refuse_taken_property"(public.offers) to "postgres";

revoke all on function "private"."takes_leads"(public.agents) from public;

revoke all on function "private"."takes_leads"(public.agents) from "postgres";

grant execute on function "private"."takes_leads"(public.agents) to "postgres";

revoke all on function "private"."tg__normal_forms"() from public;

revoke all on function "private"."tg__normal_forms"() from "postgres";

grant execute on function "private"."tg__normal_forms"() to "postgres";

revoke all on function "private"."tg_gate_steps__held"() from public;

revoke all on function "private"."tg_gate_steps__held"() from "postgres";

grant execute on function "private"."tg_gate_steps__held"() to "postgres";

revoke all on function "private"."tg_viewings__took_place"() from public;

revoke all on function "private"."tg_viewings__took_place"() from "postgres";

grant execute on function "private"."tg_viewings__took_place"() to "postgres";

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

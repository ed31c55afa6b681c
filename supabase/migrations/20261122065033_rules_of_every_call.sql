set local check_function_bodies = off;

alter table "public"."offers"
  drop constraint "currency_is_iso_4217";

drop function "private"."authorize_event"(text);

create or replace function api.archive_lead (
  lead_id uuid,
  reason  text default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('leads:write');
  lead jsonb;
begin
  perform private.judged(jsonb_build_object('reason', reason), '{
    "properties": {
      "reason": {"type": "string", "maxLength": 1000, "nullable": true}
    }}', 'query');
  -- Only the first archiving is dated and explained.
  update public.leads l
  set archived_at = now(), archive_reason = case when private.is_visible(reason) then btrim(reason) else 'archived_via_api' end
  where l.agency_id = caller.agency_id and l.id = lead_id and l.archived_at is null;

  select private.lead_json(l) into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = lead_id;
  if lead is null then
    perform private.raise_error(404, 'not_found', 'There is no such lead.');
  end if;
  return lead;
end
$function$;

create or replace function api.create_document (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:write');
  answer jsonb := private.replay('create_document', idempotency_key, private.judged(body, '{
    "properties": {
      "kind": {"type": "string", "enum": ["viewing_sheet", "identity", "mandate", "reservation", "contract", "deed",
        "deposit_receipt", "land_registry_note", "energy_certificate", "proof_of_income", "other"], "nullable": true},
      "name": {"type": "string", "minLength": 1, "maxLength": 300, "nullable": true},
      "operation_id": {"type": "string", "format": "uuid", "nullable": true},
      "lead_id": {"type": "string", "format": "uuid", "nullable": true},
      "property_id": {"type": "string", "format": "uuid", "nullable": true},
      "content_type": {"type": "string", "enum": ["application/pdf", "image/jpeg", "image/png", "image/webp",
        "image/heic", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"], "nullable": true},
      "size_bytes": {"type": "integer", "minimum": 1, "maximum": 20971520, "nullable": true}
    }}'));
  document public.documents;
begin
  if coalesce(body ->> 'operation_id', body ->> 'lead_id', body ->> 'property_id') is null then
    perform private.refuse_member('operation_id', 'one of operation_id, lead_id and property_id is required');
  end if;
  if body ->> 'content_type' is not null and body ->> 'size_bytes' is null then
    perform private.refuse_member('size_bytes', 'goes together with content_type');
  end if;
  if body ->> 'size_bytes' is not null and body ->> 'content_type' is null then
    perform private.refuse_member('content_type', 'goes together with size_bytes');
  end if;
  if answer is not null then
    return answer;
  end if;
  if body ->> 'operation_id' is not null and not exists (
    select from public.operations o
    where o.agency_id = caller.agency_id and o.id = (body ->> 'operation_id')::uuid) then
    perform private.refuse_reference('operation_id', 'There is no such operation.');
  end if;
  if body ->> 'lead_id' is not null and not exists (
    select from public.leads l where l.agency_id = caller.agency_id and l.id = (body ->> 'lead_id')::uuid) then
    perform private.refuse_reference('lead_id', 'There is no such lead.');
  end if;
  if body ->> 'property_id' is not null and not exists (
    select from public.properties p
    where p.agency_id = caller.agency_id and p.id = (body ->> 'property_id')::uuid) then
    perform private.refuse_reference('property_id', 'There is no such property.');
  end if;

  insert into public.documents (agency_id, operation_id, lead_id, property_id, kind, name, content_type, size_bytes)
  values (
    caller.agency_id,
    (body ->> 'operation_id')::uuid,
    (body ->> 'lead_id')::uuid,
    (body ->> 'property_id')::uuid,
    coalesce(body ->> 'kind', 'other'),
    btrim(body ->> 'name'),
    body ->> 'content_type',
    (body ->> 'size_bytes')::numeric::bigint)
  returning * into document;
  return private.answer(idempotency_key, 201, private.document_upload_json(document));
end
$function$;

create or replace function api.create_document_upload (
  document_id     uuid,
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:write');
  answer jsonb := private.replay('create_document_upload ' || document_id, idempotency_key, private.judged(body, '{
    "required": ["content_type", "size_bytes"],
    "properties": {
      "content_type": {"type": "string", "enum": ["application/pdf", "image/jpeg", "image/png", "image/webp",
        "image/heic", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"]},
      "size_bytes": {"type": "integer", "minimum": 1, "maximum": 20971520}
    }}'));
  document public.documents;
begin
  if answer is not null then
    return answer;
  end if;
  update public.documents d set
    content_type = body ->> 'content_type',
    size_bytes = (body ->> 'size_bytes')::numeric::bigint
  where d.agency_id = caller.agency_id and d.id = document_id and d.uploaded_at is null
  returning * into document;
  if document.id is null then
    if exists (select from public.documents d where d.agency_id = caller.agency_id and d.id = document_id) then
      perform private.raise_error(409, 'conflict', 'The document has its file already.');
    end if;
    perform private.raise_error(404, 'not_found', 'There is no such document.');
  end if;
  return private.answer(idempotency_key, 201, private.document_upload_json(document));
end
$function$;

create or replace function api.create_hook (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize(private.event_permission(body ->> 'event_type'));
  answer jsonb := private.replay('create_hook', idempotency_key, private.judged(body, '{
    "required": ["event_type", "target_url"],
    "properties": {
      "event_type": {"type": "string", "enum": ["deal_won", "offer_accepted", "signature_signed",
        "document_completed"]},
      "target_url": {"type": "string", "minLength": 1, "maxLength": 2000}
    }}'));
  target text := private.one_spelling(body ->> 'target_url');
  problem text;
  hook_id uuid;
begin
  if answer is not null then
    return answer;
  end if;
  problem := private.target_problem(target);
  if problem is not null then
    perform private.refuse('invalid_target', 'Events cannot be delivered to that URL.', jsonb_build_object(
      'issues', jsonb_build_array(jsonb_build_object('path', 'target_url', 'message', problem))));
  end if;
  loop
    insert into public.subscriptions (agency_id, event_type, target_url)
    values (caller.agency_id, body ->> 'event_type', target)
    on conflict (agency_id, event_type, target_url) do nothing
    returning id into hook_id;
    exit when hook_id is not null;
    select s.id into hook_id from public.subscriptions s
    where s.agency_id = caller.agency_id and s.event_type = body ->> 'event_type' and s.target_url = target;
    -- It was there for the first statement and is gone for the second: unsubscribed meanwhile, so there is room again.
    exit when hook_id is not null;
  end loop;
  return private.answer(idempotency_key, 201, jsonb_build_object('id', hook_id));
end
$function$;

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
  answer jsonb;
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
  if body ->> 'operation_type' = 'sell' then
    perform private.refuse('operation_type_not_allowed', 'A lead is created with a buy or rent operation, or with none.',
      '{"issues": [{"path": "operation_type", "message": "sell is not allowed here; a listing lead comes from the application"}]}');
  end if;
  answer := private.replay('create_lead', idempotency_key, private.judged(body, '{
    "required": ["full_name"],
    "properties": {
      "full_name": {"type": "string", "minLength": 1, "maxLength": 200},
      "phone": {"type": "string", "nullable": true},
      "email": {"type": "string", "nullable": true},
      "origin": {"type": "string", "enum": ["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp",
        "api", "other"], "nullable": true},
      "operation_type": {"type": "string", "enum": ["buy", "rent"], "nullable": true},
      "budget_max": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "decimals": 2, "nullable": true},
      "bedrooms_min": {"type": "integer", "minimum": 0, "maximum": 50, "nullable": true},
      "intent": {"type": "string", "maxLength": 500, "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true},
      "email_subject": {"type": "string", "maxLength": 1000, "nullable": true},
      "email_body": {"type": "string", "maxLength": 100000, "nullable": true}
    }}'));
  if answer is not null then
    return answer;
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
    (body ->> 'bedrooms_min')::numeric::int,
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

create or replace function api.create_offer (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('offers:write');
  answer jsonb := private.replay('create_offer', idempotency_key, private.judged(body, '{
    "required": ["operation_id", "amount"],
    "properties": {
      "operation_id": {"type": "string", "format": "uuid"},
      "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "decimals": 2},
      "property_id": {"type": "string", "format": "uuid", "nullable": true},
      "currency": {"type": "string", "format": "currency", "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true},
      "offer_type": {"type": "string", "enum": ["sale", "rent"], "nullable": true}
    }}'));
  offer public.offers;
begin
  if answer is not null then
    return answer;
  end if;
  insert into public.offers (agency_id, operation_id, property_id, amount, currency, offer_type, notes)
  values (
    caller.agency_id,
    (body ->> 'operation_id')::uuid,
    (body ->> 'property_id')::uuid,
    (body ->> 'amount')::numeric,
    coalesce(upper(body ->> 'currency'), 'EUR'),
    body ->> 'offer_type',
    body ->> 'notes')
  returning * into offer;
  return private.answer(idempotency_key, 201, private.offer_json(offer));
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
  answer jsonb := private.replay('create_operation', idempotency_key, private.judged(body, '{
    "required": ["lead_id", "operation_type"],
    "properties": {
      "lead_id": {"type": "string", "format": "uuid"},
      "operation_type": {"type": "string", "enum": ["buy", "rent", "sell"]},
      "stage": {"type": "string", "nullable": true}
    }}'));
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

create or replace function api.create_signature (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('signatures:write');
  answer jsonb := private.replay('create_signature', idempotency_key, private.judged(body, '{
    "properties": {
      "document_id": {"type": "string", "format": "uuid", "nullable": true},
      "operation_id": {"type": "string", "format": "uuid", "nullable": true},
      "signer_name": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true},
      "signer_email": {"type": "string", "format": "email", "nullable": true},
      "status": {"type": "string", "enum": ["draft", "sent"], "nullable": true}
    }}'));
  document public.documents;
  signature public.signatures;
begin
  if coalesce(body ->> 'document_id', body ->> 'operation_id') is null then
    perform private.refuse_member('document_id', 'one of document_id and operation_id is required');
  end if;
  if answer is not null then
    return answer;
  end if;
  if body ->> 'operation_id' is not null and not exists (
    select from public.operations o
    where o.agency_id = caller.agency_id and o.id = (body ->> 'operation_id')::uuid) then
    perform private.refuse_reference('operation_id', 'There is no such operation.');
  end if;
  if body ->> 'document_id' is not null then
    select d.* into document from public.documents d
    where d.agency_id = caller.agency_id and d.id = (body ->> 'document_id')::uuid;
    if document.id is null or document.operation_id <> (body ->> 'operation_id')::uuid then
      perform private.refuse_reference('document_id', 'There is no such document, or it belongs to another operation.');
    end if;
  end if;

  insert into public.signatures (agency_id, operation_id, document_id, signer_name, signer_email, status)
  values (
    caller.agency_id,
    coalesce((body ->> 'operation_id')::uuid, document.operation_id),
    document.id,
    btrim(body ->> 'signer_name'),
    lower(btrim(body ->> 'signer_email')),
    coalesce(body ->> 'status', 'draft'))
  returning * into signature;
  return private.answer(idempotency_key, 201, private.signature_json(signature));
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
  answer jsonb := private.replay('create_viewing', idempotency_key, private.judged(body, '{
    "required": ["lead_id", "property_id", "starts_at"],
    "properties": {
      "lead_id": {"type": "string", "format": "uuid"},
      "property_id": {"type": "string", "format": "uuid"},
      "starts_at": {"type": "string", "format": "time"},
      "ends_at": {"type": "string", "format": "time", "nullable": true},
      "duration_minutes": {"type": "integer", "minimum": 5, "maximum": 1440, "nullable": true},
      "operation_id": {"type": "string", "format": "uuid", "nullable": true},
      "agent_id": {"type": "string", "format": "uuid", "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true}
    }}'));
  viewing public.viewings;
begin
  if body ->> 'ends_at' is not null and body ->> 'duration_minutes' is not null then
    perform private.refuse_member('duration_minutes', 'goes not together with ends_at');
  end if;
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

create or replace function api.list_documents (
  operation_id uuid    default null::uuid,
  lead_id      uuid    default null::uuid,
  property_id  uuid    default null::uuid,
  kind         text    default null::text,
  status       text    default null::text,
  page_limit   integer default null::integer,
  page_cursor  text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:read');
begin
  perform private.judged(jsonb_build_object('kind', kind, 'status', status), '{
    "properties": {
      "kind": {"type": "string", "enum": ["viewing_sheet", "identity", "mandate", "reservation", "contract", "deed",
        "deposit_receipt", "land_registry_note", "energy_certificate", "proof_of_income", "other"], "nullable": true},
      "status": {"type": "string", "enum": ["requested", "received", "verified", "rejected"], "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'documents', 'document_json', 'created_at',
    array_remove(array[
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when property_id is not null then 't.property_id = ($2 ->> ''property_id'')::uuid' end,
      case when kind is not null then 't.kind = $2 ->> ''kind''' end,
      case when status is not null then 't.status = $2 ->> ''status''' end], null),
    jsonb_build_object(
      'operation_id', operation_id, 'lead_id', lead_id, 'property_id', property_id, 'kind', kind, 'status', status),
    page_limit, page_cursor);
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
  perform private.judged(jsonb_build_object('temperature', temperature, 'origin', origin, 'email', email), '{
    "properties": {
      "temperature": {"type": "string", "enum": ["hot", "warm", "cold"], "nullable": true},
      "origin": {"type": "string", "enum": ["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp",
        "api", "other"], "nullable": true},
      "email": {"type": "string", "maxLength": 500, "nullable": true}
    }}', 'query');
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

create or replace function api.list_offers (
  operation_id uuid    default null::uuid,
  lead_id      uuid    default null::uuid,
  status       text    default null::text,
  page_limit   integer default null::integer,
  page_cursor  text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('offers:read');
begin
  perform private.judged(jsonb_build_object('status', status), '{
    "properties": {
      "status": {"type": "string", "enum": ["received", "accepted", "rejected", "withdrawn"], "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'offers', 'offer_json', 'created_at',
    array_remove(array[
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when status is not null then 't.status = $2 ->> ''status''' end], null),
    jsonb_build_object('operation_id', operation_id, 'lead_id', lead_id, 'status', status),
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
  perform private.judged(jsonb_build_object('operation_type', operation_type), '{
    "properties": {
      "operation_type": {"type": "string", "enum": ["buy", "rent", "sell"], "nullable": true}
    }}', 'query');
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

create or replace function api.list_properties (
  status        text    default null::text,
  listing_type  text    default null::text,
  property_type text    default null::text,
  city          text    default null::text,
  zone          text    default null::text,
  price_min     numeric default null::numeric,
  price_max     numeric default null::numeric,
  bedrooms_min  integer default null::integer,
  reference     text    default null::text,
  owner_lead_id uuid    default null::uuid,
  page_limit    integer default null::integer,
  page_cursor   text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('properties:read');
begin
  perform private.judged(jsonb_build_object('status', status, 'listing_type', listing_type, 'property_type', property_type, 'city', city, 'zone', zone, 'price_min', price_min, 'price_max', price_max, 'bedrooms_min', bedrooms_min, 'reference', reference), '{
    "properties": {
      "status": {"type": "string", "enum": ["available", "pending", "sold", "rented", "withdrawn"], "nullable": true},
      "listing_type": {"type": "string", "enum": ["sale", "rent"], "nullable": true},
      "property_type": {"type": "string", "enum": ["flat", "house", "penthouse", "duplex", "studio", "office",
        "premises", "garage", "storage", "land", "building", "other"], "nullable": true},
      "city": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true},
      "zone": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true},
      "price_min": {"type": "number", "minimum": 0, "maximum": 1000000000, "decimals": 2, "nullable": true},
      "price_max": {"type": "number", "minimum": 0, "maximum": 1000000000, "decimals": 2, "nullable": true},
      "bedrooms_min": {"type": "integer", "minimum": 0, "maximum": 200, "nullable": true},
      "reference": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'properties', 'property_json', 'created_at',
    array_remove(array[
      case when status is not null then 't.status = $2 ->> ''status''' end,
      case when listing_type is not null then 't.listing_type = $2 ->> ''listing_type''' end,
      case when property_type is not null then 't.property_type = $2 ->> ''property_type''' end,
      case when city is not null then 't.city_key = $2 ->> ''city''' end,
      case when zone is not null then 't.zone_key = $2 ->> ''zone''' end,
      case when price_min is not null then 't.price_cents >= ($2 ->> ''price_min'')::bigint' end,
      case when price_max is not null then 't.price_cents <= ($2 ->> ''price_max'')::bigint' end,
      case when bedrooms_min is not null then 't.bedrooms >= ($2 ->> ''bedrooms_min'')::int' end,
      case when reference is not null then 't.reference = $2 ->> ''reference''' end,
      case when owner_lead_id is not null then 't.owner_lead_id = ($2 ->> ''owner_lead_id'')::uuid' end], null),
    jsonb_build_object(
      'status', status, 'listing_type', listing_type, 'property_type', property_type,
      'city', lower(city), 'zone', lower(zone),
      'price_min', ceil(price_min * 100)::bigint, 'price_max', floor(price_max * 100)::bigint,
      'bedrooms_min', bedrooms_min, 'reference', reference, 'owner_lead_id', owner_lead_id),
    page_limit, page_cursor);
end
$function$;

create or replace function api.list_signatures (
  operation_id uuid    default null::uuid,
  document_id  uuid    default null::uuid,
  status       text    default null::text,
  signer_email text    default null::text,
  page_limit   integer default null::integer,
  page_cursor  text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('signatures:read');
begin
  perform private.judged(jsonb_build_object('status', status, 'signer_email', signer_email), '{
    "properties": {
      "status": {"type": "string", "enum": ["draft", "sent", "signed", "declined", "expired"], "nullable": true},
      "signer_email": {"type": "string", "format": "email", "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'signatures', 'signature_json', 'created_at',
    array_remove(array[
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when document_id is not null then 't.document_id = ($2 ->> ''document_id'')::uuid' end,
      case when status is not null then 't.status = $2 ->> ''status''' end,
      case when signer_email is not null then 't.signer_email = $2 ->> ''signer_email''' end], null),
    jsonb_build_object(
      'operation_id', operation_id, 'document_id', document_id, 'status', status,
      'signer_email', lower(btrim(signer_email))),
    page_limit, page_cursor);
end
$function$;

create or replace function api.list_viewings (
  status        text    default null::text,
  lead_id       uuid    default null::uuid,
  property_id   uuid    default null::uuid,
  operation_id  uuid    default null::uuid,
  agent_id      uuid    default null::uuid,
  starts_from   text    default null::text,
  starts_before text    default null::text,
  page_limit    integer default null::integer,
  page_cursor   text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('viewings:read');
begin
  perform private.judged(jsonb_build_object('status', status, 'starts_from', starts_from, 'starts_before', starts_before), '{
    "properties": {
      "status": {"type": "string", "enum": ["scheduled", "done", "cancelled", "no_show"], "nullable": true},
      "starts_from": {"type": "string", "format": "time", "nullable": true},
      "starts_before": {"type": "string", "format": "time", "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'viewings', 'viewing_json', 'created_at',
    array_remove(array[
      case when status is not null then 't.status = $2 ->> ''status''' end,
      case when lead_id is not null then 't.lead_id = ($2 ->> ''lead_id'')::uuid' end,
      case when property_id is not null then 't.property_id = ($2 ->> ''property_id'')::uuid' end,
      case when operation_id is not null then 't.operation_id = ($2 ->> ''operation_id'')::uuid' end,
      case when agent_id is not null then 't.agent_id = ($2 ->> ''agent_id'')::uuid' end,
      case when starts_from is not null then 't.starts_at >= ($2 ->> ''starts_from'')::timestamptz' end,
      case when starts_before is not null then 't.starts_at < ($2 ->> ''starts_before'')::timestamptz' end], null),
    jsonb_build_object(
      'status', status, 'lead_id', lead_id, 'property_id', property_id, 'operation_id', operation_id,
      'agent_id', agent_id,
      'starts_from', case when starts_from is not null then
        private.at_local_time(starts_from, private.time_zone(), 'starts_from') end,
      'starts_before', case when starts_before is not null then
        private.at_local_time(starts_before, private.time_zone(), 'starts_before') end),
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
  next_stage text;
begin
  -- The RPC below judges the rest; a stage of the caller's own would be overwritten here.
  if jsonb_typeof(patch) is distinct from 'object' or patch ? 'stage' or patch ? 'lost_reason' then
    perform private.authorize('operations:write');
    perform private.judged(patch, '{"properties": {"property_id": {"type": "string", "format": "uuid", "nullable": true}}}');
  end if;
  -- Which stage comes next is looked up here, under the caller's own policies; who may move it, and whether it may
  -- move, is judged by the RPC that REST calls too, which also counts the request.
  select o.* into operation from public.operations o
  where o.agency_id = (select private.agency_id()) and o.id = mcp_advance_stage.operation_id;
  select n.id into next_stage
  from public.stages s
  join public.stages n on n.flow = s.flow and n.outcome is null and n.position > s.position
  where s.flow = operation.flow and s.id = operation.stage
  order by n.position limit 1;
  if operation.closed_at is null and operation.id is not null and next_stage is null then
    perform private.authorize('operations:write');
    perform private.refuse('stage_required', 'The operation is in its last stage; name how it closes.',
      jsonb_build_object('stages', (
        select jsonb_agg(s.id order by s.position) from public.stages s
        where s.flow = operation.flow and s.outcome is not null)));
  end if;
  -- A closed operation is asked for the stage that it has, and refused as closed.
  return api.update_operation(
    mcp_advance_stage.operation_id, patch || jsonb_build_object('stage', coalesce(next_stage, operation.stage, '')));
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
  perform private.judged(jsonb_build_object('starts_from', starts_from, 'starts_before', starts_before, 'limit', page_limit), '{
    "properties": {
      "starts_from": {"type": "string", "format": "day or time", "nullable": true},
      "starts_before": {"type": "string", "format": "day or time", "nullable": true},
      "limit": {"type": "integer", "minimum": 1, "maximum": 100}
    }}', 'query');
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
  perform private.judged(jsonb_build_object('limit', page_limit), '{
    "properties": {
      "limit": {"type": "integer", "minimum": 1, "maximum": 50}
    }}', 'query');
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
  perform private.judged(jsonb_build_object('query', query, 'limit', page_limit), '{
    "properties": {
      "query": {"type": "string", "minLength": 1, "maxLength": 200},
      "limit": {"type": "integer", "minimum": 1, "maximum": 25}
    }}', 'query');
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

create or replace function api.mcp_search_properties (
  filters    jsonb,
  words      text[],
  page_limit integer default 10
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('properties:read');
  wanted text;
  wanted_query tsquery;
  places text[];
  spellings text[];
  terms text[];
  term_queries tsquery[];
begin
  perform private.judged(filters, '{
    "properties": {
      "listing_type": {"type": "string", "enum": ["sale", "rent"]},
      "property_types": {"type": "array", "maxItems": 12, "items": {"type": "string", "enum": ["flat", "house",
        "penthouse", "duplex", "studio", "office", "premises", "garage", "storage", "land", "building", "other"]}},
      "price_min": {"type": "number", "minimum": 0, "maximum": 1000000000},
      "price_max": {"type": "number", "minimum": 0, "maximum": 1000000000},
      "bedrooms_min": {"type": "integer", "minimum": 0, "maximum": 99},
      "bathrooms_min": {"type": "integer", "minimum": 0, "maximum": 99},
      "area_min_m2": {"type": "number", "minimum": 0}
    }}', 'query');
  perform private.judged(jsonb_build_object('words', words, 'limit', page_limit), '{
    "properties": {
      "words": {"type": "array", "maxItems": 12, "items": {"type": "string", "maxLength": 500}},
      "limit": {"type": "integer", "minimum": 1, "maximum": 25}
    }}', 'query');
  wanted := private.plain_text(array_to_string(words, ' '));
  wanted_query := plainto_tsquery('pg_catalog.spanish'::regconfig, wanted);

  -- Which of the words name a place, only the agency's own stock can tell: as written, else nearly as written.
  with spelling as materialized (
    -- A stock has few places; what is costly is done for each of them, and not for each property.
    select s.written, private.plain_text(s.written) as name
    from (
      select distinct unnest(array[p.zone, p.city]) as written from public.properties p
      where p.agency_id = caller.agency_id) s
    where btrim(s.written) <> ''
  ), place as (
    select distinct s.name from spelling s
  ), exact as (
    select name from place where ' ' || wanted || ' ' like '% ' || name || ' %'
  ), named as (
    select name from exact
    union
    select name from place
    where not exists (select from exact) and char_length(name) >= 4
      and private.trigram_share(name, wanted) >= 0.57
  )
  select array_agg(distinct s.name), array_agg(s.written) into places, spellings
  from spelling s join named n on n.name = s.name;

  -- The rest describes the home; words that say nothing ("con", "una") have no lexeme.
  select array_agg(word order by n), array_agg(plainto_tsquery('pg_catalog.spanish'::regconfig, private.plain_text(word)) order by n)
  into terms, term_queries
  from unnest(words) with ordinality given (word, n)
  where to_tsvector('pg_catalog.spanish'::regconfig, private.plain_text(word)) <> ''::tsvector
    and not exists (
      select from unnest(places) place, regexp_split_to_table(place, '[^[:alnum:]]+') part
      where part = private.plain_text(word)
        or char_length(part) >= 4 and private.trigram_share(part, private.plain_text(word)) >= 0.57);

  return (
    with matched as (
      select p,
        array(
          select term from unnest(terms, term_queries) with ordinality t (term, query, n)
          where p.search @@ t.query
          order by n) as matched_terms
      from public.properties p
      where p.agency_id = caller.agency_id and p.status = 'available'
        and (filters ->> 'listing_type' is null or p.listing_type = filters ->> 'listing_type')
        and (filters -> 'property_types' is null or filters -> 'property_types' ? p.property_type)
        and (filters ->> 'price_min' is null or p.price >= (filters ->> 'price_min')::numeric)
        and (filters ->> 'price_max' is null or p.price <= (filters ->> 'price_max')::numeric)
        and (filters ->> 'bedrooms_min' is null or p.bedrooms >= (filters ->> 'bedrooms_min')::numeric::int)
        and (filters ->> 'bathrooms_min' is null or p.bathrooms >= (filters ->> 'bathrooms_min')::numeric::int)
        and (filters ->> 'area_min_m2' is null or p.area_m2 >= (filters ->> 'area_min_m2')::numeric)
        and (places is null or p.zone = any (spellings) or p.city = any (spellings))
    ), ranked as (
      select m.*, count(*) over () as total, row_number() over (
        order by
          -- A neighbourhood that was named is meant, also when its city was named with it.
          ((m.p).zone = any (spellings)) is true desc,
          cardinality(m.matched_terms) desc,
          ts_rank((m.p).search, wanted_query) desc,
          (m.p).bedrooms - (filters ->> 'bedrooms_min')::numeric::int nulls last,
          (m.p).price nulls last, (m.p).created_at desc, (m.p).id) as n
      from matched m
    )
    select jsonb_build_object(
      'understood', filters || jsonb_build_object('places', coalesce(to_jsonb(places), '[]'), 'terms', coalesce(to_jsonb(terms), '[]')),
      'properties', private.cut_list(
        jsonb_agg(
          private.property_summary(r.p)
            || jsonb_build_object(
              'matched_terms', to_jsonb(r.matched_terms),
              'missing_terms', coalesce((
                select jsonb_agg(term order by n) from unnest(terms) with ordinality t (term, n)
                where term <> all (r.matched_terms)), '[]'),
              'excerpt', left((r.p).description, 300))
          order by r.n) filter (where r.n <= page_limit),
        count(*), page_limit))
    from ranked r);
end
$function$;

create or replace function api.sample_hook (
  event_type  text,
  page_limit  integer default null::integer,
  page_cursor text    default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize(private.event_permission(event_type));
begin
  perform private.judged(jsonb_build_object('event_type', event_type), '{
    "properties": {
      "event_type": {"type": "string", "enum": ["deal_won", "offer_accepted", "signature_signed", "document_completed"]}
    }}', 'query');
  return case event_type
    when 'deal_won' then private.list_page(caller.agency_id, 'operations', 'own_operation_json', 'won_at',
      array['t.won_at is not null'], null, page_limit, page_cursor)
    when 'offer_accepted' then private.list_page(caller.agency_id, 'offers', 'offer_json', 'accepted_at',
      array['t.accepted_at is not null', 't.status = ''accepted'''], null, page_limit, page_cursor)
    when 'signature_signed' then private.list_page(caller.agency_id, 'signatures', 'signature_json', 'signed_at',
      array['t.signed_at is not null', 't.status = ''signed'''], null, page_limit, page_cursor)
    when 'document_completed' then private.list_page(caller.agency_id, 'documents', 'document_json', 'completed_at',
      array['t.completed_at is not null', 't.status in (''received'', ''verified'')'], null, page_limit, page_cursor)
  end;
end
$function$;

create or replace function api.update_document (
  document_id uuid,
  patch       jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('documents:write');
  document public.documents;
begin
  perform private.judged(patch, '{
    "properties": {
      "status": {"type": "string", "enum": ["requested", "received", "verified", "rejected"]}
    }}');
  if not patch ? 'status' then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select d.* into document from public.documents d
  where d.agency_id = caller.agency_id and d.id = document_id
  for no key update;
  if document.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such document.');
  end if;
  perform private.refuse_backward(document.status, patch ->> 'status',
    '{"requested": 0, "received": 1, "verified": 2, "rejected": 2}');
  -- Paper is received when somebody says so; a file that was announced, when it is there.
  if document.status = 'requested' and patch ->> 'status' in ('received', 'verified')
    and document.content_type is not null and document.uploaded_at is null then
    perform private.refuse('invalid_transition', 'The document''s file has not arrived; the document is received with it.');
  end if;
  if patch ->> 'status' <> document.status then
    update public.documents d set status = patch ->> 'status'
    where d.agency_id = caller.agency_id and d.id = document_id
    returning * into document;
  end if;
  return private.document_json(document);
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
  perform private.judged(patch, '{
    "properties": {
      "full_name": {"type": "string", "minLength": 1, "maxLength": 200},
      "phone": {"type": "string", "nullable": true},
      "email": {"type": "string", "nullable": true},
      "origin": {"type": "string", "enum": ["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp",
        "api", "other"]},
      "budget_max": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "decimals": 2, "nullable": true},
      "bedrooms_min": {"type": "integer", "minimum": 0, "maximum": 50, "nullable": true},
      "intent": {"type": "string", "maxLength": 500, "nullable": true},
      "zone": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true},
      "language": {"type": "string", "format": "language", "nullable": true},
      "urgency": {"type": "string", "enum": ["immediate", "soon", "later"], "nullable": true},
      "summary": {"type": "string", "minLength": 1, "maxLength": 300, "oneLine": true, "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true},
      "temperature": {"type": "string", "enum": ["hot", "warm", "cold"], "nullable": true},
      "lead_status": {"type": "string", "enum": ["new", "contacted", "qualified", "unqualified"], "nullable": true},
      "assigned_agent_id": {"type": "string", "format": "uuid", "nullable": true}
    }}');
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
    bedrooms_min = case when patch ? 'bedrooms_min' then (patch ->> 'bedrooms_min')::numeric::int else l.bedrooms_min end,
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

create or replace function api.update_signature (
  signature_id uuid,
  patch        jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('signatures:write');
  signature public.signatures;
begin
  perform private.judged(patch, '{
    "properties": {
      "status": {"type": "string", "enum": ["draft", "sent", "signed", "declined", "expired"]}
    }}');
  if not patch ? 'status' then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select s.* into signature from public.signatures s
  where s.agency_id = caller.agency_id and s.id = signature_id
  for no key update;
  if signature.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such signature.');
  end if;
  perform private.refuse_backward(signature.status, patch ->> 'status',
    '{"draft": 0, "sent": 1, "signed": 2, "declined": 2, "expired": 2}');
  if patch ->> 'status' <> signature.status then
    update public.signatures s set status = patch ->> 'status'
    where s.agency_id = caller.agency_id and s.id = signature_id
    returning * into signature;
  end if;
  return private.signature_json(signature);
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
  perform private.judged(patch, '{
    "properties": {
      "status": {"type": "string", "enum": ["scheduled", "done", "cancelled", "no_show"]},
      "starts_at": {"type": "string", "format": "time"},
      "ends_at": {"type": "string", "format": "time"},
      "duration_minutes": {"type": "integer", "minimum": 5, "maximum": 1440},
      "agent_id": {"type": "string", "format": "uuid", "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true}
    }}');
  if patch ->> 'ends_at' is not null and patch ->> 'duration_minutes' is not null then
    perform private.refuse_member('duration_minutes', 'goes not together with ends_at');
  end if;
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

create or replace function private.ipv4_address (
  host text
)
  returns inet
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  parts text[] := string_to_array(host, '.');
  size int := cardinality(parts);
  number bigint;
  address bigint := 0;
begin
  for at in 1 .. size loop
    number := private.ipv4_number(parts[at]);
    -- The last part fills all the bytes that are left: 127.1 is 127.0.0.1.
    if size > 4 or number is null or parts[at] = ''
      or number >= (case when at < size then 256 else 256::numeric ^ (5 - size) end) then
      return null;
    end if;
    address := address + case when at < size then number << (8 * (4 - at)) else number end;
  end loop;
  return inet '0.0.0.0' + address;
end
$function$;

alter function "private"."ipv4_address"(text) owner to "postgres";

create or replace function private.ipv4_number (
  part text
)
  returns bigint
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  digits constant text := '0123456789abcdef';
  base int := case when part ~ '^0x' then 16 when part ~ '^0.' then 8 else 10 end;
  written text := ltrim(case base when 16 then substr(part, 3) else part end, '0');
  number bigint := 0;
begin
  if length(written) > 11 then
    return null;
  end if;
  for at in 1 .. length(written) loop
    if strpos(left(digits, base), substr(written, at, 1)) = 0 then
      return null;
    end if;
    number := number * base + strpos(digits, substr(written, at, 1)) - 1;
  end loop;
  return number;
end
$function$;

alter function "private"."ipv4_number"(text) owner to "postgres";

create or replace function private.is_currency (
  code text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  return code = any (array[
    'AED', 'AFN', 'ALL', 'AMD', 'ANG', 'AOA', 'ARS', 'AUD', 'AWG', 'AZN', 'BAM', 'BBD', 'BDT', 'BGN', 'BHD', 'BIF', 'BMD', 'BND', 'BOB', 'BRL',
    'BSD', 'BTN', 'BWP', 'BYN', 'BZD', 'CAD', 'CDF', 'CHF', 'CLP', 'CNY', 'COP', 'CRC', 'CUC', 'CUP', 'CVE', 'CZK', 'DJF', 'DKK', 'DOP', 'DZD',
    'EGP', 'ERN', 'ETB', 'EUR', 'FJD', 'FKP', 'GBP', 'GEL', 'GHS', 'GIP', 'GMD', 'GNF', 'GTQ', 'GYD', 'HKD', 'HNL', 'HRK', 'HTG', 'HUF', 'IDR',
    'ILS', 'INR', 'IQD', 'IRR', 'ISK', 'JMD', 'JOD', 'JPY', 'KES', 'KGS', 'KHR', 'KMF', 'KPW', 'KRW', 'KWD', 'KYD', 'KZT', 'LAK', 'LBP', 'LKR',
    'LRD', 'LSL', 'LYD', 'MAD', 'MDL', 'MGA', 'MKD', 'MMK', 'MNT', 'MOP', 'MRU', 'MUR', 'MVR', 'MWK', 'MXN', 'MYR', 'MZN', 'NAD', 'NGN', 'NIO',
    'NOK', 'NPR', 'NZD', 'OMR', 'PAB', 'PEN', 'PGK', 'PHP', 'PKR', 'PLN', 'PYG', 'QAR', 'RON', 'RSD', 'RUB', 'RWF', 'SAR', 'SBD', 'SCR', 'SDG',
    'SEK', 'SGD', 'SHP', 'SLE', 'SLL', 'SOS', 'SRD', 'SSP', 'STN', 'SVC', 'SYP', 'SZL', 'THB', 'TJS', 'TMT', 'TND', 'TOP', 'TRY', 'TTD', 'TWD',
    'TZS', 'UAH', 'UGX', 'USD', 'UYU', 'UZS', 'VES', 'VND', 'VUV', 'WST', 'XAF', 'XCD', 'XCG', 'XDR', 'XOF', 'XPF', 'XSU', 'YER', 'ZAR', 'ZMW',
    'ZWG', 'ZWL']);
end
$function$;

alter function "private"."is_currency"(text) owner to "postgres";

create or replace function private.is_day (
  value text
)
  returns boolean
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  -- Years 400 apart have the same calendar, and Postgres knows no year 0.
  return value ~ '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$'
    and right(value, 2)::int <= extract(day from
      make_date(left(value, 4)::int + 400, substr(value, 6, 2)::int, 1) + interval '1 month' - interval '1 day');
end
$function$;

alter function "private"."is_day"(text) owner to "postgres";

create or replace function private.is_public_address (
  address inet
)
  returns boolean
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  if family(address) = 4 then
    -- The last one answers for a machine's own credentials on Azure, and lies in a public range.
    return not address <<= any (array[
      '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
      '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24',
      '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32']::inet[]);
  end if;
  -- Everything that was ever given out for public use lies in 2000::/3.
  return address <<= inet '2000::/3' and not address <<= any (array[
    '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']::inet[]);
end
$function$;

alter function "private"."is_public_address"(inet) owner to "postgres";

create or replace function private.is_time (
  value text
)
  returns boolean
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  -- Postgres would take much more for a time: "tomorrow", "04/05/2026 5 pm".
  return value ~ '^.{10}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-5]):[0-5]\d)?$'
    and private.is_day(left(value, 10));
end
$function$;

alter function "private"."is_time"(text) owner to "postgres";

create or replace function private.is_visible (
  value text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  -- Nearly every text has a plain letter or digit. Else it takes a character that is no blank (White_Space), no control
  -- character (Cc) and none without a width (Cf), such as U+200B.
  return value ~ '[!-~]' or value ~ ('[^\u0001-\u0020\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2'
    || '\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb\U000110bd\U000110cd'
    || '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]');
end
$function$;

alter function "private"."is_visible"(text) owner to "postgres";

create or replace function private.judged (
  request  jsonb,
  contract jsonb,
  part     text  default 'body'::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  issues_max constant int := 50;
  issues jsonb := '[]';
  member text;
  value jsonb;
  rule jsonb;
  problem text;
begin
  if jsonb_typeof(request) is distinct from 'object' then
    perform private.refuse_member(part, 'must be a JSON object', part);
  end if;
  for member, value in select m.key, m.value from jsonb_each(request) m loop
    rule := contract -> 'properties' -> member;
    -- Nearly all that comes is plain text that fits; seeing that in one expression spares two calls for each member.
    continue when jsonb_typeof(value) = 'string' and rule ->> 'type' = 'string' and case
      when rule ? 'enum' then rule -> 'enum' ? (value #>> '{}')
      when rule ? 'format' or rule ? 'oneLine' then false
      else char_length(value #>> '{}') <= coalesce((rule ->> 'maxLength')::int, 2147483647)
        and (not rule ? 'minLength' or value #>> '{}' ~ '[!-~]') end;
    problem := case when rule is null then 'is not known' else private.problem_with(value, rule) end;
    if problem is not null then
      issues := issues || jsonb_build_object('path',
        case when char_length(member) > 200 then left(member, 199) || '…' else member end,
        'message', left(problem, 500));
      exit when jsonb_array_length(issues) = issues_max;
    end if;
  end loop;
  for at in 0 .. coalesce(jsonb_array_length(contract -> 'required'), 0) - 1 loop
    if not request ? (contract -> 'required' ->> at) and jsonb_array_length(issues) < issues_max then
      issues := issues || jsonb_build_object('path', contract -> 'required' ->> at, 'message', 'is required');
    end if;
  end loop;
  if issues <> '[]' then
    perform private.refuse_request(part, issues);
  end if;
  return request;
end
$function$;

alter function "private"."judged"(jsonb, jsonb, text) owner to "postgres";

create or replace function private.list_page (
  agency_id   uuid,
  table_name  text,
  serializer  text,
  ordered_by  text,
  conditions  text[],
  filters     jsonb,
  page_limit  integer,
  page_cursor text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  rows_wanted int := coalesce(page_limit, 50);
  -- The same table in another order is another list.
  list text := table_name || '_' || ordered_by;
  after record;
  page jsonb;
begin
  if rows_wanted not between 1 and 200 then
    perform private.refuse_member('limit', 'must be a whole number from 1 to 200', 'query');
  end if;
  if char_length(page_cursor) > 1000 then
    perform private.refuse_member('cursor', 'must have at most 1000 characters', 'query');
  end if;
  after := private.decode_cursor(list, page_cursor);
  -- Dynamic, so that each combination of filters is planned for itself and finds its index. Every name in it is a
  -- literal of the calling RPC; what the caller sends travels in $1 to $6.
  execute format(
    $sql$
      with page as (
        select t as item, t.%2$I as position_at, t.id, row_number() over (order by t.%2$I desc, t.id desc) as n
        from public.%1$I t
        where t.agency_id = $1 %4$s %5$s
        order by t.%2$I desc, t.id desc
        limit $3 + 1
      )
      select jsonb_build_object(
        'data', coalesce(jsonb_agg(private.%3$I(item) order by n) filter (where n <= $3), '[]'),
        'next_cursor', case when count(*) > $3 then
          max(private.encode_cursor($6, position_at, id)) filter (where n = $3) end)
      from page
    $sql$,
    table_name, ordered_by, serializer,
    (select string_agg('and ' || c, ' ') from unnest(conditions) c),
    case when page_cursor is not null then format('and (t.%I, t.id) < ($4, $5)', ordered_by) end)
  into page
  using agency_id, filters, rows_wanted, after.position_at, after.id, list;
  return page;
end
$function$;

create or replace function private.number_problem (
  number numeric,
  rule   jsonb
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case
    when rule ->> 'type' = 'integer' and number <> trunc(number) then 'Invalid input: expected int, received number'
    when number <= (rule ->> 'exclusiveMinimum')::numeric then format('must be above %s', rule ->> 'exclusiveMinimum')
    when number < (rule ->> 'minimum')::numeric then format('Too small: expected number to be >=%s', rule ->> 'minimum')
    when number > (rule ->> 'maximum')::numeric then format('Too big: expected number to be <=%s', rule ->> 'maximum')
    when number <> round(number, (rule ->> 'decimals')::int) then format('must have at most %s decimals', rule ->> 'decimals')
  end;
end
$function$;

alter function "private"."number_problem"(numeric, jsonb) owner to "postgres";

create or replace function private.private_targets_allowed()
  returns boolean
  language sql
  stable
  security definer
  set search_path to ''
  AS $function$
  select exists (
    select from vault.decrypted_secrets s
    where s.name = 'hooks_allow_private_targets' and s.decrypted_secret = 'true');
$function$;

alter function "private"."private_targets_allowed"() owner to "postgres";

create or replace function private.problem_with (
  value jsonb,
  rule  jsonb
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  sent text := jsonb_typeof(value);
  wanted text := rule ->> 'type';
  problem text;
begin
  if sent = 'string' and wanted = 'string' then
    return private.string_problem(value #>> '{}', rule);
  elsif sent = 'number' and wanted in ('number', 'integer') then
    return private.number_problem((value #>> '{}')::numeric, rule);
  elsif sent = 'null' and rule ? 'nullable' then
    return null;
  elsif sent = 'array' and wanted = 'array' then
    if jsonb_array_length(value) > (rule ->> 'maxItems')::int then
      return format('must have at most %s items', rule ->> 'maxItems');
    end if;
    for at in 0 .. jsonb_array_length(value) - 1 loop
      problem := private.problem_with(value -> at, rule -> 'items');
      if problem is not null then
        return problem;
      end if;
    end loop;
    return null;
  end if;
  return format('Invalid input: expected %s, received %s', case wanted when 'integer' then 'number' else wanted end, sent);
end
$function$;

alter function "private"."problem_with"(jsonb, jsonb) owner to "postgres";

create or replace function private.refuse_member (
  path    text,
  message text,
  part    text default 'body'::text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.refuse_request(part, jsonb_build_array(jsonb_build_object('path', path, 'message', message)));
end
$function$;

alter function "private"."refuse_member"(text, text, text) owner to "postgres";

create or replace function private.refuse_request (
  part   text,
  issues jsonb
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.refuse('invalid_' || part, format('The %s does not fit.', part), jsonb_build_object('issues', issues));
end
$function$;

alter function "private"."refuse_request"(text, jsonb) owner to "postgres";

create or replace function private.replay (
  endpoint        text,
  idempotency_key text,
  body            jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller private.principal;
  stored public.idempotency_keys;
  hash bytea := sha256(convert_to(endpoint || ' ' || body::text, 'UTF8'));
begin
  if idempotency_key is null then
    return null;
  end if;
  if idempotency_key !~ '^[ -~]{1,255}$' then
    perform private.refuse('invalid_header', 'A header does not fit.',
      '{"issues": [{"path": "Idempotency-Key", "message": "must be 1 to 255 printable ASCII characters"}]}');
  end if;
  caller := private.principal();
  delete from public.idempotency_keys k
  where k.agency_id = caller.agency_id and k.credential_id = caller.credential_id
    and k.key = idempotency_key and k.expires_at <= now();
  -- A second request with the key waits here until the first one has committed or failed.
  insert into public.idempotency_keys (agency_id, credential_id, key, request_hash)
  values (caller.agency_id, caller.credential_id, idempotency_key, hash)
  on conflict do nothing;
  if found then
    return null;
  end if;

  select k.* into stored from public.idempotency_keys k
  where k.agency_id = caller.agency_id and k.credential_id = caller.credential_id and k.key = idempotency_key;
  if stored.request_hash is distinct from hash then
    perform private.refuse('idempotency_key_reused', 'The Idempotency-Key was used for another request.');
  end if;
  return stored.answer || '{"replayed": true}';
end
$function$;

create or replace function private.string_problem (
  content text,
  rule    jsonb
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  format text := rule ->> 'format';
begin
  if rule ? 'enum' then
    return case when not rule -> 'enum' ? content then
      'Invalid option: expected one of ' || replace(btrim(rule ->> 'enum', '[]'), ', ', '|') end;
  elsif format is not null then
    return case format
      when 'uuid' then case when content !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then 'must be a UUID' end
      when 'email' then case when not private.is_email(lower(btrim(content, E' \t\r\n'))) then 'must be an e-mail address' end
      when 'currency' then case when not private.is_currency(upper(content)) then 'must be an ISO 4217 currency code' end
      when 'language' then case when content !~ '^[a-z]{2}$' then 'must be an ISO 639-1 code' end
      when 'time' then case when not private.is_time(content) then
        'must be a date and time as 2026-05-04T17:30 or 2026-05-04T17:30:00+02:00' end
      when 'day or time' then case when not (private.is_day(content) or private.is_time(content)) then
        'must be a date as 2026-05-04 or a date and time as 2026-05-04T17:30' end
    end;
  elsif rule ? 'minLength' and not private.is_visible(content) then
    return 'must not be blank';
  end if;
  if char_length(content) > (rule ->> 'maxLength')::int then
    -- Blanks around words are not counted, as they are not stored.
    if not (rule ? 'minLength' and char_length(regexp_replace(content, '^\s+|\s+$', '', 'g')) <= (rule ->> 'maxLength')::int) then
      return format('must have at most %s characters', rule ->> 'maxLength');
    end if;
  end if;
  return case when rule ? 'oneLine' and btrim(content, E' \t\r\n') ~ '[\n\r]' then 'must be one line' end;
end
$function$;

alter function "private"."string_problem"(text, jsonb) owner to "postgres";

create or replace function private.target_problem (
  target_url text
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  authority text := (regexp_match(target_url, '^https://([^/?#\\]*)', 'i'))[1];
  host text := rtrim((regexp_match(lower(authority), '^(\[[0-9a-f:.]+\]|[^:]*)(:[0-9]{0,5})?$'))[1], '.');
  port int := nullif(substring(authority from ':([0-9]{1,5})$'), '')::int;
  address inet;
begin
  if char_length(target_url) > 2000 then
    return 'The URL has more than 2000 characters, as it is sent.';
  elsif target_url ~ '^[A-Za-z][A-Za-z0-9+.-]*:' and target_url !~* '^https:' then
    return 'The URL must begin with https://.';
  elsif strpos(authority, '@') > 0 then
    return 'The URL must not carry a user or a password.';
  elsif coalesce(port, 443) not between 1 and 65535 or target_url ~ '[\s\\]'
    or coalesce(host, '') !~ '^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$' then
    return 'This is not a URL that can be called.';
  end if;
  if host like '[%' then
    begin
      address := btrim(host, '[]')::inet;
    exception when invalid_text_representation then
      return 'This is not a URL that can be called.';
    end;
  elsif host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    -- Any host that ends in a number is an address, or nothing.
    address := private.ipv4_address(host);
    if address is null then
      return 'This is not a URL that can be called.';
    end if;
  end if;
  return case when not case
      when address is not null then private.is_public_address(address)
      else host like '%.%' and host !~ '(^|\.)(localhost|local|internal|home\.arpa)$' end
    and not private.private_targets_allowed() then 'The host is not on the public internet.' end;
end
$function$;

alter function "private"."target_problem"(text) owner to "postgres";

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
  chosen_property_id uuid;
  operation public.operations;
begin
  perform private.judged(patch, '{
    "properties": {
      "stage": {"type": "string"},
      "lost_reason": {"type": "string", "maxLength": 1000, "nullable": true},
      "property_id": {"type": "string", "format": "uuid", "nullable": true}
    }}');
  if private.is_visible(patch ->> 'lost_reason') and patch ->> 'stage' is distinct from 'lost' then
    perform private.refuse_member('lost_reason', 'goes only with stage lost');
  end if;
  chosen_property_id := (patch ->> 'property_id')::uuid;
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
        lost_reason = case when patch ->> 'stage' = 'lost' then patch ->> 'lost_reason' else o.lost_reason end
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  if operation.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  return private.operation_json(operation);
end
$function$;

create or replace function private.viewing_end (
  body      jsonb,
  starts_at timestamp with time zone,
  otherwise interval
)
  returns timestamp with time zone
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  ends_at timestamptz := case
    when body ->> 'ends_at' is not null then private.at_local_time(body ->> 'ends_at', private.time_zone(), 'ends_at')
    else starts_at + coalesce(make_interval(mins => (body ->> 'duration_minutes')::numeric::int), otherwise) end;
begin
  if ends_at <= starts_at or ends_at - starts_at > interval '24 hours' then
    perform private.refuse('invalid_time', 'A viewing ends after it starts, and within a day.', jsonb_build_object(
      'issues', jsonb_build_array(jsonb_build_object(
        'path', 'ends_at', 'message', 'A viewing ends after it starts, and within a day.'))));
  end if;
  return ends_at;
end
$function$;

comment on function "api"."create_hook"(jsonb, text) is 'Subscribes {event_type, target_url}; the same pair again returns the id that exists. Permission: read of the event''s resource. Errors: invalid_body, invalid_target, too_many_hooks (20 for each event), idempotency_key_reused.';

comment on function "api"."sample_hook"(text, integer, text) is 'Rows already in the event''s state, latest first: {data, next_cursor}, each as the event would carry it. Permission: read of the event''s resource. Errors: invalid_query.';

comment on function "private"."ipv4_address"(text) is 'The address that a host of numbers means to a URL parser, which knows forms that Postgres does not: 127.1, 2130706433, 0x7f.1. Null for what is none.';

comment on function "private"."ipv4_number"(text) is 'A part of an IPv4 address, decimal, octal (010) or hexadecimal (0x8); null for what is none.';

comment on function "private"."is_currency"(text) is 'Whether a text is an ISO 4217 code of a currency that people pay with.';

comment on function "private"."is_day"(text) is 'Whether a text is a day of the calendar, as 2026-05-04.';

comment on function "private"."is_public_address"(inet) is 'Whether an address belongs to the public internet: none of the private, loopback, link-local, CGNAT, multicast and reserved ranges, and no IPv6 address that wraps an IPv4 one. As in functions/_shared/addresses.ts.';

comment on function "private"."is_time"(text) is 'Whether a text is a day and a time in ISO 8601, as 2026-05-04T17:30 or 2026-05-04T17:30:00+02:00.';

comment on function "private"."is_visible"(text) is 'Whether a text has a character that shows.';

comment on function "private"."judged"(jsonb, jsonb, text) is 'A body or a query as it came, once it is judged by its contract: {properties: {member: rule}, required: [member]}. Members that are missing, not known or not as the rule says are named: reason invalid_body or invalid_query.';

comment on function "private"."list_page"(uuid, text, text, text, text[], jsonb, integer, text) is
  'One page of a list, newest first: {data, next_cursor}. Keyset, so inserts do not shift it. Conditions name the row t and read the filters from $2. Refuses with invalid_cursor, invalid_query.';

comment on function "private"."number_problem"(numeric, jsonb) is 'What is wrong with a number by a member''s rule; null for nothing.';

comment on function "private"."private_targets_allowed"() is 'Whether hooks may point into a private network, for tests on one''s own machine: the secret hooks_allow_private_targets in Vault is true. The functions have HOOKS_ALLOW_PRIVATE_TARGETS for it; the local stack sets both by that.';

comment on function "private"."problem_with"(jsonb, jsonb) is 'What is wrong with a value by a member''s rule; null for nothing.';

comment on function "private"."refuse_member"(text, text, text) is 'The same for one member.';

comment on function "private"."refuse_request"(text, jsonb) is 'Refuses a body (invalid_body) or a query (invalid_query) that does not fit, and names what does not: [{path, message}].';

comment on function "private"."string_problem"(text, jsonb) is 'What is wrong with a text by a member''s rule; null for nothing.';

comment on function "private"."target_problem"(text) is 'Why events cannot be posted to a URL; null when they can, as far as the URL tells. The sentences are those of functions/_shared/target.ts.';

revoke all on function "private"."ipv4_address"(text) from public;

grant execute on function "private"."ipv4_address"(text) to "anon", "authenticated";

revoke all on function "private"."ipv4_address"(text) from "postgres";

grant execute on function "private"."ipv4_address"(text) to "postgres";

revoke all on function "private"."ipv4_number"(text) from public;

grant execute on function "private"."ipv4_number"(text) to "anon", "authenticated";

revoke all on function "private"."ipv4_number"(text) from "postgres";

grant execute on function "private"."ipv4_number"(text) to "postgres";

revoke all on function "private"."is_currency"(text) from public;

grant execute on function "private"."is_currency"(text) to "anon", "authenticated";

revoke all on function "private"."is_currency"(text) from "postgres";

grant execute on function "private"."is_currency"(text) to "postgres";

revoke all on function "private"."is_day"(text) from public;

grant execute on function "private"."is_day"(text) to "anon", "authenticated";

revoke all on function "private"."is_day"(text) from "postgres";

grant execute on function "private"."is_day"(text) to "postgres";

revoke all on function "private"."is_public_address"(inet) from public;

grant execute on function "private"."is_public_address"(inet) to "anon", "authenticated";

revoke all on function "private"."is_public_address"(inet) from "postgres";

grant execute on function "private"."is_public_address"(inet) to "postgres";

revoke all on function "private"."is_time"(text) from public;

grant execute on function "private"."is_time"(text) to "anon", "authenticated";

revoke all on function "private"."is_time"(text) from "postgres";

grant execute on function "private"."is_time"(text) to "postgres";

revoke all on function "private"."is_visible"(text) from public;

grant execute on function "private"."is_visible"(text) to "anon", "authenticated";

revoke all on function "private"."is_visible"(text) from "postgres";

grant execute on function "private"."is_visible"(text) to "postgres";

revoke all on function "private"."judged"(jsonb, jsonb, text) from public;

grant execute on function "private"."judged"(jsonb, jsonb, text) to "anon", "authenticated";

revoke all on function "private"."judged"(jsonb, jsonb, text) from "postgres";

grant execute on function "private"."judged"(jsonb, jsonb, text) to "postgres";

revoke all on function "private"."number_problem"(numeric, jsonb) from public;

grant execute on function "private"."number_problem"(numeric, jsonb) to "anon", "authenticated";

revoke all on function "private"."number_problem"(numeric, jsonb) from "postgres";

grant execute on function "private"."number_problem"(numeric, jsonb) to "postgres";

revoke all on function "private"."private_targets_allowed"() from public;

grant execute on function "private"."private_targets_allowed"() to "anon", "authenticated";

revoke all on function "private"."private_targets_allowed"() from "postgres";

grant execute on function "private"."private_targets_allowed"() to "postgres";

revoke all on function "private"."problem_with"(jsonb, jsonb) from public;

grant execute on function "private"."problem_with"(jsonb, jsonb) to "anon", "authenticated";

revoke all on function "private"."problem_with"(jsonb, jsonb) from "postgres";

grant execute on function "private"."problem_with"(jsonb, jsonb) to "postgres";

revoke all on function "private"."refuse_member"(text, text, text) from public;

grant execute on function "private"."refuse_member"(text, text, text) to "anon", "authenticated";

revoke all on function "private"."refuse_member"(text, text, text) from "postgres";

grant execute on function "private"."refuse_member"(text, text, text) to "postgres";

revoke all on function "private"."refuse_request"(text, jsonb) from public;

grant execute on function "private"."refuse_request"(text, jsonb) to "anon", "authenticated";

revoke all on function "private"."refuse_request"(text, jsonb) from "postgres";

grant execute on function "private"."refuse_request"(text, jsonb) to "postgres";

revoke all on function "private"."string_problem"(text, jsonb) from public;

grant execute on function "private"."string_problem"(text, jsonb) to "anon", "authenticated";

revoke all on function "private"."string_problem"(text, jsonb) from "postgres";

grant execute on function "private"."string_problem"(text, jsonb) to "postgres";

revoke all on function "private"."target_problem"(text) from public;

grant execute on function "private"."target_problem"(text) to "anon", "authenticated";

revoke all on function "private"."target_problem"(text) from "postgres";

grant execute on function "private"."target_problem"(text) to "postgres";

alter table "public"."offers"
  add constraint "currency_is_iso_4217" check (private.is_currency(currency));

set local check_function_bodies = off;

drop trigger "_500_queue_qualification" on "public"."messages";

drop trigger "_500_by_hand" on "public"."operation_steps";

drop trigger "_500_queue" on "public"."sanctions_screens";

drop index "public"."contacts_to_compare";

drop index "public"."intake_jobs_by_turn";

drop index "public"."leads_by_contact";

drop view "public"."failed_deliveries";

drop view "public"."leads_without_agent";

drop view "public"."pipeline_by_stage";

drop view "public"."possible_sanctions_matches";

drop view "public"."stuck_operations";

alter table "public"."api_keys"
  drop constraint "permissions_are_known";

alter table "public"."flows"
  drop constraint "operation_type_is_known";

alter table "public"."offers"
  drop constraint "currency_is_iso_4217";

alter table "public"."operations"
  drop constraint "lost_has_reason";

alter table "public"."operations"
  drop constraint "operation_type_is_known";

drop function "api"."intake_claim"(integer);

drop function "private"."agent_of_contact"(uuid);

drop function "private"."authorize_event"(text);

drop function "private"."close_step"(uuid, uuid, text);

drop function "private"."intake_claim"(integer);

drop function "private"."open_operations"(uuid);

drop function "private"."raise_error"(integer, text, text, jsonb);

drop function "private"."refuse_reference"(text, text);

drop function "private"."reopen_step"(uuid, uuid, text);

drop function "private"."start_intake"();

drop function "private"."suggest_duplicates"(public.contacts);

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

alter table "public"."events"
  add column "lost_claims" integer not null default 0;

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

create or replace function admin.close_step (
  operation_id uuid,
  step_id      text,
  amount       numeric default null::numeric
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  step public.operation_steps := private.held_step(operation_id, step_id);
begin
  if amount is not null and step.step_id <> 'ofertaPreparada' then
    perform private.refuse('amount_not_taken', 'Only ofertaPreparada takes an amount.');
  end if;
  if amount is not null and step.done then
    perform private.refuse('step_closed', 'The step is closed and makes no second offer.');
  end if;
  update public.operation_steps s set done = true, amount = coalesce(close_step.amount, s.amount)
  where s.agency_id = step.agency_id and s.id = step.id;
end
$function$;

alter function "admin"."close_step"(uuid, text, numeric) owner to "postgres";

create or replace function admin.create_api_key (
  agency_id           uuid,
  name                text,
  permissions         text[],
  agent_id            uuid                     default null::uuid,
  expires_at          timestamp with time zone default null::timestamp with time zone,
  requests_per_minute integer                  default 120
)
  returns text
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  prefix text := encode(extensions.gen_random_bytes(4), 'hex');
  secret text := encode(extensions.gen_random_bytes(24), 'hex');
  key_id uuid;
  -- An owner may do all that there is.
  known text[] := private.role_permissions('owner');
  unknown text[] := array(select named from unnest(permissions) named where named <> all (known));
begin
  if unknown <> '{}' then
    perform private.refuse('unknown_permission',
      format('There is no permission %s.', array_to_string(unknown, ', ')), jsonb_build_object('permissions', known));
  end if;
  insert into public.api_keys (agency_id, name, prefix, secret_hash, permissions, agent_id, expires_at)
  values (
    create_api_key.agency_id, btrim(create_api_key.name), prefix, sha256(convert_to(secret, 'UTF8')),
    create_api_key.permissions, create_api_key.agent_id, create_api_key.expires_at)
  returning id into key_id;
  update public.rate_limits r set requests_per_minute = create_api_key.requests_per_minute
  where r.agency_id = create_api_key.agency_id and r.credential_id = key_id;
  return format('cor_%s_%s', prefix, secret);
end
$function$;

create or replace function admin.record_deposit (
  operation_id uuid,
  paid_at      timestamp with time zone default now()
)
  returns timestamp with time zone
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  operation public.operations;
begin
  select o.* into operation from public.operations o where o.id = record_deposit.operation_id for no key update;
  if operation.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  if operation.operation_type <> 'rent' then
    perform private.refuse('deposit_not_taken', 'Only a rental waits for a deposit.');
  end if;
  if paid_at is null or paid_at > now() then
    perform private.refuse('invalid_time', 'A deposit is recorded once it is paid.');
  end if;
  update public.operations o set deposit_paid_at = paid_at
  where o.agency_id = operation.agency_id and o.id = operation.id;
  return paid_at;
end
$function$;

alter function "admin"."record_deposit"(uuid, timestamp with time zone) owner to "postgres";

create or replace function admin.reopen_step (
  operation_id uuid,
  step_id      text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  step public.operation_steps := private.held_step(operation_id, step_id);
begin
  update public.operation_steps s set done = false
  where s.agency_id = step.agency_id and s.id = step.id;
end
$function$;

alter function "admin"."reopen_step"(uuid, text) owner to "postgres";

create or replace function admin.replay_event (
  event_id uuid
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  event public.events;
  targets uuid[];
begin
  select e.* into event from public.events e where e.id = replay_event.event_id for update;
  if event.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such event.');
  end if;
  if event.status <> 'delivered' then
    perform private.raise_error(409, 'conflict', 'The event is still in the queue.');
  end if;
  select array_agg(s.id order by s.created_at, s.id) into targets
  from public.subscriptions s
  where s.agency_id = event.agency_id and s.event_type = event.event_type;
  if targets is null then
    perform private.refuse('no_subscription', 'Nobody subscribes to this event.');
  end if;

  update public.events e
  set status = 'pending', reason = null, attempts = 0, lost_claims = 0, round = e.round + 1, subscription_ids = targets,
      available_at = clock_timestamp(), delivered_at = null
  where e.agency_id = event.agency_id and e.id = event.id;
  return cardinality(targets);
end
$function$;

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
    perform private.refuse_request_member('operation_id', 'one of operation_id, lead_id and property_id is required');
  end if;
  if body ->> 'content_type' is not null and body ->> 'size_bytes' is null then
    perform private.refuse_request_member('size_bytes', 'goes together with content_type');
  end if;
  if body ->> 'size_bytes' is not null and body ->> 'content_type' is null then
    perform private.refuse_request_member('content_type', 'goes together with size_bytes');
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
  client record;
  agent_id uuid;
  open_operations jsonb;
  lead public.leads;
  opened_id uuid := case when body ->> 'operation_type' is not null then gen_random_uuid() end;
begin
  answer := private.replay('create_lead', idempotency_key, private.judged(body, '{
    "required": ["full_name"],
    "properties": {
      "full_name": {"type": "string", "minLength": 1, "maxLength": 200},
      "phone": {"type": "string", "nullable": true},
      "email": {"type": "string", "nullable": true},
      "origin": {"type": "string", "enum": ["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp",
        "api", "other"], "nullable": true},
      "operation_type": {"type": "string", "maxLength": 100, "nullable": true},
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
  if opened_id is not null then
    perform private.refuse_lead_type(body ->> 'operation_type');
  end if;

  contact := private.find_or_create_contact(caller.agency_id, full_name, phone, email);
  -- A client who comes back stays with whoever looks after them, and that costs nobody their turn.
  if contact.is_known then
    client := private.known_client(contact.contact_id);
    agent_id := client.agent_id;
    open_operations := client.open_operations;
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
      "operation_type": {"type": "string", "maxLength": 100},
      "stage": {"type": "string", "nullable": true}
    }}'));
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
    perform private.refuse_request_member('document_id', 'one of document_id and operation_id is required');
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
    perform private.refuse_request_member('duration_minutes', 'goes not together with ends_at');
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

create or replace function api.intake_claim (
  max_jobs integer,
  kind     text    default null::text
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select private.intake_claim(max_jobs, kind);
$function$;

alter function "api"."intake_claim"(integer, text) owner to "postgres";

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
      "operation_type": {"type": "string", "maxLength": 100, "nullable": true}
    }}', 'query');
  -- Whoever misspells a stage is told so; an empty list would say that nothing is there.
  if stage is not null and not exists (select from public.stages s where s.id = list_operations.stage) then
    perform private.refuse_member('invalid_stage', 'stage', 'unknown_stage', 'No flow has such a stage.', private.known_stages());
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
  ahead public.stages;
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
    mcp_advance_stage.operation_id, patch || jsonb_build_object('stage', coalesce(ahead.id, operation.stage, '')));
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
    perform private.refuse_member('invalid_time', 'starts_before', 'ends_before_it_begins',
      'The period ends before it begins.', issue_message => 'must be after starts_from');
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
    perform private.refuse_request_member('duration_minutes', 'goes not together with ends_at');
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

create or replace function private.at_local_time (
  value     text,
  time_zone text,
  path      text
)
  returns timestamp with time zone
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  local_time timestamp;
  moment timestamptz;
begin
  begin
    if value ~ '(Z|[+-][0-9]{2}:?[0-9]{2})$' then
      moment := value::timestamptz;
    else
      local_time := value::timestamp;
      -- What the zone's clock shows twice is the first of the two, as calendars do it (RFC 5545). What it never shows
      -- finds nothing here.
      select min(candidate) into moment
      from unnest(array['0', '30 minutes', '1 hour', '2 hours']::interval[]) earlier,
        lateral (select (local_time at time zone time_zone) - earlier as candidate) c
      where candidate at time zone time_zone = local_time;
      if moment is null then
        perform private.refuse_member('invalid_time', path, 'skipped_time',
          format('The clock in %s skips this time; it is put forward then.', time_zone),
          issue_values => jsonb_build_object('time_zone', time_zone));
      end if;
    end if;
  exception when invalid_datetime_format or datetime_field_overflow or invalid_time_zone_displacement_value then
    moment := null;
  end;
  if moment is null or extract(year from moment at time zone 'UTC') not between 2000 and 2099 then
    perform private.refuse_member('invalid_time', path, 'not_a_time', 'This is not a date and time from 2000 to 2099.');
  end if;
  return moment;
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

create or replace function private.call_intake (
  message_agency_ids uuid[],
  screen_agency_ids  uuid[]
)
  returns bigint
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  is_called boolean;
begin
  -- Once a transaction: the request goes out when it commits, and the run takes all that it queued.
  if current_setting('corredor.intake_called', true) = 'true' then
    return null;
  end if;
  -- Every job is called for, so one that nobody has claimed says that a call is on its way, and its run goes on until
  -- nothing of its kind waits: a hundred leads at once do not call a hundred times. Each agency counts its own jobs, so
  -- that it waits for no other's call; mail and screens have runs of their own. What is older than a minute was forgotten.
  is_called := not exists (
      select from unnest(message_agency_ids) a (id)
      where not exists (
        select from public.intake_jobs j
        where j.agency_id = a.id and j.message_id is not null and j.attempts = 0
          and j.available_at between now() - interval '1 minute' and now()))
    and not exists (
      select from unnest(screen_agency_ids) a (id)
      where not exists (
        select from public.intake_jobs j
        where j.agency_id = a.id and j.screen_id is not null and j.attempts = 0
          and j.available_at between now() - interval '1 minute' and now()));
  if is_called then
    return null;
  end if;
  perform set_config('corredor.intake_called', 'true', true);
  return private.call_function('intake');
end
$function$;

alter function "private"."call_intake"(uuid[], uuid[]) owner to "postgres";

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

create or replace function private.compare_contacts (
  max_contacts integer  default 1000,
  may_take     interval default '00:00:20'::interval
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  like_max constant int := 100;
  contact public.contacts;
  name_key text;
  like_named uuid[];
  -- Names that so many have that a name alone says nothing; found once in a run.
  common_names text[] := '{}';
  compared public.contacts[] := '{}';
  suggestions public.contact_suggestions[] := '{}';
  ends_at timestamptz := clock_timestamp() + may_take;
begin
  -- Nothing is locked while it compares: a lead of one of these people comes in meanwhile as quickly as any other.
  for contact in select c.* from private.contacts_to_compare(max_contacts) c loop
    if contact.merged_into is null then
      name_key := contact.agency_id || ' ' || private.screening_name(contact.full_name);
      like_named := '{}';
      if name_key <> all (common_names) then
        like_named := private.contacts_named_like(contact.agency_id, private.screening_name(contact.full_name), 0.6, like_max + 1);
        if cardinality(like_named) > like_max then
          like_named := private.contacts_named_like(contact.agency_id, private.screening_name(contact.full_name), 0.9, like_max + 1);
        end if;
        if cardinality(like_named) > like_max then
          common_names := common_names || name_key;
          like_named := '{}';
        end if;
      end if;
      suggestions := suggestions || array(select s from private.near_duplicates(contact, like_named) s);
    end if;
    compared := compared || contact;
    exit when clock_timestamp() >= ends_at;
  end loop;

  -- All writing comes last and at once. Whoever holds a contact is not waited for, and one that changed since it was read
  -- is as it was before: both are compared by the next run.
  insert into public.contact_suggestions (agency_id, contact_id, similar_id, reasons, score)
  select s.agency_id, s.contact_id, s.similar_id, s.reasons, s.score
  from unnest(suggestions) s
  where not exists (
    select from public.contacts c
    where c.agency_id = s.agency_id and c.id in (s.contact_id, s.similar_id) and c.merged_into is not null)
  on conflict do nothing;
  update public.contacts c set compared_at = clock_timestamp()
  from (
    select h.agency_id, h.id
    from unnest(compared) d
    join public.contacts h on h.agency_id = d.agency_id and h.id = d.id
    where (h.full_name, h.phone, h.email, h.merged_into) is not distinct from (d.full_name, d.phone, d.email, d.merged_into)
    order by h.id
    for no key update of h skip locked
  ) held
  where c.agency_id = held.agency_id and c.id = held.id;
  return cardinality(compared);
end
$function$;

create or replace function private.contacts_named_like (
  agency_id uuid,
  wanted    text,
  likeness  numeric,
  at_most   integer
)
  returns uuid[]
  language plpgsql
  set search_path to ''
  set enable_seqscan to 'off'
  AS $function$
begin
  perform set_config('pg_trgm.similarity_threshold', likeness::text, true);
  return array(
    select c.id from public.contacts c
    where c.agency_id = contacts_named_like.agency_id and c.merged_into is null
      and private.screening_name(c.full_name) operator(extensions.%) wanted
    -- In no order, so that it ends with the last one wanted.
    limit at_most);
end
$function$;

alter function "private"."contacts_named_like"(uuid, text, numeric, integer) owner to "postgres";

create or replace function private.contacts_to_compare (
  max_contacts integer
)
  returns SETOF public.contacts
  language plpgsql
  stable
  set search_path to ''
  set enable_seqscan to 'off'
  AS $function$
begin
  -- Agencies take turns, so that one with many does not stand before all others.
  return query
  with recursive agency (id) as (
    select (select c.agency_id from public.contacts c where c.compared_at is null order by c.agency_id limit 1)
    union all
    select (
      select c.agency_id from public.contacts c
      where c.compared_at is null and c.agency_id > a.id order by c.agency_id limit 1)
    from agency a where a.id is not null
  ),
  turn as (
    select a.id as agency_id, t.id, row_number() over (partition by a.id order by t.created_at, t.id) as turn, t.created_at
    from agency a
    cross join lateral (
      select c.id, c.created_at from public.contacts c
      where c.agency_id = a.id and c.compared_at is null
      order by c.created_at, c.id limit max_contacts) t
    order by turn, t.created_at
    limit max_contacts
  )
  select c.* from turn t join public.contacts c on c.agency_id = t.agency_id and c.id = t.id
  order by t.turn, t.created_at, t.id;
end
$function$;

alter function "private"."contacts_to_compare"(integer) owner to "postgres";

create or replace function private.day_start (
  value      text,
  days_later integer,
  path       text
)
  returns timestamp with time zone
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  day date;
begin
  begin
    day := value::date + days_later;
  exception when invalid_datetime_format or datetime_field_overflow then
    day := null;
  end;
  if day is null or extract(year from day) not between 2000 and 2100 then
    perform private.refuse_member('invalid_time', path, 'not_a_date', 'This is not a date from 2000 to 2099.');
  end if;
  -- Postgres reads a midnight that the clock skips as the first moment after it, which is when that day begins.
  return day::timestamp at time zone private.time_zone();
end
$function$;

create or replace function private.drain_begin (
  continues   uuid    default null::uuid,
  share       integer default 0,
  shares      integer default 1,
  calls_again boolean default true
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  agency_ids uuid[];
  event_ids uuid[];
  dead_run_ids uuid[];
  run public.drain_runs;
  begun_at timestamptz;
begin
  -- The lock waits for nobody: an event that another drain is reclaiming is left to it.
  select array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id) into agency_ids, event_ids, dead_run_ids
  from (
    select e.agency_id, e.id, e.run_id from public.events e
    where e.status = 'claimed' and e.lease_until < clock_timestamp()
    for update skip locked
  ) e;

  if event_ids is not null then
    -- The dead run may have posted these. Whether it did cannot be known, so they are never posted again.
    update public.deliveries d
    set state = 'unknown', error = 'drain_died', error_detail = 'The drain ended before it recorded an outcome.'
    from unnest(agency_ids, event_ids) as dead (agency_id, event_id)
    where d.event_id = dead.event_id and d.agency_id = dead.agency_id and d.state = 'posting';
    -- An attempt is a POST, so a claim without one costs none: the crash was not the event's fault, nor the target's.
    -- Unless it was the event that killed the drain; so that it ends, only 3 such claims a round are given back. Events
    -- that were lost before come back scattered over some minutes: those that stood beside a killer lose it.
    update public.events e
    set status = 'pending',
        attempts = e.attempts - 1,
        lost_claims = e.lost_claims + 1,
        run_id = null,
        lease_until = null,
        available_at = case when e.lost_claims = 0 then e.available_at
          else clock_timestamp() + e.lost_claims * random() * interval '5 minutes' end
    from unnest(agency_ids, event_ids, dead_run_ids) as dead (agency_id, event_id, run_id)
    where e.agency_id = dead.agency_id and e.id = dead.event_id and e.run_id = dead.run_id and e.lost_claims < 3
      and not exists (
        select from public.deliveries d
        where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.attempt = e.attempts);
    -- Of the others. What was given back above has no run, and is left alone.
    perform private.settle_events(agency_ids, event_ids, dead_run_ids);
  end if;

  begun_at := clock_timestamp();
  run.due_before := begun_at;
  run.share := drain_begin.share;
  run.shares := drain_begin.shares;
  if continues is not null then
    select r.due_before, r.share, r.shares into run.due_before, run.share, run.shares
    from public.drain_runs r where r.id = drain_begin.continues;
    if not found then
      perform private.raise_error(404, 'not_found', 'There is no such drain run to continue.');
    end if;
  end if;
  insert into public.drain_runs (started_at, due_before, continues, share, shares, calls_again, reclaimed)
  values (begun_at, run.due_before, drain_begin.continues, run.share, run.shares, drain_begin.calls_again,
    coalesce(cardinality(event_ids), 0))
  returning * into run;
  return jsonb_build_object('run_id', run.id, 'reclaimed', run.reclaimed);
end
$function$;

create or replace function private.held_step (
  operation_id uuid,
  step_id      text
)
  returns public.operation_steps
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  step public.operation_steps;
begin
  if not exists (select from public.operations o where o.id = held_step.operation_id) then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  select s.* into step from public.operation_steps s
  where s.operation_id = held_step.operation_id and s.step_id = held_step.step_id;
  if step.id is null then
    perform private.refuse('unknown_step', 'The operation has no such step.', jsonb_build_object('steps', (
      select jsonb_agg(s.step_id order by stage.position, g.position)
      from public.operation_steps s
      join public.gate_steps g on g.flow = s.flow and g.id = s.step_id
      join public.stages stage on stage.flow = g.flow and stage.id = g.stage
      where s.operation_id = held_step.operation_id)));
  end if;
  return step;
end
$function$;

alter function "private"."held_step"(uuid, text) owner to "postgres";

create or replace function private.intake_claim (
  max_jobs integer,
  kind     text    default null::text
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

  with turns as materialized (
    -- Agencies take turns; of those with the same turn, whoever has waited longest.
    select t.agency_id, t.id, row_number() over (order by t.turn, k.kind, t.since, t.id) as turn
    from unnest(case when intake_claim.kind is null then '{message,screen}' else array[intake_claim.kind] end) as k (kind)
    cross join lateral private.intake_turns(k.kind, max_jobs * 2) t
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

alter function "private"."intake_claim"(integer, text) owner to "postgres";

create or replace function private.intake_turns (
  kind     text,
  max_jobs integer
)
  returns table (
    agency_id uuid,
    id        uuid,
    turn      bigint,
    since     timestamp with time zone
  )
  language plpgsql
  security definer
  set search_path to ''
  set enable_seqscan to 'off'
  set enable_bitmapscan to 'off'
  AS $function$
#variable_conflict use_column
declare
  -- Known before the query, so that the index can be asked for it.
  due timestamptz := clock_timestamp();
begin
  -- From agency to agency by one step through the index each, whatever waits between. What is claimed or pauses may have
  -- no turn, but an agency that has only that is met all the same.
  if kind = 'message' then
    return query
    with recursive agency (id) as (
      select (select j.agency_id from public.intake_jobs j where j.message_id is not null order by j.agency_id limit 1)
      union all
      select (
        select j.agency_id from public.intake_jobs j
        where j.message_id is not null and j.agency_id > a.id order by j.agency_id limit 1)
      from agency a where a.id is not null
    )
    select a.id, t.id, row_number() over (partition by a.id order by t.available_at, t.id), t.available_at
    from agency a
    cross join lateral (
      select j.id, j.available_at from public.intake_jobs j
      where j.agency_id = a.id and j.message_id is not null and j.available_at <= due and j.attempts < 5
      order by j.available_at, j.id limit max_jobs) t;
  else
    return query
    with recursive agency (id) as (
      select (select j.agency_id from public.intake_jobs j where j.screen_id is not null order by j.agency_id limit 1)
      union all
      select (
        select j.agency_id from public.intake_jobs j
        where j.screen_id is not null and j.agency_id > a.id order by j.agency_id limit 1)
      from agency a where a.id is not null
    )
    select a.id, t.id, row_number() over (partition by a.id order by t.available_at, t.id), t.available_at
    from agency a
    cross join lateral (
      select j.id, j.available_at from public.intake_jobs j
      where j.agency_id = a.id and j.screen_id is not null and j.available_at <= due and j.attempts < 5
      order by j.available_at, j.id limit max_jobs) t;
  end if;
end
$function$;

alter function "private"."intake_turns"(text, integer) owner to "postgres";

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
  -- Looked at four times with each lead: what the dots must not do is no part of the expression, because looking ahead
  -- is slow.
  return char_length(email) <= 254 and left(email, 1) <> '.' and strpos(email, '..') = 0
    and email ~ '^[a-z0-9_''+.-]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$';
end
$function$;

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
    perform private.refuse_request_member(part, 'must be a JSON object', part);
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

create or replace function private.known_client (
  contact_id uuid,
  OUT        agent_id uuid,
  OUT        open_operations jsonb
)
  returns record
  language plpgsql
  stable
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_generic_plan'
  AS $function$
declare
  caller private.principal := private.principal();
  lead_ids uuid[] := array(
    select l.id from public.leads l
    where l.agency_id = caller.agency_id and l.contact_id = known_client.contact_id
    order by l.created_at desc, l.id desc);
begin
  agent_id := (
    select l.assigned_agent_id
    from public.leads l
    join public.agents a on a.agency_id = l.agency_id and a.id = l.assigned_agent_id
    where l.agency_id = caller.agency_id and l.id = any (lead_ids) and l.archived_at is null and private.takes_leads(a)
    order by array_position(lead_ids, l.id)
    limit 1);
  -- What a permission hides elsewhere it hides here.
  if 'operations:read' = any (caller.permissions) then
    open_operations := (
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', o.id,
        'lead_id', o.lead_id,
        'operation_type', o.operation_type,
        'stage', o.stage,
        'stage_label', s.label,
        'assigned_agent_id', l.assigned_agent_id) order by o.created_at desc, o.id desc), '[]')
      from public.operations o
      join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id
      join public.stages s on s.flow = o.flow and s.id = o.stage
      where o.agency_id = caller.agency_id and o.lead_id = any (lead_ids) and o.closed_at is null);
  end if;
end
$function$;

alter function "private"."known_client"(uuid) owner to "postgres";

create or replace function private.known_permissions()
  returns text[]
  language sql
  immutable
  set search_path to ''
  AS $function$
  select array[
    'leads:read', 'leads:write', 'operations:read', 'operations:write', 'properties:read', 'properties:write',
    'viewings:read', 'viewings:write', 'offers:read', 'offers:write', 'signatures:read', 'signatures:write',
    'documents:read', 'documents:write'];
$function$;

alter function "private"."known_permissions"() owner to "postgres";

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
    perform private.refuse_request_member('limit', 'must be a whole number from 1 to 200', 'query');
  end if;
  if char_length(page_cursor) > 1000 then
    perform private.refuse_request_member('cursor', 'must have at most 1000 characters', 'query');
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
    ['š', 'sh'], ['č', 'ch'], ['ć', 'ch'], ['ž', 'zh'], ['đ', 'd'], ['ş', 'sh'], ['ș', 'sh'], ['ç', 'ch'], ['ü', 'u'], ['ñ', 'n'], ['ß', 'ss']]
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

create or replace function private.near_duplicates (
  contact    public.contacts,
  like_named uuid[]
)
  returns SETOF public.contact_suggestions
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  -- More than that share nothing but a placeholder.
  candidates_max constant int := 100;
  wanted text := private.screening_name(contact.full_name);
  -- Gathered first, so that names are compared with these alone.
  candidate_ids uuid[] := like_named || array(
    select o.id from public.contacts o
    where o.agency_id = contact.agency_id and o.phone_e164 = contact.phone_e164
    order by o.created_at limit candidates_max);
begin
  if contact.email_is_valid then
    candidate_ids := candidate_ids || array(
      select o.id from public.contacts o
      where o.agency_id = contact.agency_id and o.email_is_valid and o.merged_into is null
        and split_part(o.email, '@', 1) = split_part(contact.email, '@', 1)
      limit candidates_max);
  end if;
  return query
  select contact.agency_id, gen_random_uuid(), contact.id, near.id, near.reasons, near.score::numeric(4, 3), 'open',
    null::text, null::timestamptz, now()
  from (
    select c.id, s.score, array_remove(array[
      case when c.phone_e164 = contact.phone_e164 then 'same_phone' end,
      -- One name alone is shared by too many.
      case when s.score >= 0.85 and wanted like '% %' then 'similar_name' end,
      case when c.email_is_valid and contact.email_is_valid
        and split_part(c.email, '@', 1) = split_part(contact.email, '@', 1) and s.score >= 0.5 then 'similar_email' end
    ], null) as reasons
    from public.contacts c
    cross join lateral (select private.name_score(wanted, private.screening_name(c.full_name)) as score) s
    where c.agency_id = contact.agency_id and c.id = any (candidate_ids) and c.id <> contact.id and c.merged_into is null
  ) near
  where near.reasons <> '{}'
  order by near.score desc
  limit 20;
end
$function$;

alter function "private"."near_duplicates"(public.contacts, uuid[]) owner to "postgres";

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
    -- In order first, so that as a rule only one agent is asked whether they may change leads.
    select a.id
    from (
      select turn.* from public.agents turn
      where turn.agency_id = caller_agency_id and turn.active and turn.accepts_leads
      order by turn.last_assigned_at nulls first, turn.created_at, turn.id
      offset 0
    ) a
    where private.takes_leads(a)
    limit 1);
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

create or replace function private.raise_error (
  status  integer,
  code    text,
  message text,
  details jsonb   default '{}'::jsonb,
  issue   jsonb   default null::jsonb,
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
      'issue', issue,
      'hints', hints,
      -- private.authorize leaves the caller's budget here, so that refusals can show it too.
      'rate_limit', nullif(current_setting('corredor.rate_limit', true), '')::jsonb
    ));
end
$function$;

alter function "private"."raise_error"(integer, text, text, jsonb, jsonb, jsonb) owner to "postgres";

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
  message text;
begin
  if side is not distinct from 'demand' then
    return;
  end if;
  types := (select string_agg(f.operation_type, ' or ' order by f.operation_type) from public.flows f where f.side = 'demand');
  message := format('A lead is created with a %s operation, or with none.', types);
  if side is null then
    perform private.refuse_member('invalid_body', 'operation_type', 'not_for_leads', message, '{}', 'must be ' || types);
  end if;
  perform private.refuse_member('operation_type_not_allowed', 'operation_type', 'not_for_leads', message, '{}',
    operation_type || ' is not allowed here; a listing lead comes from the application');
end
$function$;

alter function "private"."refuse_lead_type"(text) owner to "postgres";

create or replace function private.refuse_member (
  reason        text,
  path          text,
  issue         text,
  message       text,
  details       jsonb default '{}'::jsonb,
  issue_message text  default null::text,
  issue_values  jsonb default null::jsonb
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  select private.raise_error(422, 'validation_error', message,
    jsonb_build_object(
      'reason', reason,
      'issues', jsonb_build_array(jsonb_build_object('path', path, 'message', coalesce(issue_message, message)))) || details,
    jsonb_build_object('code', issue, 'values', issue_values));
$function$;

alter function "private"."refuse_member"(text, text, text, text, jsonb, text, jsonb) owner to
  "postgres";

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
    perform private.refuse_member('invalid_time', 'starts_at', 'past_time', 'A viewing is not arranged for the past.',
      issue_message => 'This time is in the past.');
  end if;
end
$function$;

create or replace function private.refuse_reference (
  path    text,
  message text,
  issue   text default 'unknown_reference'::text
)
  returns void
  language sql
  set search_path to ''
  AS $function$
  select private.refuse_member('unknown_reference', path, issue, message);
$function$;

alter function "private"."refuse_reference"(text, text, text) owner to "postgres";

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

create or replace function private.refuse_request_member (
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

alter function "private"."refuse_request_member"(text, text, text) owner to "postgres";

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

create or replace function private.refuse_to_reopen (
  operation public.operations,
  step_id   text
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  step public.gate_steps;
begin
  select g.* into step from public.gate_steps g where g.flow = operation.flow and g.id = refuse_to_reopen.step_id;
  if step.by_hand is not null and exists (
    select from public.offers o
    where o.agency_id = operation.agency_id and o.operation_id = operation.id
      and (step.by_hand = 'create_offer' or o.status = 'accepted')) then
    perform private.refuse('step_not_reopened', 'An offer stands behind this step; change the offer instead.');
  end if;
  if 'property_chosen' = any (step.closed_by) and operation.property_id is not null then
    perform private.refuse('step_not_reopened', 'The property is chosen; take the choice back instead.');
  end if;
  if 'viewing_done' = any (step.closed_by) and exists (
    select from public.viewings v
    where v.agency_id = operation.agency_id and v.operation_id = operation.id and v.status = 'done') then
    perform private.refuse('step_not_reopened', 'A viewing that took place stands behind this step; correct that instead.');
  end if;
  if exists (
    select from public.documents d
    where d.agency_id = operation.agency_id and d.operation_id = operation.id
      and d.kind || '_received' = any (step.closed_by) and d.status in ('received', 'verified')) then
    perform private.refuse('step_not_reopened', 'A document that was received stands behind this step; correct that instead.');
  end if;
end
$function$;

alter function "private"."refuse_to_reopen"(public.operations, text) owner to "postgres";

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
    perform private.refuse_request_member('operation_type', (
      select 'Invalid option: expected one of ' || string_agg(format('"%s"', f.operation_type), '|' order by f.operation_type)
      from public.flows f), part);
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
    when role in ('owner', 'manager', 'agent') then private.known_permissions()
    when role = 'viewer' then array(select p from unnest(private.known_permissions()) p where p like '%:read')
    -- A role that this function does not know, because one was added and it was forgotten, opens nothing.
    else '{}'
  end;
end
$function$;

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
    ' ahmad ahmed ahmet ', ' umar omar omer ', ' yusuf youssef yousef yousuf youssouf yusef yusuf iusuf yosef josef ',
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
    select c.id, s.first, s.last, s.split, s.half, w.place, s.score, false as is_initial
    from near c
    cross join lateral unnest(c.words) with ordinality as w (word, place)
    join spelling s on s.word = w.word
    union all
    -- A listed word of one letter may be a name (O), and is no initial that the person wrote.
    select c.id, l.n::int, l.n::int, 0, 0, w.place, 0.62, char_length(l.word) = 1
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
    select l.id, count(*) as words, avg(l.score) as score, min(l.score) filter (where not l.is_initial) as least, sum(l.slots) as slots
    from (
      select w.id, w.place, max(w.score) as score, bool_and(w.is_initial) as is_initial, max(w.last - w.first) + 1 as slots
      from whole w group by w.id, w.place
    ) l
    group by l.id
  )
  select n.entry_id, n.name, (case
    when a.words = cardinality(score_names.words) and l.words = cardinality(n.words) then a.score
    -- "Juan García" may be "Juan García López".
    when a.words = cardinality(score_names.words) and l.slots >= a.words then 0.9 * a.score
    -- A person with more names than the listed one is easily like it in two of them, as "María Elena López" is like
    -- "Maria Ilyin", so these must be much like it.
    when l.words = cardinality(n.words) and a.slots >= l.words and coalesce(l.least, 1) >= 0.83 then 0.9 * l.score
    else 0 end)::real
  from near n
  join asked a on a.id = n.id
  join listed l on l.id = n.id
  -- A single word may be anybody.
  where a.slots >= 2 and l.slots >= 2 or cardinality(score_names.words) = 1 and cardinality(n.words) = 1;
end
$function$;

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

create or replace function private.tg_messages__queue_qualification()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  agency_ids uuid[];
begin
  select array_agg(distinct n.agency_id) into agency_ids from new_rows n where n.qualification_status = 'pending';
  if agency_ids is not null then
    -- Before there are jobs, which would say that it was called for.
    perform private.call_intake(agency_ids, null);
    insert into public.intake_jobs (agency_id, message_id)
    select n.agency_id, n.id from new_rows n where n.qualification_status = 'pending'
    on conflict do nothing;
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
declare
  operation public.operations;
begin
  if new.step_id is distinct from old.step_id or new.operation_id is distinct from old.operation_id
    or new.agency_id is distinct from old.agency_id or new.flow is distinct from old.flow then
    perform private.refuse('change_refused', 'A step stays the step of its operation; only done and amount can be edited.');
  end if;
  -- By hand, and not because of what happened, which may come to be known after the operation was closed.
  if pg_trigger_depth() = 1 and (new.done, new.amount) is distinct from (old.done, old.amount) then
    select o.* into operation from public.operations o where o.agency_id = old.agency_id and o.id = old.operation_id;
    if operation.closed_at is not null then
      perform private.refuse('operation_closed', 'The operation is closed; its steps stay as they were.');
    end if;
    -- What closed a step is not undone by removing the tick.
    if old.done and not new.done then
      perform private.refuse_to_reopen(operation, old.step_id);
    end if;
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
        hints => (select jsonb_object_agg(g.id, g.closed_by) from public.gate_steps g where g.flow = old.flow and g.stage = old.stage));
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

create or replace function private.tg_sanctions_screens__name()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  -- Kept with the screen: the lead may have another name before the screen is resolved. As definer, because the policy
  -- of leads would look the caller up once more; that of screens refuses a row of another agency.
  select l.full_name into new.screened_name from public.leads l where l.agency_id = new.agency_id and l.id = new.lead_id;
  return new;
end
$function$;

create or replace function private.tg_sanctions_screens__queue()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  agency_ids uuid[];
begin
  select array_agg(distinct n.agency_id) into agency_ids from new_rows n where n.status = 'pending';
  if agency_ids is not null then
    perform private.call_intake(null, agency_ids);
    insert into public.intake_jobs (agency_id, screen_id)
    select n.agency_id, n.id from new_rows n where n.status = 'pending'
    on conflict do nothing;
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

create or replace function private.tg_viewings__operation()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  is_closed boolean;
begin
  -- Held until the transaction ends, so that the operation is not closed meanwhile.
  select o.closed_at is not null into is_closed from public.operations o
  where o.agency_id = new.agency_id and o.id = new.operation_id and o.lead_id = new.lead_id for share;
  if is_closed is null then
    perform private.refuse_reference('operation_id', 'The lead has no such operation.', 'operation_of_another_lead');
  end if;
  -- What became of a viewing may be recorded afterwards.
  if is_closed and new.status = 'scheduled' then
    perform private.refuse('operation_closed', 'The operation is closed; no more viewings are arranged for it.');
  end if;
  return new;
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
  chosen_property_id uuid;
  operation public.operations;
begin
  perform private.judged(patch, '{
    "properties": {
      "stage": {"type": "string"},
      "lost_reason": {"type": "string", "maxLength": 1000, "nullable": true},
      "property_id": {"type": "string", "format": "uuid", "nullable": true}
    }}');
  if private.is_visible(patch ->> 'lost_reason') and not private.requires_reason(patch ->> 'stage') then
    perform private.refuse_request_member('lost_reason', (
      select format('goes only with stage %s', string_agg(distinct s.id, ' or ')) from public.stages s where s.requires_reason));
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
        lost_reason = case when private.requires_reason(patch ->> 'stage') then patch ->> 'lost_reason' else o.lost_reason end
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
    perform private.refuse_member('invalid_time', 'ends_at', 'end_out_of_range',
      'A viewing ends after it starts, and within a day.');
  end if;
  return ends_at;
end
$function$;

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
  form := regexp_replace(regexp_replace(form, '(?<!n)gh', 'G', 'g'), 'gu(?=[ei])', 'G', 'g');
  form := regexp_replace(form, 'ng(?![aeiouy])|ny(?=[aeiou])', 'N', 'g');
  form := replace(regexp_replace(form, 't[sz]|dz|c(?=[eiy])', 'S', 'g'), 'ph', 'F');
  forms := string_to_array(form, ' ');
  -- "Njegoš" and "Barzanji".
  forms := private.each_way(forms, 'nj(?=[aeiou])', '{N,nC}');
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
    select u.first, u.last, s.word, case
      when not s.sounds operator(pg_catalog.&&) u.sounds then 0.95 * private.sound_score(u.sounds, s.sounds)
      -- A short word has few sounds, so that many another one has them too (Cea, Cai; Cid, Saeed).
      when least(char_length(u.text), char_length(s.word)) <= 4 and private.word_score(s.word, u.text) < 0.5 then 0.8
      else 0.95 end
    from unit u
    join public.sanctions_words s on s.keys operator(pg_catalog.&&) u.keys
    union all
    -- Joined, words may sound otherwise than each of them: "Ming Hua" is "Minghua".
    select u.first, u.last, s.word, 0.95
    from unit u
    join public.sanctions_words s on s.word = u.text
    where u.first < u.last
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

alter table "public"."events"
  add constraint "lost_claims_are_limited" check (((lost_claims >= 0) AND (lost_claims <= 3)));

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

create view "public"."failed_deliveries" with (security_invoker=true) AS  SELECT d.target_url AS target,
    e.event_type,
    d.error,
        CASE
            WHEN (e.status <> 'delivered'::text) THEN 'not yet: it is tried again by itself'::text
            WHEN (s.id IS NULL) THEN 'no: the target is no longer subscribed'::text
            WHEN (d.state = 'unknown'::text) THEN 'careful: the target may have it already'::text
            WHEN elsewhere.arrived THEN 'careful: a target that has it would get it again'::text
            ELSE 'yes'::text
        END AS replay,
    d.attempt AS attempts,
    a.name AS agency,
    d.status_code,
    d.error_detail,
    d.started_at AS last_attempt_at,
    e.queued_at,
    e.reason,
    e.id AS event_id,
    e.subject_id,
    e.agency_id
   FROM ((((public.deliveries d
     JOIN public.events e ON (((e.agency_id = d.agency_id) AND (e.id = d.event_id))))
     JOIN public.agencies a ON ((a.id = e.agency_id)))
     LEFT JOIN public.subscriptions s ON (((s.agency_id = d.agency_id) AND (s.id = d.subscription_id))))
     CROSS JOIN LATERAL ( SELECT (EXISTS ( SELECT
                   FROM (public.deliveries o
                     JOIN public.subscriptions t ON (((t.agency_id = o.agency_id) AND (t.id = o.subscription_id))))
                  WHERE ((o.agency_id = e.agency_id) AND (o.event_id = e.id) AND (o.state = ANY (ARRAY['accepted'::text, 'unknown'::text]))))) AS arrived) elsewhere)
  WHERE ((d.state = ANY (ARRAY['failed'::text, 'unknown'::text])) AND (NOT (EXISTS ( SELECT
           FROM public.deliveries later
          WHERE ((later.event_id = d.event_id) AND (later.agency_id = d.agency_id) AND (later.subscription_id = d.subscription_id) AND (ROW(later.round, later.attempt) > ROW(d.round, d.attempt)))))))
  ORDER BY d.started_at DESC;

alter view "public"."failed_deliveries" owner to "postgres";

create view "public"."leads_without_agent" with (security_invoker=true) AS  SELECT l.full_name AS client,
    ( SELECT string_agg(((f.label || ': '::text) || s.label), ', '::text ORDER BY f.id) AS string_agg
           FROM ((public.operations o
             JOIN public.flows f ON ((f.id = o.flow)))
             JOIN public.stages s ON (((s.flow = o.flow) AND (s.id = o.stage))))
          WHERE ((o.agency_id = l.agency_id) AND (o.lead_id = l.id) AND (o.closed_at IS NULL))) AS open_operations,
    COALESCE(l.summary, l.intent, l.notes) AS wishes,
    l.phone,
    (floor((EXTRACT(epoch FROM (now() - l.created_at)) / (86400)::numeric)))::integer AS days_waiting,
    l.email,
    l.origin,
    l.temperature,
    g.name AS former_agent,
    a.name AS agency,
    l.created_at AS since,
    l.id AS lead_id,
    l.agency_id
   FROM ((public.leads l
     JOIN public.agencies a ON ((a.id = l.agency_id)))
     LEFT JOIN public.agents g ON (((g.agency_id = l.agency_id) AND (g.id = l.assigned_agent_id))))
  WHERE ((l.archived_at IS NULL) AND (g.active IS NOT TRUE))
  ORDER BY l.created_at;

alter view "public"."leads_without_agent" owner to "postgres";

create view "public"."pipeline_by_stage" with (security_invoker=true) AS  SELECT a.name AS agency,
    f.label AS flow,
    s.label AS stage,
    (count(o.id))::integer AS operations,
    (count(o.id) FILTER (WHERE ((o.closed_at IS NULL) AND (private.pending_actions(o.*) <> '[]'::jsonb))))::integer AS held_by_gate,
    sum(COALESCE(accepted.amount, p.price)) AS value,
    round(avg((EXTRACT(epoch FROM (now() - entered.at)) / (86400)::numeric)) FILTER (WHERE (o.closed_at IS NULL)), 1) AS average_days,
    min(entered.at) FILTER (WHERE (o.closed_at IS NULL)) AS longest_since,
    s.outcome,
    s."position",
    s.flow AS flow_id,
    s.id AS stage_id,
    a.id AS agency_id
   FROM ((((((public.agencies a
     CROSS JOIN public.stages s)
     JOIN public.flows f ON ((f.id = s.flow)))
     LEFT JOIN public.operations o ON (((o.agency_id = a.id) AND (o.flow = s.flow) AND (o.stage = s.id))))
     LEFT JOIN public.properties p ON (((p.agency_id = o.agency_id) AND (p.id = o.property_id))))
     LEFT JOIN public.offers accepted ON (((accepted.agency_id = o.agency_id) AND (accepted.operation_id = o.id) AND (accepted.status = 'accepted'::text) AND (accepted.currency = 'EUR'::text))))
     LEFT JOIN LATERAL ( SELECT max(h.occurred_at) AS at
           FROM public.stage_history h
          WHERE ((h.agency_id = o.agency_id) AND (h.operation_id = o.id))) entered ON (true))
  GROUP BY a.id, f.id, s.flow, s.id
  ORDER BY a.name, f.id, s."position";

alter view "public"."pipeline_by_stage" owner to "postgres";

create view "public"."possible_sanctions_matches" with (security_invoker=true) AS  SELECT l.full_name AS client,
    g.name AS agent,
    (entry.value ->> 'name'::text) AS listed_as,
    x.score,
    x.resolution,
    person.birth_date,
    (entry.value -> 'birth_dates'::text) AS listed_birth_dates,
    person.country AS nationality,
    (entry.value -> 'countries'::text) AS listed_countries,
    (entry.value ->> 'sanctions'::text) AS sanctions,
    jsonb_array_length(x.entries) AS candidates,
    (floor((EXTRACT(epoch FROM (now() - x.created_at)) / (86400)::numeric)))::integer AS days_waiting,
    x.resolution_by,
    a.name AS agency,
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

create view "public"."stuck_operations" with (security_invoker=true) AS  SELECT l.full_name AS client,
    g.name AS agent,
    COALESCE(p.title, p.street, p.reference) AS property,
    NULLIF(concat_ws(', '::text, pending.steps, awaited.label), ''::text) AS pending_steps,
    (floor((EXTRACT(epoch FROM (now() - entered.at)) / (86400)::numeric)))::integer AS days_in_stage,
    s.label AS stage,
    f.label AS flow,
    a.name AS agency,
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

create index contacts_to_compare on public.contacts using btree (agency_id, created_at, id)
  where (compared_at is null);

create index intake_jobs_spent on public.intake_jobs using btree (available_at)
  where (attempts >= 5);

create index intake_messages_by_turn on public.intake_jobs using btree (agency_id, available_at, id)
  where (message_id is not null);

create index intake_screens_by_turn on public.intake_jobs using btree (agency_id, available_at, id)
  where (screen_id is not null);

create index leads_by_contact on public.leads
  using btree (agency_id, contact_id, created_at desc, id desc);

create trigger _500_queue_qualification_again
  after update on public.messages referencing NEW table as new_rows
  for each STATEMENT
  execute function private.tg_messages__queue_qualification();

create trigger _500_queue_qualification
  after insert on public.messages referencing NEW table as new_rows
  for each STATEMENT
  execute function private.tg_messages__queue_qualification();

create trigger _500_by_hand
  after update of done on public.operation_steps
  for each row
  when ((new.done AND (NOT old.done) AND (pg_trigger_depth() = 0)))
  execute function private.tg_operation_steps__by_hand();

create trigger _500_queue_again
  after update on public.sanctions_screens referencing NEW table as new_rows
  for each STATEMENT
  execute function private.tg_sanctions_screens__queue();

create trigger _500_queue
  after insert on public.sanctions_screens referencing NEW table as new_rows
  for each STATEMENT
  execute function private.tg_sanctions_screens__queue();

create policy "select_with_credential" on "public"."required_dates"
  for select
  to "anon", "authenticated"
  using ((( select private.agency_id() as agency_id) is not null));

comment on column "public"."documents"."kind" is 'viewing_sheet, identity, mandate, reservation, contract, deed, deposit_receipt, land_registry_note, energy_certificate, proof_of_income or other. Received, it closes the step that waits for its kind: gate_steps.closed_by.';

comment on column "public"."events"."lost_claims" is 'Claims by runs that died before they announced a POST; they cost no attempt. At most 3 a round: any more count as attempts, so that an event that kills drains ends as well.';

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

comment on function "admin"."close_step"(uuid, text, numeric) is 'Closes a gate step by hand, as ticking its row does: ofertaPreparada creates an offer of that amount, precioAcordado accepts the latest one. Repeating it changes nothing. Errors: not_found, unknown_step, amount_not_taken, step_closed (with an amount), amount_required, property_required, offer_required, operation_closed.';

comment on function "admin"."create_api_key"(uuid, text, text[], uuid, timestamp
  with time zone, integer) is 'Makes an API key and returns it. This is the only time it can be read: only its hash is stored. Permissions: <resource>:read and :write of leads, operations, properties, viewings, offers, signatures, documents. Errors: unknown_permission (with those that there are).';

comment on function "admin"."record_deposit"(uuid, timestamp
  with time zone) is 'Records that the deposit of a rental was paid, now or when it is said to have been, or corrects the date; it can close as rented then. Errors: not_found, deposit_not_taken (no rental), invalid_time (in the future).';

comment on function "admin"."reopen_step"(uuid, text) is 'Opens a gate step again that was closed by hand. Repeating it changes nothing. Errors: not_found, unknown_step, step_not_reopened (what closed it still holds), operation_closed.';

comment on function "api"."create_hook"(jsonb, text) is 'Subscribes {event_type, target_url}; the same pair again returns the id that exists. Permission: read of the event''s resource. Errors: invalid_body, invalid_target, too_many_hooks (20 for each event), idempotency_key_reused.';

comment on function "api"."create_lead"(jsonb, text) is 'A new lead with its side effects in one transaction: contact found or created, lead inserted, given to the agent who looks after the contact, else to the next in turn, operation opened (if its type is named), sanctions screen started, mail stored for qualification. The background part is asked to start at once. Phone in E.164 where it could be read, else as it came; the same for the e-mail. The answer says whether the contact was known and, to who may read operations, which are open. Permission leads:write. Errors: operation_type_not_allowed, idempotency_key_reused.';

comment on function "api"."create_operation"(jsonb, text) is 'Opens an operation {lead_id, operation_type, stage?}: 201 with the new one, or 200 with the open one of that type that the lead already has. Permission operations:write. Errors: invalid_body, unknown_reference, invalid_stage, idempotency_key_reused, conflict.';

comment on function "api"."intake_claim"(integer, text) is 'For the intake: claims jobs, of both kinds or of one, message or screen, and returns them with what they are about. Service role only.';

comment on function "api"."list_operations"(text, text, uuid, boolean, integer, text) is
  'The agency''s operations, newest first: {data, next_cursor}. Permission operations:read. Errors: invalid_stage, invalid_query.';

comment on function "api"."sample_hook"(text, integer, text) is 'Rows already in the event''s state, latest first: {data, next_cursor}, each as the event would carry it. Permission: read of the event''s resource. Errors: invalid_query.';

comment on function "api"."update_viewing"(uuid, jsonb) is 'Moves a scheduled viewing {starts_at, ends_at or duration_minutes (else it keeps its length), agent_id}, says what became of it {status: done, cancelled, no_show} or notes something. done, which can be said from 15 minutes before the start on, closes the step that waits for a viewing. Permission viewings:write. Errors: not_found, nothing_to_change, invalid_transition, invalid_time, unknown_reference, conflict.';

comment on function "private"."awaited_date"(public.operations, public.stages) is
  'The date that an operation lacks to enter a stage: the database''s own gate. Null when it lacks none.';

comment on function "private"."call_intake"(uuid[], uuid[]) is 'Calls the intake for mail and screens of these agencies that this transaction is about to queue; the request goes out only if it commits. Returns the request''s id in pg_net; null when one is on its way already. What slips through is found by the minute job.';

comment on function "private"."close_steps"(uuid, uuid, text) is 'Closes the gate steps of an operation that an event closes, as gate_steps.closed_by names it. Nothing to do where the flow has no such step or it is closed.';

comment on function "private"."compare_contacts"(integer, interval) is 'Compares new and changed contacts with the others of their agency for near-duplicates, agency by agency in turn, until so many are done or the time is up; the next run goes on. Suggests to merge those that have one phone, or a name and mailbox alike; a pair once. Run each minute by pg_cron, so that no request waits for it. Returns how many it compared.';

comment on function "private"."contacts_named_like"(uuid, text, numeric, integer) is
  'Contacts of an agency whose names have so many trigrams in common with one, at most so many of them.';

comment on function "private"."contacts_to_compare"(integer) is 'The next contacts to compare: the longest waiting of each agency, turn by turn.';

comment on function "private"."drain_begin"(uuid, integer, integer, boolean) is
  'Starts a drain run, or one that continues another and takes what was due for that one. First takes back the events of runs that died: their open deliveries become unknown, and the events are settled; those that had no POST announced get their attempt back, up to 3 times a round. Returns {run_id, reclaimed}.';

comment on function "private"."held_step"(uuid, text) is 'A gate step of an operation, for the hand that closes it. Errors: not_found (the operation), unknown_step (with the steps that it has).';

comment on function "private"."intake_claim"(integer, text) is 'Claims up to max_jobs of one kind (message, screen) or of both for 200 s, turn by turn over agencies, and counts the attempt. Returns {claim_id, jobs: [{agency_id, id, attempt, message: {subject, body} or null, person: {name, birth_date, country} or null}]}.';

comment on function "private"."intake_turns"(text, integer) is 'The first jobs of one kind, message or screen, of every agency for which some wait: which turn each has in its agency, and since when it waits.';

comment on function "private"."ipv4_address"(text) is 'The address that a host of numbers means to a URL parser, which knows forms that Postgres does not: 127.1, 2130706433, 0x7f.1. Null for what is none.';

comment on function "private"."ipv4_number"(text) is 'A part of an IPv4 address, decimal, octal (010) or hexadecimal (0x8); null for what is none.';

comment on function "private"."is_currency"(text) is 'Whether a text is an ISO 4217 code of a currency that people pay with.';

comment on function "private"."is_day"(text) is 'Whether a text is a day of the calendar, as 2026-05-04.';

comment on function "private"."is_public_address"(inet) is 'Whether an address belongs to the public internet: none of the private, loopback, link-local, CGNAT, multicast and reserved ranges, and no IPv6 address that wraps an IPv4 one. As in functions/_shared/addresses.ts.';

comment on function "private"."is_time"(text) is 'Whether a text is a day and a time in ISO 8601, as 2026-05-04T17:30 or 2026-05-04T17:30:00+02:00.';

comment on function "private"."is_visible"(text) is 'Whether a text has a character that shows.';

comment on function "private"."judged"(jsonb, jsonb, text) is 'A body or a query as it came, once it is judged by its contract: {properties: {member: rule}, required: [member]}. Members that are missing, not known or not as the rule says are named: reason invalid_body or invalid_query.';

comment on function "private"."known_client"(uuid) is 'What is known of a person who comes back: the agent who looks after them (whoever has their newest lead that is not archived, among those who take leads; null when there is none), and their open operations, newest first, as the answer to a new lead shows them; null for who may not read operations.';

comment on function "private"."known_permissions"() is 'Every permission there is, <resource>:read and <resource>:write. The contracts have the same ones.';

comment on function "private"."list_page"(uuid, text, text, text, text[], jsonb, integer, text) is
  'One page of a list, newest first: {data, next_cursor}. Keyset, so inserts do not shift it. Conditions name the row t and read the filters from $2. Refuses with invalid_cursor, invalid_query.';

comment on function "private"."near_duplicates"(public.contacts, uuid[]) is
  'The suggestions for a contact, from those of its agency that have its phone, its mailbox (the e-mail up to the @) or, as given, a name like its own.';

comment on function "private"."number_problem"(numeric, jsonb) is 'What is wrong with a number by a member''s rule; null for nothing.';

comment on function "private"."private_targets_allowed"() is 'Whether hooks may point into a private network, for tests on one''s own machine: the secret hooks_allow_private_targets in Vault is true. The functions have HOOKS_ALLOW_PRIVATE_TARGETS for it; the local stack sets both by that.';

comment on function "private"."problem_with"(jsonb, jsonb) is 'What is wrong with a value by a member''s rule; null for nothing.';

comment on function "private"."raise_error"(integer, text, text, jsonb, jsonb, jsonb) is
  'Refuses with an HTTP status: SQLSTATE PT<status>, a sentence for people as message, and {"code","details","issue","hints","rate_limit"} as detail. REST does not show issue and hints: issue is what `details.issues` says in words, {"code","values"}, for other languages; hints tell the connector how to go on. Codes: unauthorized, forbidden, not_found, conflict, validation_error, rate_limited.';

comment on function "private"."refuse_lead_type"(text) is 'Refuses a type of operation that a lead does not come in with: one that no flow is for (invalid_body), or an owner''s (operation_type_not_allowed).';

comment on function "private"."refuse_member"(text, text, text, text, jsonb, text, jsonb) is
  'private.refuse for what is wrong with one member or parameter: `issues` names its path and says the message of the issue, or else that of the error. The codes of issues are those of types/contracts/issues.ts.';

comment on function "private"."refuse_reference"(text, text, text) is 'Refuses an id in a request body that the caller''s agency does not have: reason unknown_reference with the member''s path.';

comment on function "private"."refuse_request"(text, jsonb) is 'Refuses a body (invalid_body) or a query (invalid_query) that does not fit, and names what does not: [{path, message}].';

comment on function "private"."refuse_request_member"(text, text, text) is 'The same for one member.';

comment on function "private"."refuse_to_reopen"(public.operations, text) is
  'Refuses to open a step again while what closed it holds (step_not_reopened): an offer, an accepted offer, the property chosen, a viewing that took place, a document received.';

comment on function "private"."refuse_unknown_type"(text, text) is 'Refuses a type of operation that no flow is for (invalid_body, invalid_query).';

comment on function "private"."reopen_steps"(uuid, uuid, text) is 'Opens gate steps again because what closed them no longer holds.';

comment on function "private"."requires_reason"(text, text) is 'Whether a stage, of the flow or of any, is entered only with a lost_reason.';

comment on function
  "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
  integer[], text[], real[]) is 'How much listed names may be that of some words, 0 to 1, by the spellings of private.word_spellings: all words of one of the two must have a counterpart in the other, in whatever order, or be its initial; where the asked name has more words, a near one.';

comment on function "private"."stage_ahead"(text, text) is 'Where an operation goes from an active stage: to the next one, or from the last one to a successful close, the first of them. None from a closing stage.';

comment on function "private"."string_problem"(text, jsonb) is 'What is wrong with a text by a member''s rule; null for nothing.';

comment on function "private"."target_problem"(text) is 'Why events cannot be posted to a URL; null when they can, as far as the URL tells. The sentences are those of functions/_shared/target.ts.';

comment on function "private"."tg_documents__completed"() is 'A received document closes the step that waits for its kind; the first completion queues document_completed.';

comment on function "private"."tg_messages__queue_qualification"() is 'Queues messages that are to be qualified, and has the intake called for them.';

comment on function "private"."tg_offers__accepted"() is 'What acceptance does: the property returns to pending, its listings are paused, the step that waits for it closes, and the first time offer_accepted is queued.';

comment on function "private"."tg_offers__no_longer_accepted"() is 'An accepted offer that is rejected or withdrawn opens the step again that it closed. The property and its listings are left to people.';

comment on function "private"."tg_offers__recorded"() is 'Recording an offer closes the step that waits for one.';

comment on function "private"."tg_operation_steps__by_hand"() is 'Ticking a step by hand does what gate_steps.by_hand says: creates an offer (amount_required, property_required), or accepts the latest one (offer_required).';

comment on function "private"."tg_operation_steps__done"() is 'Dates the closing of a step. By hand, refuses every change on a closed operation (operation_closed), and to reopen a step while what closed it holds (step_not_reopened).';

comment on function "private"."tg_operations__keep_identity"() is 'An operation keeps its lead, type and flow, and its closing dates follow from its stage (change_refused). Of a closed one only the date of its deposit may be set or corrected, but not removed, and the reason of a lost one corrected, but not removed (operation_closed). Notes when the row last changed.';

comment on function "private"."tg_operations__property_chosen"() is 'Choosing the property closes the step that waits for it; taking the choice back opens it again.';

comment on function "private"."tg_sanctions_screens__queue"() is 'Queues sanctions screens that are to be resolved, and has the intake called for them.';

comment on function "private"."tg_viewings__done"() is 'A viewing that took place closes the step of its operation that waits for one.';

comment on table "public"."flows" is 'The journeys an operation can follow. The same for every agency. A flow is added by rows alone: here, in required_dates, stages and gate_steps.';

comment on table "public"."operations" is 'A deal of a lead. It walks its flow one stage at a time, through gates, to a closing stage.';

comment on table "public"."required_dates" is 'The dates that the database asks for before an operation may enter a stage, whose stages.requires names one.';

comment on type "private"."task" is 'Something that waits to be done: what, whose turn it is (agency or client), for whom, since when and until when. A pending step with its label and what closes it, as gate_steps.closed_by says or the column of a required date.';

comment on view "public"."failed_deliveries" is 'Events that a target did not take, or may not have taken, when it was last tried: a row for each event and target, the newest first. What a replay brought after all is left out.';

comment on view "public"."leads_without_agent" is 'Leads that nobody looks after: never assigned, or assigned to an agent who is no longer active; the longest waiting first. Set leads.assigned_agent_id.';

comment on view "public"."pipeline_by_stage" is 'How many operations stand at each stage of each flow, agency by agency, empty stages included. Closing stages count all that ever closed so.';

comment on view "public"."possible_sanctions_matches" is 'People who may be on a sanctions list, by the last result of each lead; those that nobody has decided about first. Decide with select admin.resolve_sanctions_match(screen_id, ''cleared'' or ''confirmed'', reason).';

comment on view "public"."stuck_operations" is 'Open operations that have stood at one stage for more than a week and have no viewing ahead, the longest waiting first. Those of archived leads are left out.';

revoke all on function "admin"."close_step"(uuid, text, numeric) from public;

revoke all on function "admin"."close_step"(uuid, text, numeric) from "postgres";

grant execute on function "admin"."close_step"(uuid, text, numeric) to "postgres";

grant execute on function "admin"."close_step"(uuid, text, numeric) to "service_role";

revoke all on function "admin"."record_deposit"(uuid, timestamp with time zone) from public;

revoke all on function "admin"."record_deposit"(uuid, timestamp with time zone) from "postgres";

grant execute on function "admin"."record_deposit"(uuid, timestamp with time zone) to "postgres";

grant execute on function "admin"."record_deposit"(uuid, timestamp with time zone) to "service_role";

revoke all on function "admin"."reopen_step"(uuid, text) from public;

revoke all on function "admin"."reopen_step"(uuid, text) from "postgres";

grant execute on function "admin"."reopen_step"(uuid, text) to "postgres";

grant execute on function "admin"."reopen_step"(uuid, text) to "service_role";

revoke all on function "api"."intake_claim"(integer, text) from public;

revoke all on function "api"."intake_claim"(integer, text) from "postgres";

grant execute on function "api"."intake_claim"(integer, text) to "postgres";

grant execute on function "api"."intake_claim"(integer, text) to "service_role";

revoke all on function "private"."awaited_date"(public.operations, public.stages) from public;

grant execute
  on function "private"."awaited_date"(public.operations, public.stages)
  to "anon", "authenticated";

revoke all on function "private"."awaited_date"(public.operations, public.stages) from "postgres";

grant execute on function "private"."awaited_date"(public.operations, public.stages) to "postgres";

revoke all on function "private"."call_intake"(uuid[], uuid[]) from public;

revoke all on function "private"."call_intake"(uuid[], uuid[]) from "postgres";

grant execute on function "private"."call_intake"(uuid[], uuid[]) to "postgres";

revoke all on function "private"."close_steps"(uuid, uuid, text) from public;

revoke all on function "private"."close_steps"(uuid, uuid, text) from "postgres";

grant execute on function "private"."close_steps"(uuid, uuid, text) to "postgres";

revoke all on function "private"."contacts_named_like"(uuid, text, numeric, integer) from public;

revoke all on function "private"."contacts_named_like"(uuid, text, numeric, integer) from "postgres";

grant execute
  on function "private"."contacts_named_like"(uuid, text, numeric, integer)
  to "postgres";

revoke all on function "private"."contacts_to_compare"(integer) from public;

revoke all on function "private"."contacts_to_compare"(integer) from "postgres";

grant execute on function "private"."contacts_to_compare"(integer) to "postgres";

revoke all on function "private"."held_step"(uuid, text) from public;

revoke all on function "private"."held_step"(uuid, text) from "postgres";

grant execute on function "private"."held_step"(uuid, text) to "postgres";

revoke all on function "private"."intake_claim"(integer, text) from public;

revoke all on function "private"."intake_claim"(integer, text) from "postgres";

grant execute on function "private"."intake_claim"(integer, text) to "postgres";

grant execute on function "private"."intake_claim"(integer, text) to "service_role";

revoke all on function "private"."intake_turns"(text, integer) from public;

revoke all on function "private"."intake_turns"(text, integer) from "postgres";

grant execute on function "private"."intake_turns"(text, integer) to "postgres";

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

revoke all on function "private"."known_client"(uuid) from public;

grant execute on function "private"."known_client"(uuid) to "anon", "authenticated";

revoke all on function "private"."known_client"(uuid) from "postgres";

grant execute on function "private"."known_client"(uuid) to "postgres";

revoke all on function "private"."known_permissions"() from public;

revoke all on function "private"."known_permissions"() from "postgres";

grant execute on function "private"."known_permissions"() to "postgres";

revoke all on function "private"."near_duplicates"(public.contacts, uuid[]) from public;

revoke all on function "private"."near_duplicates"(public.contacts, uuid[]) from "postgres";

grant execute on function "private"."near_duplicates"(public.contacts, uuid[]) to "postgres";

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

revoke all on function "private"."raise_error"(integer, text, text, jsonb, jsonb, jsonb) from public;

grant execute
  on function "private"."raise_error"(integer, text, text, jsonb, jsonb, jsonb)
  to "anon", "authenticated";

revoke all
  on function "private"."raise_error"(integer, text, text, jsonb, jsonb, jsonb)
  from "postgres";

grant execute
  on function "private"."raise_error"(integer, text, text, jsonb, jsonb, jsonb)
  to "postgres";

grant execute
  on function "private"."raise_error"(integer, text, text, jsonb, jsonb, jsonb)
  to "service_role";

revoke all on function "private"."refuse_lead_type"(text) from public;

grant execute on function "private"."refuse_lead_type"(text) to "anon", "authenticated";

revoke all on function "private"."refuse_lead_type"(text) from "postgres";

grant execute on function "private"."refuse_lead_type"(text) to "postgres";

revoke all
  on function "private"."refuse_member"(text, text, text, text, jsonb, text, jsonb)
  from public;

grant execute
  on function "private"."refuse_member"(text, text, text, text, jsonb, text, jsonb)
  to "anon", "authenticated";

revoke all
  on function "private"."refuse_member"(text, text, text, text, jsonb, text, jsonb)
  from "postgres";

grant execute
  on function "private"."refuse_member"(text, text, text, text, jsonb, text, jsonb)
  to "postgres";

revoke all on function "private"."refuse_reference"(text, text, text) from public;

grant execute on function "private"."refuse_reference"(text, text, text) to "anon", "authenticated";

revoke all on function "private"."refuse_reference"(text, text, text) from "postgres";

grant execute on function "private"."refuse_reference"(text, text, text) to "postgres";

revoke all on function "private"."refuse_request"(text, jsonb) from public;

grant execute on function "private"."refuse_request"(text, jsonb) to "anon", "authenticated";

revoke all on function "private"."refuse_request"(text, jsonb) from "postgres";

grant execute on function "private"."refuse_request"(text, jsonb) to "postgres";

revoke all on function "private"."refuse_request_member"(text, text, text) from public;

grant execute
  on function "private"."refuse_request_member"(text, text, text)
  to "anon", "authenticated";

revoke all on function "private"."refuse_request_member"(text, text, text) from "postgres";

grant execute on function "private"."refuse_request_member"(text, text, text) to "postgres";

revoke all on function "private"."refuse_to_reopen"(public.operations, text) from public;

revoke all on function "private"."refuse_to_reopen"(public.operations, text) from "postgres";

grant execute on function "private"."refuse_to_reopen"(public.operations, text) to "postgres";

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

revoke all on function "private"."string_problem"(text, jsonb) from public;

grant execute on function "private"."string_problem"(text, jsonb) to "anon", "authenticated";

revoke all on function "private"."string_problem"(text, jsonb) from "postgres";

grant execute on function "private"."string_problem"(text, jsonb) to "postgres";

revoke all on function "private"."target_problem"(text) from public;

grant execute on function "private"."target_problem"(text) to "anon", "authenticated";

revoke all on function "private"."target_problem"(text) from "postgres";

grant execute on function "private"."target_problem"(text) to "postgres";

grant select on table "public"."required_dates" to "anon", "authenticated";

alter table "public"."api_keys"
  add constraint "permissions_are_known" check ((permissions <@ private.known_permissions()));

alter table "public"."offers"
  add constraint "currency_is_iso_4217" check (private.is_currency(currency));

create index contacts_by_mailbox on public.contacts
  using btree (agency_id, split_part(email, '@'::text, 1))
  where (email_is_valid AND (merged_into is null));

comment on column public.failed_deliveries.error is 'Why the last attempt failed, as a word; see deliveries.error.';

comment on column public.failed_deliveries.agency is 'The agency.';

comment on column public.failed_deliveries.reason is 'What became of the event as a whole; see events.reason.';

comment on column public.failed_deliveries.replay is 'Whether select admin.replay_event(event_id) makes sense, which posts the event again to every target subscribed now: yes, careful, no or not yet, and why.';

comment on column public.failed_deliveries.target is 'Where it was posted to.';

comment on column public.failed_deliveries.attempts is 'Attempts at it since the event was queued or last replayed, at most 3.';

comment on column public.failed_deliveries.event_id is 'The event, as in events.id; admin.replay_event takes it.';

comment on column public.failed_deliveries.agency_id is 'The agency, as in agencies.id.';

comment on column public.failed_deliveries.queued_at is 'When the event happened.';

comment on column public.failed_deliveries.event_type is 'deal_won, offer_accepted, signature_signed or document_completed.';

comment on column public.failed_deliveries.subject_id is 'The operation, offer, signature or document.';

comment on column public.failed_deliveries.status_code is 'HTTP status of the last answer, if one came.';

comment on column public.failed_deliveries.error_detail is 'The failure in words.';

comment on column public.failed_deliveries.last_attempt_at is 'When it was last posted.';

comment on column public.leads_without_agent.email is 'Their e-mail.';

comment on column public.leads_without_agent.phone is 'Their phone.';

comment on column public.leads_without_agent.since is 'When the lead came in.';

comment on column public.leads_without_agent.agency is 'The agency.';

comment on column public.leads_without_agent.client is 'The person.';

comment on column public.leads_without_agent.origin is 'Where the lead came from.';

comment on column public.leads_without_agent.wishes is 'What the person wants: the summary, else the intent, else the notes.';

comment on column public.leads_without_agent.lead_id is 'The lead, as in leads.id.';

comment on column public.leads_without_agent.agency_id is 'The agency, as in agencies.id.';

comment on column public.leads_without_agent.temperature is 'hot, warm or cold; null until qualified.';

comment on column public.leads_without_agent.days_waiting is 'For how many whole days the lead has been there.';

comment on column public.leads_without_agent.former_agent is 'The agent who looked after the lead and is no longer active.';

comment on column public.leads_without_agent.open_operations is 'The operations that wait with them, flow and stage.';

comment on column public.pipeline_by_stage.flow is 'The flow: Compra, Alquiler, Venta or another.';

comment on column public.pipeline_by_stage.stage is 'The stage.';

comment on column public.pipeline_by_stage.value is 'What those are worth together, in EUR, that have an accepted offer or else a property with a price; a month''s rent each in the flow of rentals.';

comment on column public.pipeline_by_stage.agency is 'The agency.';

comment on column public.pipeline_by_stage.flow_id is 'The flow, as in operations.flow.';

comment on column public.pipeline_by_stage.outcome is 'Null for an active stage; success or failure for a closing one.';

comment on column public.pipeline_by_stage."position" is 'Order of the stage in its flow.';

comment on column public.pipeline_by_stage.stage_id is 'The stage, as in operations.stage.';

comment on column public.pipeline_by_stage.agency_id is 'The agency, as in agencies.id.';

comment on column public.pipeline_by_stage.operations is 'How many operations stand there.';

comment on column public.pipeline_by_stage.average_days is 'For how many days they have stood there on average.';

comment on column public.pipeline_by_stage.held_by_gate is 'How many of them wait for a step of the stage''s gate.';

comment on column public.pipeline_by_stage.longest_since is 'Since when the one has stood there that has waited longest.';

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

-- Names are read otherwise now, so what is stored of them is made anew.
select private.list_sanctions_names_again();

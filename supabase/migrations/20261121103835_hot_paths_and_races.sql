set local check_function_bodies = off;

revoke all on function "private"."all_trigrams"(text, text) from "anon";

revoke all on function "private"."all_trigrams"(text, text) from "authenticated";

revoke all on function "private"."file_name"(public.documents) from "anon";

revoke all on function "private"."file_name"(public.documents) from "authenticated";

revoke all on function "private"."likeness"(text[], text) from "anon";

revoke all on function "private"."likeness"(text[], text) from "authenticated";

revoke all on function "private"."next_action"(public.leads, uuid) from "anon";

revoke all on function "private"."next_action"(public.leads, uuid) from "authenticated";

revoke all on function "private"."operation_json"(public.operations) from "anon";

revoke all on function "private"."operation_json"(public.operations) from "authenticated";

revoke all on function "private"."operation_summary"(public.operations) from "anon";

revoke all on function "private"."operation_summary"(public.operations) from "authenticated";

revoke all on function "private"."pending_actions"(public.operations) from "service_role";

revoke all on function "private"."plain_text"(text) from "service_role";

revoke all on function "private"."plain_words"(text) from "service_role";

revoke all on function "private"."refuse_reference"(text, text) from "service_role";

revoke all on function "private"."search_query"(uuid, text[], boolean) from "anon";

revoke all on function "private"."search_query"(uuid, text[], boolean) from "authenticated";

revoke all on function "private"."search_vector"(uuid, text) from "service_role";

revoke all on function "private"."searched_text"(text[]) from "service_role";

revoke all on table "public"."listings" from "anon";

revoke all on table "public"."listings" from "authenticated";

revoke all ("lost_reason") on table "public"."operations" from "anon";

revoke all ("property_id") on table "public"."operations" from "anon";

revoke all ("lost_reason") on table "public"."operations" from "authenticated";

revoke all ("property_id") on table "public"."operations" from "authenticated";

drop policy "update_own" on "public"."operations";

drop trigger "_900_updated_at" on "public"."operations";

drop index "public"."gate_steps_by_stage";

drop index "public"."messages_to_qualify";

drop index "public"."sanctions_screens_to_resolve";

drop index "public"."stage_history_by_operation";

alter table "public"."agencies"
  drop constraint "name_is_not_blank";

alter table "public"."agents"
  drop constraint "email_is_normal";

alter table "public"."agents"
  drop constraint "name_is_not_blank";

alter table "public"."api_keys"
  drop constraint "name_is_not_blank";

alter table "public"."operations"
  drop constraint "lost_has_reason";

alter table "public"."stage_history"
  drop constraint "stage_history_pkey";

create or replace function api.create_hook (
  body            jsonb,
  idempotency_key text  default null::text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize_event(body ->> 'event_type');
  answer jsonb := private.replay('create_hook', idempotency_key, body);
  target text := private.one_spelling(body ->> 'target_url');
  hook_id uuid;
begin
  if answer is not null then
    return answer;
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
    perform private.refuse('invalid_stage', 'An operation starts at an active stage of its flow.');
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

create or replace function api.get_operation (
  operation_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.get_operation(operation_id);
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
      '{"issues": [{"path": "stage", "message": "No flow has such a stage."}]}');
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
  caller private.principal := private.authorize_event(event_type);
begin
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

create or replace function api.update_operation (
  operation_id uuid,
  patch        jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return private.update_operation(operation_id, patch);
end
$function$;

create or replace function private.agent_json (
  agent public.agents
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  -- Without the e-mail address: any credential may read agents, the one inside a public website too.
  return jsonb_build_object(
    'id', agent.id,
    'name', agent.name,
    'role', agent.role,
    'active', agent.active,
    'accepts_leads', agent.accepts_leads,
    'created_at', agent.created_at
  );
end
$function$;

create or replace function private.decode_cursor (
  list        text,
  page_cursor text,
  OUT         position_at timestamp with time zone,
  OUT         id uuid
)
  returns record
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  parts text[];
begin
  if page_cursor is null then
    return;
  end if;
  begin
    parts := regexp_match(
      convert_from(decode(rpad(translate(page_cursor, '-_', '+/'), (length(page_cursor) + 3) / 4 * 4, '='), 'base64'), 'UTF8'),
      '^([a-z_]+)\.([0-9]{1,16})\.([0-9a-f-]{36})$');
    position_at := timestamptz 'epoch' + parts[2]::bigint * interval '1 microsecond';
    id := parts[3]::uuid;
  exception when data_exception then
    parts := null;
  end;
  if parts is null or parts[1] <> list then
    perform private.refuse('invalid_cursor', 'The cursor was not made by this list.');
  end if;
end
$function$;

create or replace function private.drain_announce (
  run_id     uuid,
  deliveries jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  AS $function$
declare
  granted jsonb;
begin
  -- First the events by their keys: joined together with the subscriptions, an agency's whole queue may be read.
  with held as materialized (
    select w.id as delivery_id, w.subscription_id, e.*
    from jsonb_to_recordset(deliveries) as w (id uuid, agency_id uuid, event_id uuid, subscription_id uuid)
    join public.events e on e.agency_id = w.agency_id and e.id = w.event_id
    -- An exchange takes 10 s at most, so it is over before the lease is.
    where e.run_id = drain_announce.run_id and e.lease_until > clock_timestamp() + interval '20 seconds'
    -- A drain that takes the run for dead passes over what is locked, and finds these rows the next time.
    for key share of e
  ),
  announced as (
    insert into public.deliveries (agency_id, id, event_id, subscription_id, target_url, round, attempt, run_id)
    select held.agency_id, held.delivery_id, held.id, s.id, s.target_url, held.round, held.attempts, held.run_id
    from held
    join public.subscriptions s
      on s.agency_id = held.agency_id and s.id = held.subscription_id and s.id = any (held.subscription_ids)
    on conflict do nothing
    returning id
  )
  select coalesce(jsonb_agg(announced.id), '[]') into granted from announced;

  if jsonb_array_length(granted) < jsonb_array_length(deliveries) then
    -- Some may have been announced before by a call whose answer was lost.
    select coalesce(jsonb_agg(d.id), '[]') into granted
    from jsonb_to_recordset(deliveries) as w (id uuid, agency_id uuid)
    join public.deliveries d on d.agency_id = w.agency_id and d.id = w.id
    where d.run_id = drain_announce.run_id and d.state = 'posting';
  end if;
  return granted;
end
$function$;

create or replace function private.drain_claim (
  run_id        uuid,
  max_events    integer,
  busy_agencies uuid[]
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  set plan_cache_mode to 'force_custom_plan'
  set "TimeZone" to 'UTC'
  AS $function$
declare
  run_started_at timestamptz;
  agency_ids uuid[];
  event_ids uuid[];
  claimed_events jsonb;
  untargeted public.events[];
  bodiless public.events[];
begin
  select r.started_at into run_started_at from public.drain_runs r where r.id = drain_claim.run_id and r.finished_at is null;
  if run_started_at is null then
    perform private.raise_error(404, 'not_found', 'There is no such drain run at work.');
  end if;

  with recursive heads as (
    -- Walks from agency to agency in the index, so that a long queue of one costs the others nothing.
    (select e.agency_id, e.available_at from public.events e
     where e.status = 'pending'
     order by e.agency_id, e.available_at limit 1)
    union all
    select next_head.agency_id, next_head.available_at
    from heads
    cross join lateral (
      select e.agency_id, e.available_at from public.events e
      where e.status = 'pending' and e.agency_id > heads.agency_id
      order by e.agency_id, e.available_at limit 1
    ) as next_head
  ),
  open_agencies as (
    select h.agency_id, h.available_at, count(*) over () as agencies
    from heads h
    where h.available_at <= run_started_at and h.agency_id <> all (busy_agencies)
    order by h.available_at
    limit max_events
  )
  select array_agg(turn.agency_id), array_agg(turn.id) into agency_ids, event_ids
  from open_agencies o
  cross join lateral (
    select e.agency_id, e.id from public.events e
    where e.agency_id = o.agency_id and e.status = 'pending' and e.available_at <= run_started_at
    order by e.available_at, e.id
    limit greatest(1, max_events / o.agencies)
    for update skip locked
  ) as turn;

  -- A statement of its own, which is planned for as many as were picked: in one with the walk above, the planner
  -- expects tens of thousands, and reads the whole table to find them.
  with targeted as (
    select e.agency_id, e.id, targets.list
    from unnest(agency_ids, event_ids) as picked (agency_id, id)
    join public.events e on e.agency_id = picked.agency_id and e.id = picked.id
    left join lateral (
      select jsonb_agg(jsonb_build_object('subscription_id', s.id, 'url', s.target_url)) as list
      from public.subscriptions s
      where s.agency_id = e.agency_id and s.id = any (e.subscription_ids)
        and not exists (
          select from public.deliveries d
          where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.subscription_id = s.id
            and d.state in ('posting', 'accepted', 'unknown'))
    ) as targets on true
  ),
  claimed as (
    update public.events e
    set status = 'claimed',
        attempts = e.attempts + 1,
        run_id = drain_claim.run_id,
        -- Longer than any run: a function lives 150 s at most.
        lease_until = clock_timestamp() + interval '200 seconds',
        body = coalesce(e.body, case when t.list is not null then private.event_body(e.event_type, e.agency_id, e.subject_id) end)
    from targeted t
    where e.agency_id = t.agency_id and e.id = t.id
    returning e as event, t.list
  )
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'agency_id', (c.event).agency_id,
      'id', (c.event).id,
      'event_type', (c.event).event_type,
      'body', (c.event).body,
      'targets', c.list
    )) filter (where c.list is not null and (c.event).body is not null), '[]'),
    array_agg(c.event) filter (where c.list is null),
    array_agg(c.event) filter (where c.list is not null and (c.event).body is null)
  into claimed_events, untargeted, bodiless
  from claimed c;

  perform private.settle_events(array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id))
  from unnest(untargeted) e having count(*) > 0;

  update public.events e
  set status = case when e.attempts >= 3 then 'delivered' else 'pending' end,
      reason = 'not_serializable',
      run_id = null,
      lease_until = null,
      available_at = clock_timestamp(),
      delivered_at = case when e.attempts >= 3 then clock_timestamp() end
  from unnest(bodiless) b
  where e.agency_id = b.agency_id and e.id = b.id;

  return jsonb_build_object(
    'events', claimed_events,
    'without_post', coalesce(cardinality(untargeted), 0) + coalesce(cardinality(bodiless), 0));
end
$function$;

create or replace function private.get_operation (
  operation_id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize('operations:read');
  operation jsonb;
begin
  select private.operation_json(o) into operation from public.operations o
  where o.agency_id = caller.agency_id and o.id = get_operation.operation_id;
  if operation is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  return operation;
end
$function$;

alter function "private"."get_operation"(uuid) owner to "postgres";

create or replace function private.names_compatible (
  a text,
  b text
)
  returns boolean
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
declare
  words_a text[] := private.plain_words(a);
  words_b text[] := private.plain_words(b);
begin
  -- "José García" and "Jose Garcia López" may be one person; "Ana Ruiz" and "Luis Ruiz" are two.
  return a = b or (words_a <> '{}' and words_b <> '{}' and (words_a <@ words_b or words_b <@ words_a));
end
$function$;

create or replace function private.one_spelling (
  target_url text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  parts text[] := regexp_match(target_url, '^https://([^/?#]+)([^#]*)', 'i');
  host text := regexp_replace(regexp_replace(lower(parts[1]), ':(443)?$', ''), '\.(?=:|$)', '');
begin
  -- What is no https URL is left to the checks of the table.
  if parts is null then
    return target_url;
  end if;
  return 'https://' || host || case when parts[2] like '/%' then '' else '/' end || parts[2];
end
$function$;

alter function "private"."one_spelling"(text) owner to "postgres";

create or replace function private.operation_json (
  operation public.operations
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  return (
    select jsonb_build_object(
      'id', operation.id,
      'lead_id', operation.lead_id,
      'property_id', operation.property_id,
      'operation_type', operation.operation_type,
      'flow', operation.flow,
      'stage', operation.stage,
      'stage_label', s.label,
      'is_terminal', s.outcome is not null,
      'pending_actions', private.pending_actions(operation),
      'lost_reason', operation.lost_reason,
      'assigned_agent_id', l.assigned_agent_id,
      'deposit_paid_at', operation.deposit_paid_at,
      'won_at', operation.won_at,
      'closed_at', operation.closed_at,
      'created_at', operation.created_at,
      'updated_at', operation.updated_at)
    from public.leads l
    cross join public.stages s
    where l.agency_id = operation.agency_id and l.id = operation.lead_id
      and s.flow = operation.flow and s.id = operation.stage);
end
$function$;

create or replace function private.own_operation_json (
  operation public.operations
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
begin
  if operation.agency_id is distinct from private.agency_id() then
    return null;
  end if;
  return private.operation_json(operation);
end
$function$;

alter function "private"."own_operation_json"(public.operations) owner to "postgres";

create or replace function private.property_json (
  property public.properties
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  return jsonb_build_object(
    'id', property.id,
    'reference', property.reference,
    'title', property.title,
    'listing_type', property.listing_type,
    'status', property.status,
    'property_type', property.property_type,
    'price', trim_scale(property.price),
    'bedrooms', property.bedrooms,
    'bathrooms', property.bathrooms,
    'area_m2', trim_scale(property.area_m2),
    'street', property.street,
    'zone', property.zone,
    'city', property.city,
    'postal_code', property.postal_code,
    'description', property.description,
    'owner_lead_id', property.owner_lead_id,
    'created_at', property.created_at,
    'updated_at', property.updated_at
  );
end
$function$;

create or replace function private.public_offer (
  public_token text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
declare
  offer public.offers;
begin
  select o.* into offer from public.offers o where o.public_token = public_offer.public_token;
  if offer.id is null then
    -- Guesses share one bucket, so that they cannot use up that of a link somebody was given. Null and no error,
    -- because an error would give the request back.
    perform private.take_public_token('unknown', 600);
    return null;
  end if;
  perform private.take_public_token(offer.id::text, 60);
  return (
    select jsonb_build_object(
      'amount', trim_scale(offer.amount),
      'currency', offer.currency,
      'offer_type', offer.offer_type,
      'status', offer.status,
      'created_at', offer.created_at,
      'property', jsonb_build_object('title', p.title, 'zone', p.zone, 'city', p.city),
      'agency', jsonb_build_object('name', a.name))
    from public.properties p
    join public.agencies a on a.id = p.agency_id
    where p.agency_id = offer.agency_id and p.id = offer.property_id);
end
$function$;

create or replace function private.refuse_backward (
  old_status text,
  new_status text,
  ranks      jsonb
)
  returns void
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  -- Saying the same again changes nothing and is let through, so that a request can be repeated.
  if new_status <> old_status and (ranks -> new_status)::int <= (ranks -> old_status)::int then
    perform private.refuse('invalid_transition',
      format('What is %s does not become %s; a status only goes forward.', old_status, new_status));
  end if;
end
$function$;

create or replace function private.tg_objects__document_arrived()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.documents d set
    uploaded_at = now(),
    content_type = coalesce(new.metadata ->> 'mimetype', d.content_type),
    size_bytes = coalesce((new.metadata ->> 'size')::bigint, d.size_bytes),
    status = case when d.status = 'requested' then 'received' else d.status end
  where d.storage_path = new.name and d.uploaded_at is null
    and coalesce((new.metadata ->> 'size')::bigint, 0) <= d.size_bytes;
  if not found then
    -- A URL that was signed for a file announced as another type, for example.
    perform private.raise_error(409, 'conflict', 'No document waits for this file, or for one of this size.');
  end if;
  return null;
end
$function$;

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

create or replace function private.tg_offers__record()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  operation public.operations;
begin
  -- Held until the transaction ends, so that an operation is closed before this or after it, and not meanwhile.
  select o.* into operation from public.operations o
  where o.agency_id = new.agency_id and o.id = new.operation_id for share;
  if operation.id is null then
    perform private.refuse_reference('operation_id', 'There is no such operation.');
  end if;
  if operation.closed_at is not null then
    perform private.refuse('operation_closed', 'The operation is closed; it takes no more offers.');
  end if;

  new.lead_id := operation.lead_id;
  new.property_id := coalesce(new.property_id, operation.property_id);
  if new.property_id is null then
    perform private.refuse('property_required', 'Neither the offer nor its operation names a property.');
  end if;
  new.offer_type := coalesce(new.offer_type, (
    select p.listing_type from public.properties p where p.agency_id = new.agency_id and p.id = new.property_id));
  if new.offer_type is null or not exists (
    select from public.properties p where p.agency_id = new.agency_id and p.id = new.property_id) then
    perform private.refuse_reference('property_id', 'There is no such property.');
  end if;
  return new;
end
$function$;

create or replace function private.tg_operation_steps__by_hand()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  operation public.operations;
  offer_id uuid;
begin
  -- The action that a step names may have closed it; then there is nothing left to do here.
  if new.step_id = 'ofertaPreparada' then
    if exists (select from public.offers o where o.agency_id = new.agency_id and o.operation_id = new.operation_id) then
      return null;
    end if;
    if new.amount is null then
      perform private.refuse('amount_required', 'Closing "Oferta preparada" by hand creates an offer and needs its amount.');
    end if;
    insert into public.offers (agency_id, operation_id, amount) values (new.agency_id, new.operation_id, new.amount);
  elsif new.step_id = 'precioAcordado' then
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
      perform private.refuse('offer_required', 'Closing "Precio acordado" accepts the latest offer; the operation has none.');
    end if;
    update public.offers o set status = 'accepted' where o.agency_id = new.agency_id and o.id = offer_id;
  end if;
  return null;
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
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.');
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

create or replace function private.tg_subscriptions__one_spelling()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.target_url := private.one_spelling(new.target_url);
  return new;
end
$function$;

alter function "private"."tg_subscriptions__one_spelling"() owner to "postgres";

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
    perform private.refuse_reference('operation_id', 'The lead has no such operation.');
  end if;
  -- What became of a viewing may be recorded afterwards.
  if is_closed and new.status = 'scheduled' then
    perform private.refuse('operation_closed', 'The operation is closed; no more viewings are arranged for it.');
  end if;
  return new;
end
$function$;

alter function "private"."tg_viewings__operation"() owner to "postgres";

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

alter function "private"."update_operation"(uuid, jsonb) owner to "postgres";

create or replace function private.viewing_json (
  viewing public.viewings
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set "TimeZone" to 'UTC'
  AS $function$
begin
  return jsonb_build_object(
    'id', viewing.id,
    'property_id', viewing.property_id,
    'lead_id', viewing.lead_id,
    'operation_id', viewing.operation_id,
    'agent_id', viewing.agent_id,
    'starts_at', viewing.starts_at,
    'ends_at', viewing.ends_at,
    'status', viewing.status,
    'notes', viewing.notes,
    'created_at', viewing.created_at,
    'updated_at', viewing.updated_at
  );
end
$function$;

alter table "public"."agencies"
  add constraint "name_has_1_to_200_characters"
    check (((btrim(name) <> ''::text) AND (char_length(name) <= 200)));

alter table "public"."agents"
  add constraint "email_is_normal"
    check
    (((email = lower(email)) AND (email ~ '^[^\s@]+@[^\s@]+$'::text) AND (char_length(email) <=
    254)));

alter table "public"."agents"
  add constraint "name_has_1_to_200_characters"
    check (((btrim(name) <> ''::text) AND (char_length(name) <= 200)));

alter table "public"."api_keys"
  add constraint "name_has_1_to_200_characters"
    check (((btrim(name) <> ''::text) AND (char_length(name) <= 200)));

alter table "public"."gate_steps"
  add constraint "gate_step_position_is_unique_in_stage" unique (flow, stage, "position");

alter table "public"."operations"
  add constraint "lost_has_reason"
    check (((stage <> 'lost'::text) OR (COALESCE(lost_reason, ''::text) ~ '\S'::text)));

alter table "public"."stage_history"
  add constraint "stage_history_pkey" primary key (agency_id, operation_id, id);

create trigger _100_one_spelling
  before insert or update of target_url on public.subscriptions
  for each row
  execute function private.tg_subscriptions__one_spelling();

create trigger _050_operation
  before insert or update of operation_id, lead_id on public.viewings
  for each row
  when ((new.operation_id IS NOT NULL))
  execute function private.tg_viewings__operation();

comment on column "public"."deliveries"."duration_ms" is 'How long the exchange took, if there was one.';

comment on column "public"."deliveries"."error" is 'Why it failed, as a word: http_status, redirect, timeout, dns_failed, connection_refused, connection_lost, connect_failed, tls_failed, bad_response, not_sent (the run ended before its turn), drain_died, or a rule of the target such as private_address.';

comment on column "public"."leads"."budget_max" is 'The most the person would pay: the price when buying, the monthly rent when renting; in EUR.';

comment on function "api"."list_operations"(text, text, uuid, boolean, integer, text) is
  'The agency''s operations, newest first: {data, next_cursor}. Permission operations:read. Errors: invalid_stage.';

comment on function "api"."update_document"(uuid, jsonb) is 'Says how far a document is {status}: received (of itself when its file is announced and arrives), then verified or rejected; never back. Permission documents:write. Errors: not_found, nothing_to_change, invalid_transition.';

comment on function "private"."get_operation"(uuid) is 'What api.get_operation does, in the caller''s agency alone.';

comment on function "private"."one_spelling"(text) is 'A target as the functions write it: host in lower case and without a full stop at its end, without default port and fragment.';

comment on function "private"."own_operation_json"(public.operations) is 'The same for callers: null, if the operation is not of their agency.';

comment on function "private"."tg_objects__document_arrived"() is 'A file that arrives in the bucket `documents` is noted on its document, and a requested document is received. Refuses a file that no document waits for, and one larger than announced.';

comment on function "private"."tg_operations__keep_identity"() is 'An operation keeps its lead, type and flow, and its closing dates follow from its stage (change_refused). Notes when the row last changed.';

comment on function "private"."tg_subscriptions__one_spelling"() is 'A target that is written in two ways is subscribed, and gets an event, once.';

comment on function "private"."tg_viewings__operation"() is 'A viewing is part of an operation of its lead (unknown_reference), and is not arranged for a closed one (operation_closed).';

comment on function "private"."update_operation"(uuid, jsonb) is 'What api.update_operation does, in the caller''s agency alone.';

comment on schema "api" is 'The RPCs: the only schema the Data API exposes. Every function is security invoker. One for callers authorizes them first, unless it needs no credential; the others are granted to the service role alone.';

revoke all on function "private"."get_operation"(uuid) from public;

grant execute on function "private"."get_operation"(uuid) to "anon", "authenticated";

revoke all on function "private"."get_operation"(uuid) from "postgres";

grant execute on function "private"."get_operation"(uuid) to "postgres";

revoke all on function "private"."one_spelling"(text) from public;

grant execute on function "private"."one_spelling"(text) to "anon", "authenticated";

revoke all on function "private"."one_spelling"(text) from "postgres";

grant execute on function "private"."one_spelling"(text) to "postgres";

revoke all on function "private"."own_operation_json"(public.operations) from public;

grant execute
  on function "private"."own_operation_json"(public.operations)
  to "anon", "authenticated";

revoke all on function "private"."own_operation_json"(public.operations) from "postgres";

grant execute on function "private"."own_operation_json"(public.operations) to "postgres";

revoke all on function "private"."tg_subscriptions__one_spelling"() from public;

revoke all on function "private"."tg_subscriptions__one_spelling"() from "postgres";

grant execute on function "private"."tg_subscriptions__one_spelling"() to "postgres";

revoke all on function "private"."tg_viewings__operation"() from public;

revoke all on function "private"."tg_viewings__operation"() from "postgres";

grant execute on function "private"."tg_viewings__operation"() to "postgres";

revoke all on function "private"."update_operation"(uuid, jsonb) from public;

grant execute on function "private"."update_operation"(uuid, jsonb) to "anon", "authenticated";

revoke all on function "private"."update_operation"(uuid, jsonb) from "postgres";

grant execute on function "private"."update_operation"(uuid, jsonb) to "postgres";

revoke all ("stage") on table "public"."operations" from "anon";

grant insert ("stage") on table "public"."operations" to "anon";

revoke all ("stage") on table "public"."operations" from "authenticated";

grant insert ("stage") on table "public"."operations" to "authenticated";

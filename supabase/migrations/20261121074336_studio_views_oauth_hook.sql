set local check_function_bodies = off;

drop trigger "_900_updated_at" on "public"."contacts";

drop trigger "_500_screen_again" on "public"."leads";

drop index "public"."contacts_by_name_trigram";

drop index "public"."contacts_by_words";

drop index "public"."properties_by_words";

drop function "private"."close_step"(uuid, uuid, text);

drop function "private"."cut_list"(jsonb, bigint, integer);

drop function "private"."decode_cursor"(text);

drop function "private"."encode_cursor"(timestamp with time zone, uuid);

drop function "private"."name_words"(text);

drop function "private"."names_compatible"(text, text);

drop function "private"."queue_event"(uuid, text, uuid);

drop function "private"."reopen_step"(uuid, uuid, text);

drop function "private"."role_permissions"(text);

drop function "private"."screening_name"(text);

drop function "private"."searched_text"(text[]);

alter table "public"."operation_steps"
  add column "id" uuid not null default gen_random_uuid();

alter table "public"."rate_limits"
  add column "id" uuid not null default gen_random_uuid();

alter table "public"."token_rules"
  add column "resource" text;

create or replace function admin.link_agent (
  agency_id uuid,
  email     text
)
  returns uuid
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  address text := lower(btrim(email));
  linked_user_id uuid;
begin
  if not exists (select from public.agents a where a.agency_id = link_agent.agency_id and a.email = address) then
    perform private.raise_error(404, 'not_found', 'The agency has no agent with that e-mail.');
  end if;
  -- An address that nobody confirmed proves nothing: anybody could have signed up with it. Company sign-on (SSO) is left
  -- out, because there an address may occur twice.
  select u.id into linked_user_id
  from auth.users u
  where lower(u.email) = address and u.email_confirmed_at is not null and not u.is_sso_user;
  if linked_user_id is null then
    perform private.refuse('unconfirmed_user', 'No user of Auth has confirmed that e-mail; invite them first.');
  end if;
  update public.agents a set user_id = linked_user_id
  where a.agency_id = link_agent.agency_id and a.email = address;
  return linked_user_id;
end
$function$;

alter function "admin"."link_agent"(uuid, text) owner to "postgres";

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
    mcp_advance_stage.operation_id, patch || jsonb_build_object('stage', coalesce(next_stage, operation.stage)));
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
    select private.viewing_summary(v) || jsonb_build_object('time_zone', private.time_zone())
    from public.viewings v
    where v.agency_id = (select private.agency_id()) and v.id = (answer #>> '{body,id}')::uuid);
end
$function$;

create or replace function private.access_token_hook (
  event jsonb
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  client_id text := event #>> '{claims,client_id}';
  rules public.token_rules;
begin
  -- Only what an OAuth client gets names one. Whoever signs in on a page keeps their session, so that the page can tell
  -- them that they are nobody's agent.
  if client_id is null then
    return event;
  end if;
  select r.* into rules from public.token_rules r;
  if client_id = any (rules.blocked_client_ids) then
    return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'This application is blocked here.'));
  end if;
  if not exists (select from public.agents a where a.user_id = (event ->> 'user_id')::uuid and a.active) then
    return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'You are not an active agent of any agency.'));
  end if;
  if rules.resource is null then
    return event;
  end if;
  return jsonb_set(event, '{claims,aud}', jsonb_build_array('authenticated', rules.resource));
end
$function$;

alter function "private"."access_token_hook"(jsonb) owner to "postgres";

create or replace function private.case_file (
  lead_id         uuid,
  caller_agent_id uuid
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set plan_cache_mode to 'force_generic_plan'
  set search_path to ''
  AS $function$
declare
  lead public.leads;
  file jsonb;
begin
  select l.* into lead from public.leads l
  where l.agency_id = (select private.agency_id()) and l.id = case_file.lead_id;
  if lead.id is null then
    return null;
  end if;
  file := jsonb_build_object(
    'time_zone', private.time_zone(),
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
    'operations', (
      select private.cut_list(jsonb_agg(private.operation_summary(o) order by n) filter (where n <= 10), count(*), 10)
      from (
        select o, row_number() over (order by o.closed_at is not null, o.created_at desc, o.id) as n
        from public.operations o
        where o.agency_id = lead.agency_id and o.lead_id = lead.id) found),
    'viewings', (
      select private.cut_list(jsonb_agg(jsonb_build_object(
        'viewing_id', v.id,
        'starts_at', date_trunc('second', v.starts_at),
        'ends_at', date_trunc('second', v.ends_at),
        'status', v.status,
        'operation_id', v.operation_id,
        'property_id', v.property_id,
        'property_title', (
          select coalesce(p.title, p.street, p.reference) from public.properties p
          where p.agency_id = v.agency_id and p.id = v.property_id),
        'agent_name', (select a.name from public.agents a where a.agency_id = v.agency_id and a.id = v.agent_id),
        'notes', left(v.notes, 300)) order by n) filter (where n <= 10), count(*), 10)
      from (
        select v.*, row_number() over (order by v.starts_at desc, v.id) as n
        from public.viewings v
        where v.agency_id = lead.agency_id and v.lead_id = lead.id) v),
    'offers', (
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
        where f.agency_id = lead.agency_id and f.lead_id = lead.id) f),
    'documents', (
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
            select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id))) d),
    'signatures', (
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
          select o.id from public.operations o where o.agency_id = lead.agency_id and o.lead_id = lead.id)) s),
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

  return file || jsonb_build_object('next_action', private.next_action(lead, caller_agent_id));
end
$function$;

create or replace function private.close_step (
  agency_id    uuid,
  operation_id uuid,
  step_id      text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.operation_steps s set done = true
  where s.agency_id = close_step.agency_id
    and s.operation_id = close_step.operation_id
    and s.step_id = close_step.step_id
    and not s.done;
end
$function$;

alter function "private"."close_step"(uuid, uuid, text) owner to "postgres";

create or replace function private.cut_list (
  items jsonb,
  total bigint,
  shown integer
)
  returns jsonb
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return jsonb_build_object('total', total, 'truncated', total > shown, 'items', coalesce(items, '[]'));
end
$function$;

alter function "private"."cut_list"(jsonb, bigint, integer) owner to "postgres";

create or replace function private.decode_cursor (
  list        text,
  page_cursor text,
  OUT         position_at timestamp with time zone,
  OUT         id uuid
)
  returns record
  language plpgsql
  immutable
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

alter function "private"."decode_cursor"(text, text) owner to "postgres";

create or replace function private.encode_cursor (
  list        text,
  position_at timestamp with time zone,
  id          uuid
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return translate(
    encode(convert_to(list || '.' || (extract(epoch from position_at) * 1000000)::bigint || '.' || id, 'UTF8'), 'base64'),
    E'+/=\n', '-_');
end
$function$;

alter function "private"."encode_cursor"(text, timestamp with time zone, uuid) owner to "postgres";

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
      where c.agency_id = caller_agency_id and reverse(c.phone) like phone_end || '%'
      union
      select l.contact_id from public.leads l
      where l.agency_id = caller_agency_id and reverse(l.phone) like phone_end || '%'
    ) c
    order by c.id limit max_rows;
    return;
  end if;
  -- Candidates are bounded: a name that half the agency has is not found any better by reading all of them.
  return query
  select c.id, max(c.score), (array_agg(c.matched order by c.score desc))[1] from (
    select coalesce(c.merged_into, c.id) as id, 1::real as score, 'email' as matched from public.contacts c
    where c.agency_id = caller_agency_id and c.email = lower(btrim(query))
    union all
    select l.contact_id, 1::real, 'email' from public.leads l
    where l.agency_id = caller_agency_id and l.email = lower(btrim(query))
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
  after record := private.decode_cursor(list, page_cursor);
  page jsonb;
begin
  if rows_wanted not between 1 and 200 then
    perform private.refuse('invalid_value', 'A page has 1 to 200 rows.',
      '{"issues": [{"path": "limit", "message": "A page has 1 to 200 rows."}]}');
  end if;
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

create or replace function private.names_compatible (
  a text,
  b text
)
  returns boolean
  language plpgsql
  stable
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

alter function "private"."names_compatible"(text, text) owner to "postgres";

create or replace function private.queue_event (
  agency_id  uuid,
  event_type text,
  subject_id uuid
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  insert into public.events (agency_id, event_type, subject_id, subscription_ids)
  select $1, $2, $3, array_agg(s.id order by s.created_at, s.id)
  from public.subscriptions s
  where s.agency_id = $1 and s.event_type = $2
  having count(*) > 0
  on conflict on constraint subject_is_queued_once do nothing;
end
$function$;

alter function "private"."queue_event"(uuid, text, uuid) owner to "postgres";

create or replace function private.reopen_step (
  agency_id    uuid,
  operation_id uuid,
  step_id      text
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  update public.operation_steps s set done = false
  where s.agency_id = reopen_step.agency_id
    and s.operation_id = reopen_step.operation_id
    and s.step_id = reopen_step.step_id
    and s.done;
end
$function$;

alter function "private"."reopen_step"(uuid, uuid, text) owner to "postgres";

create or replace function private.role_permissions (
  role text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case role
    when 'viewer' then array[
      'leads:read', 'operations:read', 'properties:read', 'viewings:read', 'offers:read', 'signatures:read', 'documents:read']
    else array[
      'leads:read', 'leads:write', 'operations:read', 'operations:write', 'properties:read', 'properties:write',
      'viewings:read', 'viewings:write', 'offers:read', 'offers:write', 'signatures:read', 'signatures:write',
      'documents:read', 'documents:write']
  end;
end
$function$;

alter function "private"."role_permissions"(text) owner to "postgres";

create or replace function private.screening_name (
  name text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  -- Letters of every script stay, since lists name people in their own. The dictionary is named, so the result is fixed.
  return btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent', name)), '[^[:alnum:]]+', ' ', 'g'));
end
$function$;

alter function "private"."screening_name"(text) owner to "postgres";

create or replace function private.searched_text (
  VARIADIC parts text[]
)
  returns text
  language plpgsql
  immutable
  parallel safe
  set search_path to ''
  AS $function$
begin
  -- concat_ws is not immutable, because it takes any type; of texts alone this is.
  return coalesce(array_to_string(parts, ' '), '');
end
$function$;

alter function "private"."searched_text"(text[]) owner to "postgres";

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
  lock_key bigint;
  now_us bigint;
  interval_us bigint;
  window_us bigint;
  requests_per_minute int;
  full_at_us bigint;
  allowed boolean;
  reset_seconds text;
  remaining text;
  -- Every request comes by here. A `perform` would be a query of its own; an assignment is none.
  done text;
begin
  select r.requests_per_minute, private.rate_bucket(r.credential_id), greatest(60000000 / r.requests_per_minute, 1)
  into strict requests_per_minute, bucket, interval_us
  from public.rate_limits r
  where r.agency_id = take_token.agency_id and r.credential_id = take_token.credential_id;
  now_us := extract(epoch from clock_timestamp()) * 1000000;
  window_us := interval_us * requests_per_minute;

  -- A lock of the session, not of the transaction: another request waits microseconds for it, never for our work.
  lock_key := hashtextextended('rate_limit:' || credential_id, 0);
  done := pg_advisory_lock(lock_key);
  begin
    -- Generic cell rate algorithm: the sequence holds the time at which the bucket will be full again.
    full_at_us := greatest(coalesce(pg_sequence_last_value(bucket), 0), now_us) + interval_us;
    allowed := full_at_us <= now_us + window_us;
    -- A request refused for its rate costs nothing: who comes back after Retry-After finds a token.
    full_at_us := case when allowed then setval(bucket, full_at_us) else full_at_us - interval_us end;
  exception when query_canceled or others then
    done := pg_advisory_unlock(lock_key);
    raise;
  end;
  done := pg_advisory_unlock(lock_key);

  remaining := case when allowed then (now_us + window_us - full_at_us) / interval_us else 0 end;
  reset_seconds := ceil((full_at_us - now_us) / 1000000.0)::int;
  done := set_config('corredor.rate_limit',
    format('{"limit": %s, "remaining": %s, "reset": %s}', requests_per_minute, remaining, reset_seconds), true)
    || set_config('response.headers',
    format('[{"ratelimit-limit": "%s"}, {"ratelimit-remaining": "%s"}, {"ratelimit-reset": "%s"}]',
      requests_per_minute, remaining, reset_seconds), true);

  return case when not allowed then ceil(interval_us / 1000000.0)::int end;
end
$function$;

create or replace function private.task_json (
  task            private.task,
  caller_agent_id uuid
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
    'text', case task.kind
      when 'answer_message' then format('Responder a %s', lead.full_name)
      when 'contact_lead' then format('Llamar o escribir por primera vez a %s', lead.full_name)
      when 'review_sanctions' then format('Revisar la posible coincidencia en listas de sanciones de %s', lead.full_name)
      when 'close_viewing' then format('Anotar cómo fue la visita de %s', lead.full_name)
      when 'prepare_viewing' then format('Visita con %s', lead.full_name)
      when 'advance_stage' then format('Pasar la operación de %s a «%s»', lead.full_name, next_stage.label)
      when 'pending_step' then format('%s: %s', lead.full_name, step_label)
    end,
    'reason', case task.kind
      when 'answer_message' then 'Su último mensaje no tiene respuesta.'
      when 'contact_lead' then 'Es un contacto nuevo y nadie ha hablado con él.'
      when 'review_sanctions' then 'Una persona debe confirmarla o descartarla antes de seguir.'
      when 'close_viewing' then 'La visita terminó y sigue como programada.'
      when 'prepare_viewing' then 'Está programada para hoy o mañana.'
      when 'advance_stage' then format('La etapa «%s» no tiene pasos pendientes.', stage_label)
      when 'pending_step' then format('La etapa «%s» no avanza sin este paso.', stage_label)
    end,
    'turn', case
      when task.turn = 'client' then 'client'
      when task.agent_id is null then 'unassigned'
      when task.agent_id = caller_agent_id then 'yours'
      else 'colleague'
    end,
    'agent_id', task.agent_id,
    'agent_name', (select a.name from public.agents a where a.agency_id = lead.agency_id and a.id = task.agent_id),
    'since', date_trunc('second', task.since),
    'due_at', date_trunc('second', task.due_at),
    'is_overdue', task.due_at < now(),
    'lead_id', task.lead_id,
    'full_name', lead.full_name,
    'operation_id', task.operation_id,
    'stage', operation.stage,
    'stage_label', stage_label,
    'pending_action', case when step_label is not null then jsonb_build_object('id', task.step_id, 'label', step_label) end,
    'viewing_id', task.viewing_id,
    'starts_at', date_trunc('second', viewing.starts_at),
    'property_id', task.property_id,
    'property_title', coalesce(property.title, property.street, property.reference),
    'tool', case
      when task.kind = 'advance_stage' then 'avanzar_etapa'
      when task.step_id = 'propiedadesVisitadas' then 'agendar_visita'
      when task.step_id = 'favoritaElegida' then 'buscar_propiedades'
      when task.step_id = 'ofertaPreparada' then 'registrar_oferta'
    end
  );
end
$function$;

create or replace function private.tg_offers__date_acceptance()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    if (new.agency_id, new.id, new.operation_id, new.lead_id)
      is distinct from (old.agency_id, old.id, old.operation_id, old.lead_id) then
      perform private.refuse('change_refused', 'An offer stays with its operation and lead.');
    end if;
    if old.status = 'accepted' and new.status <> 'accepted' then
      if new.status = 'received' then
        perform private.refuse('change_refused', 'An accepted offer is rejected or withdrawn; it is not merely received again.');
      end if;
      if exists (select from public.operations o
        where o.agency_id = new.agency_id and o.id = new.operation_id and o.closed_at is not null) then
        perform private.refuse('operation_closed', 'The operation is closed; its accepted offer stays accepted.');
      end if;
    end if;
    new.accepted_at := old.accepted_at;
  elsif new.status <> 'accepted' then
    new.accepted_at := null;
  end if;
  if new.status = 'accepted' and (tg_op = 'INSERT' or old.status <> 'accepted') then
    if exists (select from public.operations o
      where o.agency_id = new.agency_id and o.id = new.operation_id and o.closed_at is not null) then
      perform private.refuse('operation_closed', 'The operation is closed; its offers are no longer accepted.');
    end if;
    if exists (select from public.offers o
      where o.agency_id = new.agency_id and o.operation_id = new.operation_id
        and o.status = 'accepted' and o.id <> new.id) then
      perform private.refuse('offer_already_accepted', 'Another offer of the operation is accepted; reject or withdraw it first.');
    end if;
    -- Only the first acceptance counts, for the date and for the event.
    new.accepted_at := coalesce(new.accepted_at, now());
  end if;
  return new;
end
$function$;

create or replace function private.tg_operations__history()
  returns trigger
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  actor private.principal := private.principal();
begin
  insert into public.stage_history (
    agency_id, operation_id, from_stage, to_stage, actor_kind, actor_id, actor_name, occurred_at)
  values (
    new.agency_id, new.id, case when tg_op = 'UPDATE' then old.stage end, new.stage,
    coalesce(actor.kind, 'database'), actor.credential_id, coalesce(actor.name, session_user),
    -- An import brings operations that stand where they are for some time already.
    case when tg_op = 'INSERT' then coalesce(new.closed_at, new.created_at) else clock_timestamp() end);
  return null;
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

  select target.position, target.outcome, (
    select min(s.position) from public.stages s
    where s.flow = old.flow and s.outcome is null and s.position > origin.position)
  into target_position, target_outcome, next_position
  from public.stages target, public.stages origin
  where target.flow = old.flow and target.id = new.stage and origin.flow = old.flow and origin.id = old.stage;
  if target_position is null then
    perform private.refuse('invalid_stage', 'The stage is not one of the operation''s flow.');
  end if;

  if new.stage = 'lost' and coalesce(btrim(new.lost_reason), '') = '' then
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

create or replace function private.time_zone()
  returns text
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
begin
  return (select a.time_zone from public.agencies a where a.id = (select private.agency_id()));
end
$function$;

create or replace function private.token_is_ours (
  claims jsonb
)
  returns boolean
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  rules public.token_rules;
  audience jsonb := claims -> 'aud';
begin
  -- The Data API checked signature and expiry. What it does not check is for whom a token was made.
  select r.* into rules from public.token_rules r;
  return
    -- Issuer: the project's own Auth, and no other whose key the project may come to trust.
    (rules.issuer is null or claims ->> 'iss' is not distinct from rules.issuer)
    -- Audience: people who signed in. A token that was made for something else is not for us, whoever signed it.
    and (audience is null or audience = '"authenticated"' or audience @> '["authenticated"]')
    -- Resource: a client that came by OAuth was let in to the connector, and shows it. Auth itself writes no such audience
    -- (RFC 8707), private.access_token_hook does.
    and (rules.resource is null or claims ->> 'client_id' is null or audience @> jsonb_build_array(rules.resource))
    -- Person: an anonymous sign-in proves nothing about who it is.
    and (claims -> 'is_anonymous') is distinct from 'true'
    -- Client: a session of the agency's own application names none; an assistant that came by OAuth does.
    and (claims ->> 'client_id' is null or claims ->> 'client_id' <> all (coalesce(rules.blocked_client_ids, '{}')));
end
$function$;

alter table "public"."operation_steps"
  add constraint "operation_step_id_is_unique" unique (id);

alter table "public"."rate_limits"
  add constraint "rate_limit_id_is_unique" unique (id);

alter table "public"."token_rules"
  add constraint "resource_is_a_url" check ((resource ~ '^https?://'::text));

create view "public"."failed_deliveries" with (security_invoker=true) AS  SELECT a.name AS agency,
    e.event_type,
    d.target_url AS target,
    d.error,
    d.attempt AS attempts,
        CASE
            WHEN (e.status <> 'delivered'::text) THEN 'not yet: it is tried again by itself'::text
            WHEN (s.id IS NULL) THEN 'no: the target is no longer subscribed'::text
            WHEN (d.state = 'unknown'::text) THEN 'careful: the target may have it already'::text
            WHEN elsewhere.arrived THEN 'careful: a target that has it would get it again'::text
            ELSE 'yes'::text
        END AS replay,
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

create view "public"."leads_without_agent" with (security_invoker=true) AS  SELECT a.name AS agency,
    l.full_name AS client,
    l.phone,
    l.email,
    l.origin,
    l.temperature,
    COALESCE(l.summary, l.intent, l.notes) AS wishes,
    ( SELECT string_agg(((f.label || ': '::text) || s.label), ', '::text ORDER BY f.id) AS string_agg
           FROM ((public.operations o
             JOIN public.flows f ON ((f.id = o.flow)))
             JOIN public.stages s ON (((s.flow = o.flow) AND (s.id = o.stage))))
          WHERE ((o.agency_id = l.agency_id) AND (o.lead_id = l.id) AND (o.closed_at IS NULL))) AS open_operations,
    g.name AS former_agent,
    (floor((EXTRACT(epoch FROM (now() - l.created_at)) / (86400)::numeric)))::integer AS days_waiting,
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
    s.outcome,
    (count(o.id))::integer AS operations,
    (count(o.id) FILTER (WHERE ((o.closed_at IS NULL) AND (private.pending_actions(o.*) <> '[]'::jsonb))))::integer AS held_by_gate,
    sum(COALESCE(accepted.amount, p.price)) AS value,
    round(avg((EXTRACT(epoch FROM (now() - entered.at)) / (86400)::numeric)) FILTER (WHERE (o.closed_at IS NULL)), 1) AS average_days,
    min(entered.at) FILTER (WHERE (o.closed_at IS NULL)) AS longest_since,
    s.flow AS flow_id,
    s.id AS stage_id,
    s."position",
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

create view "public"."possible_sanctions_matches" with (security_invoker=true) AS  SELECT a.name AS agency,
    l.full_name AS client,
    (entry.value ->> 'name'::text) AS listed_as,
    x.score,
    c.birth_date,
    c.nationality,
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
     JOIN public.contacts c ON (((c.agency_id = x.agency_id) AND (c.id = x.contact_id))))
     LEFT JOIN public.agents g ON (((g.agency_id = l.agency_id) AND (g.id = l.assigned_agent_id))))
     CROSS JOIN LATERAL ( SELECT (x.entries -> 0) AS value) entry)
  WHERE ((x.status = 'possible_match'::text) AND (NOT (EXISTS ( SELECT
           FROM public.sanctions_screens later
          WHERE ((later.agency_id = x.agency_id) AND (later.lead_id = x.lead_id) AND (later.created_at > x.created_at))))))
  ORDER BY (x.resolution IS NOT NULL), x.created_at;

alter view "public"."possible_sanctions_matches" owner to "postgres";

create view "public"."stuck_operations" with (security_invoker=true) AS  SELECT a.name AS agency,
    l.full_name AS client,
    f.label AS flow,
    s.label AS stage,
    (floor((EXTRACT(epoch FROM (now() - entered.at)) / (86400)::numeric)))::integer AS days_in_stage,
        CASE
            WHEN ((o.flow = 'rent'::text) AND (o.stage = 'handover'::text) AND (o.deposit_paid_at IS NULL)) THEN 'Fianza pagada'::text
            ELSE pending.steps
        END AS pending_steps,
    g.name AS agent,
    COALESCE(p.title, p.street, p.reference) AS property,
    l.phone,
    l.email,
    entered.at AS in_stage_since,
    o.id AS operation_id,
    o.lead_id,
    o.agency_id
   FROM ((((((((public.operations o
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
  WHERE ((o.closed_at IS NULL) AND (l.archived_at IS NULL) AND (entered.at < (now() - '7 days'::interval)) AND (NOT (EXISTS ( SELECT
           FROM public.viewings v
          WHERE ((v.agency_id = o.agency_id) AND (v.operation_id = o.id) AND (v.status = 'scheduled'::text) AND (v.ends_at > now()))))))
  ORDER BY entered.at;

alter view "public"."stuck_operations" owner to "postgres";

create trigger _900_updated_at
  before update of full_name, phone, email, birth_date, nationality, merged_into on public.contacts
  for each row
  execute function private.tg__updated_at();

create trigger _500_screen_again
  after update of full_name on public.leads
  for each row
  when ((private.screening_name(new.full_name) <> private.screening_name(old.full_name)))
  execute function private.tg_leads__screen_again();

comment on column "public"."contact_merges"."merged_at" is 'When they were merged.';

comment on column "public"."contact_merges"."merged_by" is 'Who merged them.';

comment on column "public"."deliveries"."event_id" is 'The event that was posted, as in events.id.';

comment on column "public"."gate_steps"."flow" is 'The flow it belongs to, as in flows.id.';

comment on column "public"."leads"."contact_id" is 'The person, as in contacts.id; all leads of one person share it.';

comment on column "public"."leads"."notes" is 'What colleagues should know about the lead; free text.';

comment on column "public"."offers"."notes" is 'Conditions and circumstances of the offer; free text.';

comment on column "public"."operation_steps"."id" is 'Names the row to the table editor of the local Studio, which finds rows by an id alone.';

comment on column "public"."rate_limits"."id" is 'Names the row to the table editor of the local Studio, which finds rows by an id alone.';

comment on column "public"."sanctions_names"."entry_id" is 'The entry that has the name, as in sanctions_entries.id.';

comment on column "public"."sanctions_words"."word" is 'The word, without case, accents and punctuation.';

comment on column "public"."signatures"."signer_name" is 'Name of the person who signs.';

comment on column "public"."stage_history"."occurred_at" is 'When it entered the stage; of an imported operation, when it was opened or closed.';

comment on column "public"."stages"."flow" is 'The flow it belongs to, as in flows.id.';

comment on column "public"."token_rules"."resource" is 'The address of the assistant connector, for example https://<ref>.supabase.co/functions/v1/api/mcp. Tokens of OAuth clients get it as an audience, and are refused without it; null asks for none.';

comment on column "public"."viewings"."ends_at" is 'When it ends.';

comment on column "public"."viewings"."notes" is 'What to prepare, or how it went; free text.';

comment on column "public"."viewings"."starts_at" is 'When it begins.';

comment on function "admin"."link_agent"(uuid, text) is 'Lets a person sign in as an agent: links the agent to the user of Auth who confirmed the agent''s e-mail. Returns the user''s id. Errors: not_found, unconfirmed_user, 23505 when the user is another agent already.';

comment on function "private"."access_token_hook"(jsonb) is 'Custom access-token hook of Supabase Auth, run before each token is signed, new and refreshed ones. An OAuth client gets one only for an active agent and unless it is blocked, with the connector (public.token_rules.resource) as a second audience. Sessions pass as they are.';

comment on function "private"."close_step"(uuid, uuid, text) is 'Closes a gate step because its action happened. Nothing to do where the flow has no such step or it is closed.';

comment on function "private"."cut_list"(jsonb, bigint, integer) is 'A list of bounded length that says how many there are and whether it was cut.';

comment on function "private"."decode_cursor"(text, text) is 'The place that a cursor of the list names. Refuses with invalid_cursor.';

comment on function "private"."encode_cursor"(text, timestamp
  with time zone, uuid) is 'An opaque place in a list: the last row shown.';

comment on function "private"."names_compatible"(text, text) is 'Whether two names may belong to one person: one has all the words of the other.';

comment on function "private"."queue_event"(uuid, text, uuid) is 'Queues the event for the subscriptions that exist now; without one, nothing is queued. Called by triggers at the first qualifying transition.';

comment on function "private"."reopen_step"(uuid, uuid, text) is 'Opens a gate step again because what closed it no longer holds.';

comment on function "private"."role_permissions"(text) is 'What an agent''s role allows: viewers read, everybody else reads and writes.';

comment on function "private"."screening_name"(text) is 'A name as names are compared: without case, accents and punctuation.';

comment on function "private"."searched_text"(text[]) is 'The texts by which a row is found, in one; missing ones are left out.';

comment on function "private"."tg_offers__date_acceptance"() is 'Dates the first acceptance, and keeps the accepted offer of a closed operation. Refuses with operation_closed, offer_already_accepted, change_refused.';

comment on function "private"."tg_operations__history"() is 'Writes the history of stages, with the actor. It begins when the operation was opened, which for an imported one is in the past.';

comment on function "private"."token_is_ours"(jsonb) is 'Whether an access token that the Data API verified is for this service: by issuer (public.token_rules), audience (authenticated; of an OAuth client the connector too), person (not anonymous) and OAuth client (not blocked).';

comment on view "public"."failed_deliveries" is 'Events that a target did not take, or may not have taken, when it was last tried: a row for each event and target, the newest first. What a replay brought after all is left out.';

comment on view "public"."leads_without_agent" is 'Leads that nobody looks after: never assigned, or assigned to an agent who is no longer active; the longest waiting first. Set leads.assigned_agent_id.';

comment on view "public"."pipeline_by_stage" is 'How many operations stand at each stage of each flow, agency by agency, empty stages included. Closing stages count all that ever closed so.';

comment on view "public"."possible_sanctions_matches" is 'People who may be on a sanctions list, by the last screen of each lead; those that nobody has decided about first. Decide with select admin.resolve_sanctions_match(screen_id, ''cleared'' or ''confirmed'', reason).';

comment on view "public"."stuck_operations" is 'Open operations that have stood at one stage for more than a week and have no viewing ahead, the longest waiting first. Those of archived leads are left out.';

revoke all on function "admin"."link_agent"(uuid, text) from public;

revoke all on function "admin"."link_agent"(uuid, text) from "postgres";

grant execute on function "admin"."link_agent"(uuid, text) to "postgres";

grant execute on function "admin"."link_agent"(uuid, text) to "service_role";

revoke all on function "private"."access_token_hook"(jsonb) from public;

revoke all on function "private"."access_token_hook"(jsonb) from "postgres";

grant execute on function "private"."access_token_hook"(jsonb) to "postgres";

grant execute on function "private"."access_token_hook"(jsonb) to "supabase_auth_admin";

revoke all on function "private"."close_step"(uuid, uuid, text) from public;

revoke all on function "private"."close_step"(uuid, uuid, text) from "postgres";

grant execute on function "private"."close_step"(uuid, uuid, text) to "postgres";

revoke all on function "private"."cut_list"(jsonb, bigint, integer) from public;

grant execute on function "private"."cut_list"(jsonb, bigint, integer) to "anon", "authenticated";

revoke all on function "private"."cut_list"(jsonb, bigint, integer) from "postgres";

grant execute on function "private"."cut_list"(jsonb, bigint, integer) to "postgres";

revoke all on function "private"."decode_cursor"(text, text) from public;

grant execute on function "private"."decode_cursor"(text, text) to "anon", "authenticated";

revoke all on function "private"."decode_cursor"(text, text) from "postgres";

grant execute on function "private"."decode_cursor"(text, text) to "postgres";

revoke all on function "private"."encode_cursor"(text, timestamp with time zone, uuid) from public;

grant execute
  on function "private"."encode_cursor"(text, timestamp with time zone, uuid)
  to "anon", "authenticated";

revoke all
  on function "private"."encode_cursor"(text, timestamp with time zone, uuid)
  from "postgres";

grant execute
  on function "private"."encode_cursor"(text, timestamp with time zone, uuid)
  to "postgres";

revoke all on function "private"."names_compatible"(text, text) from public;

grant execute on function "private"."names_compatible"(text, text) to "anon", "authenticated";

revoke all on function "private"."names_compatible"(text, text) from "postgres";

grant execute on function "private"."names_compatible"(text, text) to "postgres";

revoke all on function "private"."queue_event"(uuid, text, uuid) from public;

revoke all on function "private"."queue_event"(uuid, text, uuid) from "postgres";

grant execute on function "private"."queue_event"(uuid, text, uuid) to "postgres";

revoke all on function "private"."reopen_step"(uuid, uuid, text) from public;

revoke all on function "private"."reopen_step"(uuid, uuid, text) from "postgres";

grant execute on function "private"."reopen_step"(uuid, uuid, text) to "postgres";

revoke all on function "private"."role_permissions"(text) from public;

revoke all on function "private"."role_permissions"(text) from "postgres";

grant execute on function "private"."role_permissions"(text) to "postgres";

revoke all on function "private"."screening_name"(text) from public;

grant execute on function "private"."screening_name"(text) to "anon", "authenticated";

revoke all on function "private"."screening_name"(text) from "postgres";

grant execute on function "private"."screening_name"(text) to "postgres";

revoke all on function "private"."searched_text"(text[]) from public;

grant execute on function "private"."searched_text"(text[]) to "anon", "authenticated";

revoke all on function "private"."searched_text"(text[]) from "postgres";

grant execute on function "private"."searched_text"(text[]) to "postgres";

grant execute on function "private"."searched_text"(text[]) to "service_role";

revoke all on schema "private" from "supabase_auth_admin";

grant usage on schema "private" to "supabase_auth_admin";

create index contacts_by_name_trigram on public.contacts
  using gin (agency_id, private.screening_name(full_name) extensions.gin_trgm_ops)
  where (merged_into is null);

create index contacts_by_words on public.contacts
  using gin
  (private.search_vector(agency_id, private.searched_text(VARIADIC ARRAY[full_name, email])))
  with (gin_pending_list_limit='256');

create index properties_by_words on public.properties
  using gin
  (private.search_vector(agency_id, private.searched_text(VARIADIC ARRAY[reference, title, street,
  zone, city, postal_code])))
  with (gin_pending_list_limit='256');

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

comment on column public.pipeline_by_stage.flow is 'The flow: Compra, Alquiler or Venta.';

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

comment on column public.possible_sanctions_matches.client is 'The person as the lead names them.';

comment on column public.possible_sanctions_matches.source is 'What they were screened against: list, or the host of a match service.';

comment on column public.possible_sanctions_matches.lead_id is 'The lead, as in leads.id.';

comment on column public.possible_sanctions_matches.agency_id is 'The agency, as in agencies.id.';

comment on column public.possible_sanctions_matches.listed_as is 'The listed name of the entry most like the person.';

comment on column public.possible_sanctions_matches.sanctions is 'The programmes and lists that name the entry.';

comment on column public.possible_sanctions_matches.screen_id is 'The screen, as in sanctions_screens.id; admin.resolve_sanctions_match takes it.';

comment on column public.possible_sanctions_matches.birth_date is 'The person''s birth date, where the agency knows it.';

comment on column public.possible_sanctions_matches.candidates is 'How many entries may be the person; all are in sanctions_screens.entries.';

comment on column public.possible_sanctions_matches.resolution is 'Null until somebody decides; confirmed when it is them. Cleared ones are no longer listed.';

comment on column public.possible_sanctions_matches.nationality is 'The person''s nationality, where the agency knows it.';

comment on column public.possible_sanctions_matches.days_waiting is 'For how many whole days the match has been known.';

comment on column public.possible_sanctions_matches.resolution_by is 'Who confirmed it.';

comment on column public.possible_sanctions_matches.listed_countries is 'Countries the entry belongs to.';

comment on column public.possible_sanctions_matches.listed_birth_dates is 'The entry''s birth dates: a year, a month or a day each.';

comment on column public.stuck_operations.flow is 'The flow: Compra, Alquiler or Venta.';

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

comment on column public.stuck_operations.pending_steps is 'What the stage''s gate waits for; null when nothing is open and somebody has only to move it on.';

comment on column public.stuck_operations.in_stage_since is 'When it entered the stage.';

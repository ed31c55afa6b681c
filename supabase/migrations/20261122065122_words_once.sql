set local check_function_bodies = off;

alter table "public"."api_keys"
  drop constraint "permissions_are_known";

drop function "private"."raise_error"(integer, text, text, jsonb);

drop function "private"."refuse_reference"(text, text);

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
    perform private.refuse_member('invalid_stage', 'stage', 'unknown_stage', 'No flow has such a stage.', private.known_stages());
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

create or replace function private.authorize_event (
  event_type text
)
  returns private.principal
  language plpgsql
  set search_path to ''
  AS $function$
declare
  caller private.principal := private.authorize(private.event_permission(event_type));
begin
  if private.event_permission(event_type) is null then
    perform private.refuse_member('unknown_event_type', 'event_type', 'unknown_event_type', 'There is no such event.');
  end if;
  return caller;
end
$function$;

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
  after record := private.decode_cursor(list, page_cursor);
  page jsonb;
begin
  if rows_wanted not between 1 and 200 then
    perform private.refuse_member('invalid_value', 'limit', 'page_size', 'A page has 1 to 200 rows.');
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

create or replace function private.raise_error (
  status  integer,
  code    text,
  message text,
  details jsonb   default '{}'::jsonb,
  issue   jsonb   default null::jsonb
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
      -- private.authorize leaves the caller's budget here, so that refusals can show it too.
      'rate_limit', nullif(current_setting('corredor.rate_limit', true), '')::jsonb
    ));
end
$function$;

alter function "private"."raise_error"(integer, text, text, jsonb, jsonb) owner to "postgres";

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
    else starts_at + coalesce(make_interval(mins => (body ->> 'duration_minutes')::int), otherwise) end;
begin
  if ends_at <= starts_at or ends_at - starts_at > interval '24 hours' then
    perform private.refuse_member('invalid_time', 'ends_at', 'end_out_of_range',
      'A viewing ends after it starts, and within a day.');
  end if;
  return ends_at;
end
$function$;

comment on function "private"."known_permissions"() is 'Every permission there is, <resource>:read and <resource>:write. The contracts have the same ones.';

comment on function "private"."raise_error"(integer, text, text, jsonb, jsonb) is
  'Refuses with an HTTP status: SQLSTATE PT<status>, a sentence for people as message, and {"code","details","issue","rate_limit"} as detail; issue is what `details.issues` says in words, {"code","values"}, for other languages. Codes: unauthorized, forbidden, not_found, conflict, validation_error, rate_limited.';

comment on function "private"."refuse_member"(text, text, text, text, jsonb, text, jsonb) is
  'private.refuse for what is wrong with one member or parameter: `issues` names its path and says the message of the issue, or else that of the error. The codes of issues are those of types/contracts/issues.ts.';

comment on function "private"."refuse_reference"(text, text, text) is 'Refuses an id in a request body that the caller''s agency does not have: reason unknown_reference with the member''s path.';

revoke all on function "private"."known_permissions"() from public;

revoke all on function "private"."known_permissions"() from "postgres";

grant execute on function "private"."known_permissions"() to "postgres";

revoke all on function "private"."raise_error"(integer, text, text, jsonb, jsonb) from public;

grant execute
  on function "private"."raise_error"(integer, text, text, jsonb, jsonb)
  to "anon", "authenticated";

revoke all on function "private"."raise_error"(integer, text, text, jsonb, jsonb) from "postgres";

grant execute on function "private"."raise_error"(integer, text, text, jsonb, jsonb) to "postgres";

grant execute
  on function "private"."raise_error"(integer, text, text, jsonb, jsonb)
  to "service_role";

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

alter table "public"."api_keys"
  add constraint "permissions_are_known" check ((permissions <@ private.known_permissions()));

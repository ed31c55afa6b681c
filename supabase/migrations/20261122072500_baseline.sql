set local check_function_bodies = off;

-- sql/00_base/01_schemas.sql

create schema api;
comment on schema api is 'The RPCs: the only schema the Data API exposes. Every function is security invoker. One for callers authorizes them first, unless it needs no credential; the others are granted to the service role alone.';

create schema private;
comment on schema private is 'Functions behind the RPCs and the triggers that hold the rules. Not exposed.';

create schema admin;
comment on schema admin is 'Functions for operators: Studio, the service role and `npm run admin`. Not exposed.';

create schema rate_limit;
comment on schema rate_limit is 'One unlogged sequence for each credential: its request bucket. Made and dropped by public.rate_limits.';

-- The callers of the Data API may name what is inside; what they may do with it is granted object by object.
grant usage on schema api, private to anon, authenticated, service_role;
grant usage on schema admin to service_role;

-- Postgres lets everybody execute a new function. Here each function says who may.
alter default privileges revoke execute on functions from public;

-- A hosted project may grant new tables in public to the API roles; here each table says who may.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke execute on functions from anon, authenticated, service_role;

-- sql/00_base/02_extensions.sql

-- Extensions live in a schema of their own; pg_cron, pg_net and Vault choose theirs themselves.
create schema if not exists extensions;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists unaccent with schema extensions;
create extension if not exists fuzzystrmatch with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists btree_gin with schema extensions;
create extension if not exists btree_gist with schema extensions;
create extension if not exists pg_cron;
create extension if not exists pg_net with schema extensions;
create extension if not exists supabase_vault;

-- sql/00_base/currencies.sql

create function private.is_currency(code text) returns boolean
language plpgsql immutable parallel safe set search_path = ''
as $$
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
$$;
comment on function private.is_currency(text) is 'Whether a text is an ISO 4217 code of a currency that people pay with.';
grant execute on function private.is_currency(text) to anon, authenticated;

-- sql/00_base/errors.sql

create function private.raise_error(
  status int,
  code text,
  message text,
  details jsonb default '{}',
  issue jsonb default null,
  hints jsonb default null
) returns void
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.raise_error(int, text, text, jsonb, jsonb, jsonb) is
  'Refuses with an HTTP status: SQLSTATE PT<status>, a sentence for people as message, and {"code","details","issue","hints","rate_limit"} as detail. REST does not show issue and hints: issue is what `details.issues` says in words, {"code","values"}, for other languages; hints tell the connector how to go on. Codes: unauthorized, forbidden, not_found, conflict, validation_error, rate_limited.';
-- Granted to the service role too, so that it learns why a trigger refused it.
grant execute on function private.raise_error(int, text, text, jsonb, jsonb, jsonb) to anon, authenticated, service_role;

create function private.refuse_missing(resource text) returns void
language sql set search_path = ''
as $$
  select private.raise_error(404, 'not_found', format('There is no such %s.', resource));
$$;
comment on function private.refuse_missing(text) is 'Refuses an id in a path that the caller''s agency does not have: not_found.';
grant execute on function private.refuse_missing(text) to anon, authenticated;

create function private.refuse(reason text, message text, details jsonb default '{}') returns void
language sql set search_path = ''
as $$
  select private.raise_error(422, 'validation_error', message, jsonb_build_object('reason', reason) || details);
$$;
comment on function private.refuse(text, text, jsonb) is
  'Refuses a request that a rule forbids: status 422, code validation_error, details.reason as named.';
grant execute on function private.refuse(text, text, jsonb) to anon, authenticated, service_role;

create function private.refuse_member(
  reason text,
  path text,
  issue text,
  message text,
  details jsonb default '{}',
  issue_message text default null,
  issue_values jsonb default null
) returns void
language sql set search_path = ''
as $$
  select private.raise_error(422, 'validation_error', message,
    jsonb_build_object(
      'reason', reason,
      'issues', jsonb_build_array(jsonb_build_object('path', path, 'message', coalesce(issue_message, message)))) || details,
    jsonb_build_object('code', issue, 'values', issue_values));
$$;
comment on function private.refuse_member(text, text, text, text, jsonb, text, jsonb) is
  'private.refuse for what is wrong with one member or parameter: `issues` names its path and says the message of the issue, or else that of the error. The codes of issues are those of types/contracts/issues.ts.';
grant execute on function private.refuse_member(text, text, text, text, jsonb, text, jsonb) to anon, authenticated;

create function private.refuse_reference(path text, message text, issue text default 'unknown_reference') returns void
language sql set search_path = ''
as $$
  select private.refuse_member('unknown_reference', path, issue, message);
$$;
comment on function private.refuse_reference(text, text, text) is
  'Refuses an id in a request body that the caller''s agency does not have: reason unknown_reference with the member''s path.';
grant execute on function private.refuse_reference(text, text, text) to anon, authenticated;

-- sql/00_base/local_time.sql

create function private.is_day(value text) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  -- Years 400 apart have the same calendar, and Postgres knows no year 0.
  return value ~ '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$'
    and right(value, 2)::int <= extract(day from
      make_date(left(value, 4)::int + 400, substr(value, 6, 2)::int, 1) + interval '1 month' - interval '1 day');
end
$$;
comment on function private.is_day(text) is 'Whether a text is a day of the calendar, as 2026-05-04.';
grant execute on function private.is_day(text) to anon, authenticated;

create function private.is_time(value text) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  -- Postgres would take much more for a time: "tomorrow", "04/05/2026 5 pm".
  return value ~ '^.{10}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-5]):[0-5]\d)?$'
    and private.is_day(left(value, 10));
end
$$;
comment on function private.is_time(text) is
  'Whether a text is a day and a time in ISO 8601, as 2026-05-04T17:30 or 2026-05-04T17:30:00+02:00.';
grant execute on function private.is_time(text) to anon, authenticated;

create function private.at_local_time(value text, time_zone text, path text) returns timestamptz
language plpgsql stable set search_path = ''
as $$
declare
  local_time timestamp;
  moment timestamptz;
begin
  begin
    if value ~ '(Z|[+-][0-9]{2}:?[0-9]{2})$' then
      moment := value::timestamptz;
    else
      local_time := value::timestamp;
      -- When the clock shows a time twice, the first one counts, as in calendars (RFC 5545). A time that it skips finds
      -- nothing here.
      select min(candidate) into moment
      from unnest(array['0', '30 minutes', '1 hour', '2 hours']::interval[]) earlier,
        lateral (select (local_time at time zone time_zone) - earlier as candidate) c
      where candidate at time zone time_zone = local_time;
      if moment is null then
        perform private.refuse_member('invalid_time', path, 'skipped_time',
          format('This time does not exist in %s: the clocks go forward then.', time_zone),
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
$$;
comment on function private.at_local_time(text, text, text) is
  'The moment that a caller means: ISO 8601 with an offset, or without one in the given zone. When the clock shows a time twice, the first one. Refuses with invalid_time what the clock skips and what is not a date from 2000 to 2099.';
grant execute on function private.at_local_time(text, text, text) to anon, authenticated;

-- As its owner, because callers and functions that run as their owner both ask: a plan under RLS is made anew whenever
-- the role changes.
create function private.time_zone() returns text
language plpgsql stable security definer set search_path = ''
as $$
begin
  return (select a.time_zone from public.agencies a where a.id = (select private.agency_id()));
end
$$;
comment on function private.time_zone() is 'The time zone of the caller''s agency.';
grant execute on function private.time_zone() to anon, authenticated;

create function private.day_start(value text, days_later int, path text) returns timestamptz
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.day_start(text, int, text) is
  'The first moment of a day in the zone of the caller''s agency, or of one some days later. Refuses with invalid_time.';

-- sql/00_base/pages.sql

create function private.encode_cursor(list text, position_at timestamptz, id uuid) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return translate(
    encode(convert_to(list || '.' || (extract(epoch from position_at) * 1000000)::bigint || '.' || id, 'UTF8'), 'base64'),
    E'+/=\n', '-_');
end
$$;
comment on function private.encode_cursor(text, timestamptz, uuid) is 'An opaque place in a list: the last row shown.';

create function private.decode_cursor(list text, page_cursor text, out position_at timestamptz, out id uuid)
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.decode_cursor(text, text) is 'The place that a cursor of the list names. Refuses with invalid_cursor.';

create function private.list_condition(filter text, value jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  parts text[] := regexp_match(filter, '^([a-z_]+)(?: (>=|<=|<|is null|is not null))?$');
begin
  if parts is null then
    raise exception 'no filter is spelled "%"', filter;
  end if;
  return case
    when parts[2] like 'is %' then format('and t.%I %s', parts[1], parts[2])
    when jsonb_typeof(value) = 'array' then
      format('and t.%I = any (%L)', parts[1], array(select jsonb_array_elements_text(value)))
    else format('and t.%I %s %L', parts[1], coalesce(parts[2], '='), value #>> '{}')
  end;
end
$$;
comment on function private.list_condition(text, jsonb) is
  'A filter of private.list_page as a condition on its row t: "stage" or "price >=" with a value, "stage" with an array of which it is one, "won_at is not null" with anything.';

create function private.list_page(resource text, ordered_by text, filters jsonb, page_limit int, page_cursor text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  -- Asked for here and not taken as an argument, since what runs as the owner believes nobody.
  caller_agency_id uuid := private.agency_id();
  -- A resource is what has a serializer, which takes a row of its table and no other.
  table_name text := case resource when 'hook' then 'subscriptions' when 'property' then 'properties' else resource || 's' end;
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
  -- Dynamic, so that each combination of filters is planned for itself and finds its index. Names are quoted as names,
  -- values as values.
  execute format(
    $sql$
      with page as (
        select t as item, t.%2$I as position_at, t.id, row_number() over (order by t.%2$I desc, t.id desc) as n
        from public.%1$I t
        where t.agency_id = $1 %4$s %5$s
        order by t.%2$I desc, t.id desc
        limit $2 + 1
      )
      select jsonb_build_object(
        'data', coalesce(jsonb_agg(private.%3$I(item) order by n) filter (where n <= $2), '[]'),
        'next_cursor', case when count(*) > $2 then
          max(private.encode_cursor($5, position_at, id)) filter (where n = $2) end)
      from page
    $sql$,
    table_name, ordered_by, resource || '_json',
    (select string_agg(private.list_condition(f.key, f.value), ' ') from jsonb_each(jsonb_strip_nulls(filters)) f),
    case when page_cursor is not null then format('and (t.%I, t.id) < ($3, $4)', ordered_by) end)
  into page
  using caller_agency_id, rows_wanted, after.position_at, after.id, list;
  return page;
end
$$;
comment on function private.list_page(text, text, jsonb, int, text) is
  'One page of a resource of the caller''s agency, newest first: {data, next_cursor}. Keyset, so inserts do not shift it. Filters as private.list_condition reads them; those that are null do not count. Refuses with invalid_cursor, invalid_query.';
grant execute on function private.list_page(text, text, jsonb, int, text) to anon, authenticated;

create function private.get_one(resource text, id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal := private.authorize(case resource
    when 'agent' then null when 'property' then 'properties:read' else resource || 's:read' end);
  found jsonb;
begin
  -- A statement for each, because the session keeps their plans.
  case resource
    when 'agent' then
      select private.agent_json(t) into found from public.agents t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'document' then
      select private.document_json(t) into found from public.documents t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'lead' then
      select private.lead_json(t) into found from public.leads t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'offer' then
      select private.offer_json(t) into found from public.offers t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'operation' then
      select private.operation_json(t) into found from public.operations t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'property' then
      select private.property_json(t) into found from public.properties t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'signature' then
      select private.signature_json(t) into found from public.signatures t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'viewing' then
      select private.viewing_json(t) into found from public.viewings t where t.agency_id = caller.agency_id and t.id = get_one.id;
  end case;
  if found is null then
    perform private.refuse_missing(resource);
  end if;
  return found;
end
$$;
comment on function private.get_one(text, uuid) is
  'One row of a resource of the caller''s agency, as lists show it. Authorizes, with the permission to read it: any credential reads agents. Refuses with not_found.';
grant execute on function private.get_one(text, uuid) to anon, authenticated;

create function private.cut_list(items jsonb, total bigint, shown int) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return jsonb_build_object('total', total, 'truncated', total > shown, 'items', coalesce(items, '[]'));
end
$$;
comment on function private.cut_list(jsonb, bigint, int) is 'A list of bounded length that says how many there are and whether it was cut.';
grant execute on function private.cut_list(jsonb, bigint, int) to anon, authenticated;

-- sql/00_base/requests.sql

-- The Data API lets a key call every RPC by itself, so what the functions' contracts (types/contracts) say of a request
-- is said here too. Each RPC names its contract, in the words of JSON Schema as far as they reach; test/api/rules compares
-- it with that of the functions.
create function private.string_problem(content text, rule jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.string_problem(text, jsonb) is 'What is wrong with a text by a member''s rule; null for nothing.';
grant execute on function private.string_problem(text, jsonb) to anon, authenticated;

create function private.number_problem(number numeric, rule jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return case
    when rule ->> 'type' = 'integer' and number <> trunc(number) then 'Invalid input: expected int, received number'
    when number <= (rule ->> 'exclusiveMinimum')::numeric then format('must be above %s', rule ->> 'exclusiveMinimum')
    when number < (rule ->> 'minimum')::numeric then format('Too small: expected number to be >=%s', rule ->> 'minimum')
    when number > (rule ->> 'maximum')::numeric then format('Too big: expected number to be <=%s', rule ->> 'maximum')
    when number <> round(number, (rule ->> 'decimals')::int) then format('must have at most %s decimals', rule ->> 'decimals')
  end;
end
$$;
comment on function private.number_problem(numeric, jsonb) is 'What is wrong with a number by a member''s rule; null for nothing.';
grant execute on function private.number_problem(numeric, jsonb) to anon, authenticated;

create function private.problem_with(value jsonb, rule jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.problem_with(jsonb, jsonb) is 'What is wrong with a value by a member''s rule; null for nothing.';
grant execute on function private.problem_with(jsonb, jsonb) to anon, authenticated;

create function private.refuse_request(part text, issues jsonb) returns void
language plpgsql set search_path = ''
as $$
begin
  if part = 'query' then
    perform private.refuse('invalid_query', 'The query is not valid.', jsonb_build_object('issues', issues));
  end if;
  perform private.refuse('invalid_body', 'The body is not valid.', jsonb_build_object('issues', issues));
end
$$;
comment on function private.refuse_request(text, jsonb) is
  'Refuses a body (invalid_body) or a query (invalid_query) that is not valid, and names what is not: [{path, message}].';
grant execute on function private.refuse_request(text, jsonb) to anon, authenticated;

create function private.refuse_request_member(path text, message text, part text default 'body') returns void
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse_request(part, jsonb_build_array(jsonb_build_object('path', path, 'message', message)));
end
$$;
comment on function private.refuse_request_member(text, text, text) is 'The same for one member.';
grant execute on function private.refuse_request_member(text, text, text) to anon, authenticated;

create function private.check_request(request jsonb, contract jsonb, part text default 'body') returns jsonb
language plpgsql set search_path = ''
as $$
declare
  issues_max constant int := 50;
  issues jsonb := '[]';
  members jsonb;
  member text;
  value jsonb;
  rule jsonb;
  problem text;
begin
  if jsonb_typeof(request) is distinct from 'object' then
    perform private.refuse_request_member(part, 'must be a JSON object', part);
  end if;
  -- Every request comes by here. Members in an array are walked through without a query.
  members := jsonb_path_query_array(request, '$.keyvalue()');
  for at in 0 .. jsonb_array_length(members) - 1 loop
    member := members -> at ->> 'key';
    value := members -> at -> 'value';
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
$$;
comment on function private.check_request(jsonb, jsonb, text) is
  'A body or a query as it came, once it is judged by its contract: {properties: {member: rule}, required: [member]}. Members that are missing, not known or not as the rule says are named: reason invalid_body or invalid_query.';
grant execute on function private.check_request(jsonb, jsonb, text) to anon, authenticated;

-- sql/00_base/text.sql

-- These run for each row of a search and for each write; PL/pgSQL keeps their plans for the session.
create function private.plain_text(value text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- Called stable by its authors only because a dictionary could be edited; ours is not, so indexes may rely on it.
  -- The ICU collation knows letters of every script, whatever the database's locale.
  return lower(extensions.unaccent('extensions.unaccent'::regdictionary, value) collate "und-x-icu");
end
$$;
comment on function private.plain_text(text) is 'A text without case and accents, as searches compare it.';
grant execute on function private.plain_text(text) to anon, authenticated;

create function private.is_visible(value text) returns boolean
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- Nearly every text has a plain letter or digit. Else it takes a character that is no blank (White_Space), no control
  -- character (Cc) and none without a width (Cf), such as U+200B.
  return value ~ '[!-~]' or value ~ ('[^\u0001-\u0020\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2'
    || '\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb\U000110bd\U000110cd'
    || '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]');
end
$$;
comment on function private.is_visible(text) is 'Whether a text has a character that shows.';
grant execute on function private.is_visible(text) to anon, authenticated;

create function private.searched_text(variadic parts text[]) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- concat_ws is not immutable because it takes any type; this takes text alone.
  return coalesce(array_to_string(parts, ' '), '');
end
$$;
comment on function private.searched_text(text[]) is 'The texts a row is found by, joined; missing ones are left out.';
grant execute on function private.searched_text(text[]) to anon, authenticated;

create function private.plain_words(value text) returns text[]
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  return array_remove(
    regexp_split_to_array(private.plain_text(value) collate "und-x-icu", '[^[:alnum:]]+'), '');
end
$$;
comment on function private.plain_words(text) is 'The words of a text without case, accents and punctuation.';
grant execute on function private.plain_words(text) to anon, authenticated;

create function private.search_vector(agency_id uuid, value text) returns tsvector
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  -- Each trigram carries the agency, so that an index over all agencies is as quick as one over a single agency.
  agency text := left(agency_id::text, 8);
  plain text := private.plain_text(value);
  trigrams text;
begin
  -- Nearly every name is in plain letters once its accents are gone. pg_trgm takes the same trigrams of these, in a tenth
  -- of the time; those of other scripts it would show as hashes.
  if plain ~ '^[ -~]*$' then
    trigrams := nullif(array_to_string(extensions.show_trgm(plain), '|' || agency), '');
    return array_to_tsvector(coalesce(string_to_array(agency || trigrams, '|'), '{}'));
  end if;
  return (
    select array_to_tsvector(coalesce(array_agg(agency || substr('  ' || word || ' ', n, 3)), '{}'))
    from unnest(private.plain_words(value)) word, generate_series(1, char_length(word) + 1) n);
end
$$;
comment on function private.search_vector(uuid, text) is 'The trigrams of a text''s words inside one agency: what the search indexes hold.';
grant execute on function private.search_vector(uuid, text) to anon, authenticated;

create function private.search_query(agency_id uuid, words text[], with_errors boolean) returns tsquery
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  agency text := left(agency_id::text, 8);
begin
  -- A word matches by its beginning. With errors allowed, one half of a word of four letters or more is enough: a
  -- single typing error leaves the other half intact.
  return (
    select string_agg(
      case when with_errors and char_length(word) >= 4
        then '(' || private.all_trigrams(agency, '  ' || left(word, char_length(word) / 2))
          || '|' || private.all_trigrams(agency, substr(word, char_length(word) / 2 + 1) || ' ') || ')'
        else private.all_trigrams(agency, '  ' || word) end,
      '&')
    from unnest(words) word)::tsquery;
end
$$;
comment on function private.search_query(uuid, text[], boolean) is
  'The query of a search vector for some words of one agency: all words as they begin, or with a typing error in each.';

create function private.all_trigrams(agency text, part text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  return (
    select '(' || string_agg(quote_literal(agency || substr(part, n, 3)), '&') || ')'
    from generate_series(1, greatest(char_length(part) - 2, 1)) n);
end
$$;
comment on function private.all_trigrams(text, text) is 'The trigrams of a part of a word, all of them wanted, as text of a tsquery.';

create function private.screening_name(name text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- Letters of every script stay, since lists name people in their own. The dictionary is named, so the result is fixed.
  return btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent', name)), '[^[:alnum:]]+', ' ', 'g'));
end
$$;
comment on function private.screening_name(text) is 'A name as names are compared: without case, accents and punctuation.';

-- sql/00_base/triggers.sql

create function private.tg__updated_at() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.tg__updated_at() is 'Notes when a row last changed.';

create function private.tg__refuse_removal() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse('removal_refused', format('Rows of %I are never removed.', tg_table_name));
  return null;
end
$$;
comment on function private.tg__refuse_removal() is 'Refuses delete and truncate for every role (removal_refused).';

create function private.tg__refuse_change() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.refuse('change_refused', format('Rows of %I are never changed.', tg_table_name));
  return null;
end
$$;
comment on function private.tg__refuse_change() is 'Refuses an update for every role (change_refused): the table is append-only.';

-- sql/10_access/01_principal.sql

-- What runs with every request is PL/pgSQL: its plans are kept for the session, those of SQL functions are not.
create type private.principal as (
  agency_id uuid,
  credential_id uuid,
  kind text,
  agent_id uuid,
  name text,
  permissions text[],
  last_used_at timestamptz
);
comment on type private.principal is 'Who is calling: an API key or a signed-in agent, its one agency and what it may do.';

create function private.role_permissions(role text) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  return case
    when role in ('owner', 'manager', 'agent') then private.known_permissions()
    when role = 'viewer' then array(select p from unnest(private.known_permissions()) p where p like '%:read')
    -- A role that this function does not know, because one was added and it was forgotten, opens nothing.
    else '{}'
  end;
end
$$;
comment on function private.role_permissions(text) is 'What an agent''s role allows: owners, managers and agents read and write, viewers read, any other role nothing.';

-- Looked up for each statement that asks, ten times for a new lead, so each part of it counts. A setting that remembered
-- the answer could be forged by any role.
create function private.principal() returns private.principal
language plpgsql stable security definer set search_path = ''
as $$
declare
  caller private.principal;
  key text := nullif(current_setting('request.headers', true), '')::json ->> 'x-corredor-key';
begin
  if key is not null then
    select k.agency_id, k.id, 'api_key', k.agent_id, k.name, k.permissions, k.last_used_at
    into caller
    from public.api_keys k
    where k.prefix = split_part(key, '_', 2)
      and k.secret_hash = sha256(convert_to(split_part(key, '_', 3), 'UTF8'))
      -- Nothing before, between or after the two parts.
      and key = 'cor_' || k.prefix || '_' || split_part(key, '_', 3)
      and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now());
    -- A key that acts for an agent is closed with the agent. Two ifs, because PL/pgSQL runs a condition that has a query
    -- in it as a query, whatever stands before the `and`.
    if caller.agent_id is not null then
      if not exists (
        select from public.agents a
        where a.agency_id = caller.agency_id and a.id = caller.agent_id and a.active) then
        caller := null;
      end if;
    end if;
  elsif (select auth.uid()) is not null and private.token_is_ours(auth.jwt()) then
    select a.agency_id, a.id, 'agent', a.id,
      -- Tells what an assistant does in a person's name from what they do themselves: only a token from OAuth names
      -- a client.
      a.name || coalesce(' (OAuth client ' || left(auth.jwt() ->> 'client_id', 100) || ')', ''),
      private.role_permissions(a.role), null
    into caller
    from public.agents a
    where a.user_id = (select auth.uid()) and a.active;
  end if;
  return caller;
end
$$;
comment on function private.principal() is
  'The caller, read from the API key in the header x-corredor-key, else from the access token. Null without a valid credential. A header that names a key is never answered with another credential.';
grant execute on function private.principal() to anon, authenticated;

create function private.missing_permissions(caller private.principal, variadic wanted text[]) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return (select coalesce(jsonb_agg(w order by n), '[]') from unnest(wanted) with ordinality u (w, n)
    where w <> all (caller.permissions));
end
$$;
comment on function private.missing_permissions(private.principal, text[]) is
  'Which of these permissions the caller lacks. An answer made of several resources leaves those parts out and says so.';
grant execute on function private.missing_permissions(private.principal, text[]) to anon, authenticated;

create function private.agency_id() returns uuid
language plpgsql stable set search_path = ''
as $$
begin
  return (private.principal()).agency_id;
end
$$;
comment on function private.agency_id() is 'The caller''s agency. Policies compare with (select private.agency_id()), which runs once a statement.';
grant execute on function private.agency_id() to anon, authenticated;

create function private.touch_api_key(agency_id uuid, credential_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- Skips a row that another request is touching, so that parallel requests never wait for each other here.
  update public.api_keys k set last_used_at = now()
  from (
    select c.agency_id, c.id from public.api_keys c
    where c.agency_id = touch_api_key.agency_id and c.id = touch_api_key.credential_id
      and (c.last_used_at is null or c.last_used_at < now() - interval '1 minute')
    for no key update skip locked
  ) due
  where k.agency_id = due.agency_id and k.id = due.id;
end
$$;
comment on function private.touch_api_key(uuid, uuid) is 'Notes that a key was used, at most once a minute.';

create function private.authorize(required_permission text default null) returns private.principal
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal := private.principal();
  wait_seconds int;
begin
  if caller.agency_id is null then
    perform private.raise_error(401, 'unauthorized', 'The credential is missing, unknown, expired or revoked.');
  end if;

  wait_seconds := private.take_token(caller.agency_id, caller.credential_id);
  if wait_seconds is not null then
    perform private.raise_error(429, 'rate_limited', 'Too many requests; try again later.',
      jsonb_build_object('retry_after_seconds', wait_seconds));
  end if;

  if caller.kind = 'api_key' and coalesce(caller.last_used_at < now() - interval '1 minute', true) then
    perform private.touch_api_key(caller.agency_id, caller.credential_id);
  end if;

  if required_permission is not null and not required_permission = any (caller.permissions) then
    perform private.raise_error(403, 'forbidden',
      format('The credential does not have the permission %s.', required_permission),
      jsonb_build_object('required_permission', required_permission));
  end if;
  return caller;
end
$$;
comment on function private.authorize(text) is
  'First line of every RPC: counts the request, and refuses it with 401 (no valid credential), 429 (bucket empty) or 403 (permission missing). Sets the RateLimit headers. Returns the caller.';
grant execute on function private.authorize(text) to anon, authenticated;

-- sql/10_access/02_agencies.sql

create table public.agencies (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  slug text not null,
  time_zone text not null default 'Europe/Madrid',
  country text not null default 'ES',
  created_at timestamptz not null default now(),
  constraint name_has_1_to_200_characters check (btrim(name) <> '' and char_length(name) <= 200),
  constraint slug_is_a_url_part check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 63),
  constraint agency_slug_is_unique unique (slug),
  constraint country_is_iso_3166_alpha_2 check (country ~ '^[A-Z]{2}$')
);
comment on table public.agencies is 'A brokerage. All other data belongs to exactly one.';
comment on column public.agencies.id is 'Identifier; the first part of every other table''s key.';
comment on column public.agencies.name is 'Name as clients know it.';
comment on column public.agencies.slug is 'Short name for commands and URLs: lower-case letters, digits, hyphens.';
comment on column public.agencies.time_zone is 'IANA time zone in which the agency works; viewings are shown in it.';
comment on column public.agencies.country is 'ISO 3166-1 alpha-2 country; phone numbers without a prefix are read as from here.';
comment on column public.agencies.created_at is 'When the agency was created.';

create function private.tg_agencies__time_zone() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- pg_timezone_names is too slow for a check on each write; asking Postgres to use the zone is the same question.
  perform now() at time zone new.time_zone;
  return new;
exception when invalid_parameter_value then
  perform private.refuse('invalid_time_zone', format('"%s" is not an IANA time zone.', new.time_zone));
  return null;
end
$$;
comment on function private.tg_agencies__time_zone() is 'Refuses a time zone that Postgres does not know (invalid_time_zone).';

create trigger _100_time_zone before insert or update of time_zone on public.agencies
  for each row execute function private.tg_agencies__time_zone();

alter table public.agencies enable row level security;
create policy select_own on public.agencies for select to anon, authenticated
  using (id = (select private.agency_id()));
grant select on public.agencies to anon, authenticated;

-- sql/10_access/03_agents.sql

create table public.agents (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  name text not null,
  email text not null,
  role text not null default 'agent',
  user_id uuid references auth.users (id) on delete set null,
  active boolean not null default true,
  accepts_leads boolean not null default true,
  last_assigned_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  constraint name_has_1_to_200_characters check (btrim(name) <> '' and char_length(name) <= 200),
  constraint email_is_normal check (email = lower(email) and email ~ '^[^\s@]+@[^\s@]+$' and char_length(email) <= 254),
  constraint agent_email_is_unique_in_agency unique (agency_id, email),
  constraint role_is_known check (role in ('owner', 'manager', 'agent', 'viewer')),
  constraint user_is_one_agent unique (user_id)
);
create index agents_by_turn on public.agents (agency_id, last_assigned_at nulls first, created_at, id)
  where active and accepts_leads;
create index agents_newest on public.agents (agency_id, created_at desc, id desc);
create index agents_newest_by_activity on public.agents (agency_id, active, created_at desc, id desc);

comment on table public.agents is 'A person who works for an agency. New leads go to the active ones that accept leads, in turn.';
comment on column public.agents.name is 'Name as clients and colleagues see it.';
comment on column public.agents.email is 'Work e-mail, lower case; unique in the agency.';
comment on column public.agents.role is 'owner, manager, agent or viewer; decides what a signed-in person may do.';
comment on column public.agents.user_id is 'The Supabase Auth user who signs in as this agent, if any.';
comment on column public.agents.active is 'False closes the agent''s access and takes them out of the turn.';
comment on column public.agents.accepts_leads is 'Whether new leads may be assigned.';
comment on column public.agents.last_assigned_at is 'When the last lead was assigned; the one who waited longest is next.';
comment on column public.agents.created_at is 'When the agent was added.';

alter table public.agents enable row level security;
create policy select_own on public.agents for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select on public.agents to anon, authenticated;

create function private.agent_json(agent public.agents) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
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
$$;
comment on function private.agent_json(public.agents) is 'The agent as lists and answers show it: what assigning a lead or a viewing takes.';

-- sql/10_access/04_api_keys.sql

create function private.known_permissions() returns text[]
language sql immutable set search_path = ''
as $$
  select array[
    'leads:read', 'leads:write', 'operations:read', 'operations:write', 'properties:read', 'properties:write',
    'viewings:read', 'viewings:write', 'offers:read', 'offers:write', 'signatures:read', 'signatures:write',
    'documents:read', 'documents:write'];
$$;
comment on function private.known_permissions() is 'Every permission there is, <resource>:read and <resource>:write. The contracts have the same ones.';

create table public.api_keys (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  name text not null,
  prefix text not null,
  secret_hash bytea not null,
  permissions text[] not null,
  agent_id uuid,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, agent_id) references public.agents (agency_id, id) on delete restrict,
  constraint name_has_1_to_200_characters check (btrim(name) <> '' and char_length(name) <= 200),
  constraint prefix_has_eight_characters check (prefix ~ '^[a-z0-9]{8}$'),
  constraint api_key_prefix_is_unique unique (prefix),
  constraint secret_is_hashed check (octet_length(secret_hash) = 32),
  constraint permissions_are_known check (permissions <@ private.known_permissions())
);
create index api_keys_by_agent on public.api_keys (agency_id, agent_id);

comment on table public.api_keys is 'Credentials of integrators: `cor_<prefix>_<secret>`. Made by admin.create_api_key, which shows the secret once.';
comment on column public.api_keys.agency_id is 'The agency whose data the key opens.';
comment on column public.api_keys.name is 'What the key is for.';
comment on column public.api_keys.prefix is 'The public part of the key: finds the row, and names the key in logs.';
comment on column public.api_keys.secret_hash is 'SHA-256 of the secret part. The secret is 192 random bits, so no slow hash is needed.';
comment on column public.api_keys.permissions is 'What the key may do: <resource>:read and <resource>:write.';
comment on column public.api_keys.agent_id is 'The agent the key acts for, if any: "my day" is theirs.';
comment on column public.api_keys.expires_at is 'From then on the key is refused.';
comment on column public.api_keys.revoked_at is 'Since when the key is refused.';
comment on column public.api_keys.last_used_at is 'Last use, to the minute.';
comment on column public.api_keys.created_at is 'When the key was made.';

-- No policy and no grant: no caller sees it.
alter table public.api_keys enable row level security;

-- sql/10_access/access_tokens.sql

create table public.token_rules (
  only_row boolean primary key default true,
  issuer text,
  resource text,
  blocked_client_ids text[] not null default '{}',
  constraint there_is_one_row check (only_row),
  constraint issuer_is_a_url check (issuer ~ '^https?://'),
  constraint resource_is_a_url check (resource ~ '^https?://')
);
comment on table public.token_rules is 'Which access tokens of signed-in people are taken, beyond what the Data API checks. One row, for all agencies; without it the defaults hold.';
comment on column public.token_rules.only_row is 'Always true: there is one row.';
comment on column public.token_rules.issuer is 'The issuer that tokens must name, for example https://<ref>.supabase.co/auth/v1; null takes any issuer whose signature the Data API accepts.';
comment on column public.token_rules.resource is 'The address of the assistant connector, for example https://<ref>.supabase.co/functions/v1/api/mcp. Tokens of OAuth clients get it as an audience, and are refused without it; null asks for none.';
comment on column public.token_rules.blocked_client_ids is 'OAuth clients (assistants) whose tokens are refused at once, whoever signed in with them.';

-- No policy and no grant: no caller sees it.
alter table public.token_rules enable row level security;

create function private.token_is_ours(claims jsonb) returns boolean
language plpgsql stable security definer set search_path = ''
as $$
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
    -- Resource: an OAuth client was admitted to the connector, and its token says so. Auth writes no such audience
    -- (RFC 8707); private.access_token_hook does.
    and (rules.resource is null or claims ->> 'client_id' is null or audience @> jsonb_build_array(rules.resource))
    -- Person: an anonymous sign-in proves nothing about who it is.
    and (claims -> 'is_anonymous') is distinct from 'true'
    -- Client: a session of the agency's own application names none; an assistant that came by OAuth does.
    and (claims ->> 'client_id' is null or claims ->> 'client_id' <> all (coalesce(rules.blocked_client_ids, '{}')));
end
$$;
comment on function private.token_is_ours(jsonb) is
  'Whether an access token that the Data API verified is for this service: by issuer (public.token_rules), audience (authenticated; of an OAuth client the connector too), person (not anonymous) and OAuth client (not blocked).';

create function private.access_token_hook(event jsonb) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  client_id text := event #>> '{claims,client_id}';
  rules public.token_rules;
begin
  -- Only an OAuth client's token names a client. People who sign in on a page keep their session, so that the page can
  -- tell them that they are nobody's agent.
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
$$;
comment on function private.access_token_hook(jsonb) is
  'Custom access-token hook of Supabase Auth, run before each token is signed, new and refreshed ones. An OAuth client gets one only for an active agent and unless it is blocked, with the connector (public.token_rules.resource) as a second audience. Sessions pass as they are.';
grant usage on schema private to supabase_auth_admin;
grant execute on function private.access_token_hook(jsonb) to supabase_auth_admin;

-- sql/10_access/budget.sql

create type private.budget as (
  requests_per_minute int,
  allowed boolean,
  full_at_us bigint,
  remaining int,
  reset_seconds int,
  retry_after_seconds int
);
comment on type private.budget is 'What one request made of a bucket: whether it may pass, when the bucket will be full again, and what the caller is told.';

-- The rule that all buckets share; each keeps its state in a place of its own.
create function private.spend(full_at_us bigint, now_us bigint, requests_per_minute int) returns private.budget
language plpgsql immutable set search_path = ''
as $$
declare
  interval_us bigint := greatest(60000000 / requests_per_minute, 1);
  window_us bigint := interval_us * requests_per_minute;
  -- Generic cell rate algorithm: all there is to know is the time at which the bucket will be full again. That is now at
  -- the earliest, and a window from now at the latest: a clock that was put back must not close a bucket until it has
  -- caught up.
  next_full_at_us bigint := least(greatest(coalesce(full_at_us, 0), now_us), now_us + window_us);
  allowed boolean := next_full_at_us + interval_us <= now_us + window_us;
begin
  -- A request refused for its rate costs nothing: a caller who comes back after Retry-After finds a token.
  if allowed then
    next_full_at_us := next_full_at_us + interval_us;
  end if;
  return row(
    requests_per_minute, allowed, next_full_at_us,
    (now_us + window_us - next_full_at_us) / interval_us,
    ceil((next_full_at_us - now_us) / 1000000.0),
    case when not allowed then ceil(interval_us / 1000000.0) end)::private.budget;
end
$$;
comment on function private.spend(bigint, bigint, int) is
  'Takes one request from a bucket that will be full at a time given in microseconds, null if it never was used. It holds as many requests as may be made a minute, and refills continuously.';

create function private.show_budget(budget private.budget) returns text
language plpgsql set search_path = ''
as $$
begin
  return
    set_config('corredor.rate_limit',
      format('{"limit": %s, "remaining": %s, "reset": %s}',
        budget.requests_per_minute, budget.remaining, budget.reset_seconds), true)
    || set_config('response.headers',
      format('[{"ratelimit-limit": "%s"}, {"ratelimit-remaining": "%s"}, {"ratelimit-reset": "%s"}]',
        budget.requests_per_minute, budget.remaining, budget.reset_seconds), true);
end
$$;
comment on function private.show_budget(private.budget) is
  'Shows a budget in the RateLimit headers, and leaves it for private.raise_error, so that refusals show it too.';

-- sql/10_access/idempotency_keys.sql

create table public.idempotency_keys (
  agency_id uuid not null references public.agencies (id) on delete cascade,
  credential_id uuid not null,
  key text not null,
  request_hash bytea not null,
  answer jsonb,
  expires_at timestamptz not null default now() + interval '24 hours',
  primary key (agency_id, credential_id, key),
  constraint key_is_printable check (key ~ '^[ -~]{1,255}$')
);
create index idempotency_keys_by_expiry on public.idempotency_keys (expires_at);

comment on table public.idempotency_keys is 'Answers to POST requests that carried an Idempotency-Key, kept 24 hours to be replayed.';
comment on column public.idempotency_keys.credential_id is 'The API key or agent that sent it; keys of others do not meet.';
comment on column public.idempotency_keys.key is 'The key, as the caller chose it.';
comment on column public.idempotency_keys.request_hash is 'SHA-256 of the endpoint and the body.';
comment on column public.idempotency_keys.answer is 'The answer: {status, replayed, body}.';
comment on column public.idempotency_keys.expires_at is 'From then on the key is free again.';

-- No policy and no grant: no caller sees it.
alter table public.idempotency_keys enable row level security;

create function private.replay(endpoint text, idempotency_key text, body jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal;
  stored public.idempotency_keys;
  hash bytea;
begin
  if idempotency_key is null then
    return null;
  end if;
  if idempotency_key !~ '^[ -~]{1,255}$' then
    perform private.refuse_member('invalid_header', 'Idempotency-Key', 'not_printable', 'A header is not valid.', '{}',
      'must be 1 to 255 printable ASCII characters');
  end if;
  caller := private.principal();
  hash := sha256(convert_to(endpoint || ' ' || body::text, 'UTF8'));
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
$$;
comment on function private.replay(text, text, jsonb) is
  'The stored answer to a request the caller made before, or null for a new one. Refuses with idempotency_key_reused.';
grant execute on function private.replay(text, text, jsonb) to anon, authenticated;

create function private.answer(idempotency_key text, status int, body jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal;
  envelope jsonb := jsonb_build_object('status', status, 'replayed', false, 'body', body);
begin
  if idempotency_key is not null then
    caller := private.principal();
    update public.idempotency_keys k set answer = envelope
    where k.agency_id = caller.agency_id and k.credential_id = caller.credential_id and k.key = idempotency_key;
  end if;
  return envelope;
end
$$;
comment on function private.answer(text, int, jsonb) is
  'The answer of a POST, {status, replayed, body}, kept for replay in the transaction that did the work.';
grant execute on function private.answer(text, int, jsonb) to anon, authenticated;

-- sql/10_access/rate_limits.sql

create table public.rate_limits (
  agency_id uuid not null references public.agencies (id) on delete cascade,
  credential_id uuid not null,
  requests_per_minute int not null default 120,
  id uuid not null default gen_random_uuid(),
  primary key (agency_id, credential_id),
  constraint rate_limit_id_is_unique unique (id),
  constraint requests_per_minute_is_in_range check (requests_per_minute between 1 and 1000000)
);
comment on table public.rate_limits is 'How many requests a minute each API key or agent may make. Created with the credential; edit it here.';
comment on column public.rate_limits.agency_id is 'The agency of the credential.';
comment on column public.rate_limits.credential_id is 'The API key or the agent.';
comment on column public.rate_limits.requests_per_minute is 'Size of the bucket; it refills continuously at this rate.';
comment on column public.rate_limits.id is 'For the local Studio, whose table editor finds rows by an id alone.';

-- No policy and no grant: no caller sees it.
alter table public.rate_limits enable row level security;

-- A bucket is an unlogged sequence, because taking a token must survive the rollback of a refused request, must not
-- hold a row lock while the request works, and must not make a reading request wait for the disk. A crash empties
-- it, which only gives every credential a full bucket.
create function private.rate_bucket(credential_id uuid) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return 'rate_limit.bucket_' || replace(credential_id::text, '-', '');
end
$$;
comment on function private.rate_bucket(uuid) is 'Name of the sequence that holds a credential''s request bucket.';

create function private.tg_rate_limits__bucket() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    execute format('create unlogged sequence %s', private.rate_bucket(new.credential_id));
  elsif exists (select from public.api_keys k where k.agency_id = old.agency_id and k.id = old.credential_id)
    or exists (select from public.agents a where a.agency_id = old.agency_id and a.id = old.credential_id) then
    perform private.refuse('rate_limit_in_use', 'The credential still exists; edit its limit instead of removing it.');
  else
    execute format('drop sequence if exists %s', private.rate_bucket(old.credential_id));
  end if;
  return null;
end
$$;
comment on function private.tg_rate_limits__bucket() is 'Makes the bucket with its limit and drops it with it.';

create trigger _500_bucket after insert or delete on public.rate_limits
  for each row execute function private.tg_rate_limits__bucket();

create function private.tg_credentials__rate_limit() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.rate_limits (agency_id, credential_id) values (new.agency_id, new.id);
  else
    delete from public.rate_limits where agency_id = old.agency_id and credential_id = old.id;
  end if;
  return null;
end
$$;
comment on function private.tg_credentials__rate_limit() is 'Gives every new API key and agent the default limit, and takes it away with them.';

create trigger _500_rate_limit after insert or delete on public.api_keys
  for each row execute function private.tg_credentials__rate_limit();
create trigger _500_rate_limit after insert or delete on public.agents
  for each row execute function private.tg_credentials__rate_limit();

create function private.take_token(agency_id uuid, credential_id uuid) returns int
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.take_token(uuid, uuid) is
  'Takes one request from a credential''s bucket, whatever becomes of the transaction, and sets the RateLimit headers. Returns null, or how many seconds to wait when the bucket is empty.';

-- sql/10_access/request_buckets.sql

create unlogged table public.request_buckets (
  key text primary key,
  full_at timestamptz not null
);
create index request_buckets_by_end on public.request_buckets (full_at);

comment on table public.request_buckets is
  'Request buckets of callers without a credential: offers'' public links, addresses and the prefixes of refused keys. If they are lost, all are full again. Idle ones are removed each night, and the addresses with them.';
comment on column public.request_buckets.key is 'link:<offer id>, link:unknown, address:<IPv4 address or IPv6 network> or key:<prefix>.';
comment on column public.request_buckets.full_at is 'When the bucket will be full again.';

-- No policy and no grant: no caller sees it.
alter table public.request_buckets enable row level security;

create function private.take_from_bucket(bucket_key text, requests_per_minute int) returns private.budget
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.take_from_bucket(text, int) is 'Takes one request from a bucket that is named, and makes the bucket when there is none.';

create function private.take_public_token(bucket_key text, requests_per_minute int) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  budget private.budget := private.take_from_bucket('link:' || bucket_key, requests_per_minute);
begin
  perform private.show_budget(budget);
  if not budget.allowed then
    perform private.raise_error(429, 'rate_limited', 'Too many requests; try again later.',
      jsonb_build_object('retry_after_seconds', budget.retry_after_seconds));
  end if;
end
$$;
comment on function private.take_public_token(text, int) is
  'Takes one request from a public link''s bucket, and sets the RateLimit headers. Refuses with rate_limited.';

create function private.count_stranger(address text, key_prefix text) returns private.budget
language plpgsql security definer set search_path = ''
as $$
declare
  -- An office shares an address, and one of its scripts may have lost its key, so both are generous.
  per_address constant int := 300;
  per_key constant int := 60;
  by_address private.budget := private.take_from_bucket('address:' || left(address, 64), per_address);
  by_key private.budget;
begin
  -- Only for keys that exist: made-up ones would each make a row.
  if not by_address.allowed or not exists (select from public.api_keys k where k.prefix = key_prefix) then
    return by_address;
  end if;
  by_key := private.take_from_bucket('key:' || key_prefix, per_key);
  return case when by_key.remaining < by_address.remaining or not by_key.allowed then by_key else by_address end;
end
$$;
comment on function private.count_stranger(text, text) is
  'Counts a request that showed no valid credential against its address, and against the key that it named by its prefix. Returns the budget that is nearer to its end.';
grant execute on function private.count_stranger(text, text) to service_role;

-- sql/20_people/01_phone_and_email.sql

-- How a person wrote a phone or an e-mail is no reason to lose their lead: what can be read is stored in its normal form,
-- all else as it came. Only the normal forms find a contact. PL/pgSQL, because its plans are kept for the session.
create function private.is_e164(phone text) returns boolean
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- That a number can exist is known only roughly here: Spain's have nine digits and begin with 5 to 9, and no country
  -- begins with the others. Two expressions, because looking ahead is slow and most numbers are Spain's. The functions know the plans of all countries, and send what they could read in this form.
  return phone ~ '^\+34[5-9][0-9]{8}$' or phone ~ '^\+(?!0|28|34|83|89|99[0179])[0-9]{7,15}$';
end
$$;
comment on function private.is_e164(text) is 'Whether a phone is in E.164, for example +34600111222, and may exist.';
grant execute on function private.is_e164(text) to anon, authenticated;

create function private.is_email(email text) returns boolean
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- Looked at four times with each lead: what the dots must not do is no part of the expression, because looking ahead
  -- is slow.
  return char_length(email) <= 254 and left(email, 1) <> '.' and strpos(email, '..') = 0
    and email ~ '^[a-z0-9_''+.-]*[a-z0-9_+-]@([a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$';
end
$$;
comment on function private.is_email(text) is 'Whether a text is an e-mail address in its normal form: in lower case, with nothing around it.';
grant execute on function private.is_email(text) to anon, authenticated;

create function private.as_sent(value text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  return case
    when value !~ '\S' then null
    when char_length(value) > 500 then left(value, 499) || '…'
    else value
  end;
end
$$;
comment on function private.as_sent(text) is
  'A phone or e-mail that could not be read, as it came: null when it is blank, cut with an ellipsis after 499 characters when it is longer than 500.';
grant execute on function private.as_sent(text) to anon, authenticated;

create function private.normal_phone(phone text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  bare text;
begin
  if private.is_e164(phone) then
    return phone;
  end if;
  bare := regexp_replace(phone, '[\s().-]', '', 'g');
  return case when private.is_e164(bare) then bare else private.as_sent(phone) end;
end
$$;
comment on function private.normal_phone(text) is
  'A phone as it is stored: in E.164 when it says its country and nothing else, else as it came. National numbers are read before, in functions/_shared/phone.ts.';
grant execute on function private.normal_phone(text) to anon, authenticated;

create function private.normal_email(email text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
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
$$;
comment on function private.normal_email(text) is
  'An e-mail address as it is stored: trimmed and in lower case when it is one, without the name or "mailto:" around it, else as it came.';
grant execute on function private.normal_email(text) to anon, authenticated;

create function private.tg__normal_forms() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.phone := private.normal_phone(new.phone);
  new.email := private.normal_email(new.email);
  return new;
end
$$;
comment on function private.tg__normal_forms() is 'Stores phone and e-mail in their normal forms, whoever writes them.';

-- sql/20_people/02_contacts.sql

create table public.contacts (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  full_name text not null,
  phone text,
  phone_e164 text generated always as (case when private.is_e164(phone) then phone end) stored,
  email text,
  email_is_valid boolean generated always as (private.is_email(email)) stored,
  birth_date date,
  nationality text,
  merged_into uuid,
  compared_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, merged_into) references public.contacts (agency_id, id) on delete restrict,
  constraint is_not_merged_into_itself check (merged_into <> id),
  constraint full_name_is_not_blank check (btrim(full_name) <> '' and char_length(full_name) <= 200),
  constraint phone_is_short check (char_length(phone) <= 500),
  constraint email_is_short check (char_length(email) <= 500),
  constraint birth_date_is_of_a_living_person check (birth_date between date '1900-01-01' and date '2100-01-01'),
  constraint nationality_is_iso_3166_alpha_2 check (nationality ~ '^[A-Z]{2}$')
);
-- What is no address may say "none" and be anybody's.
create unique index contact_email_is_unique_in_agency on public.contacts (agency_id, email) where email_is_valid;
-- For `buscar`: names and e-mails nearly as written, phones by their last digits.
create index contacts_by_words on public.contacts using gin (private.search_vector(agency_id, private.searched_text(full_name, email)))
  with (gin_pending_list_limit = 256);
create index contacts_by_phone_end on public.contacts (agency_id, reverse(phone_e164) text_pattern_ops) where phone_e164 is not null;
create index contacts_by_phone on public.contacts (agency_id, phone_e164, created_at) where phone_e164 is not null;
create index contacts_merged on public.contacts (agency_id, merged_into) where merged_into is not null;
create index contacts_to_compare on public.contacts (agency_id, created_at, id) where compared_at is null;

comment on table public.contacts is 'A person the agency knows. Leads of one person share a contact, found by e-mail, else by phone.';
comment on column public.contacts.full_name is 'Name as first given.';
comment on column public.contacts.phone is 'Phone in E.164, for example +34600111222, or as it came when it could not be read.';
comment on column public.contacts.phone_e164 is 'The phone where it could be read, else null; by it a new lead finds its contact.';
comment on column public.contacts.email is 'E-mail, trimmed and lower case, or as it came when it is no address; no two contacts of an agency share one.';
comment on column public.contacts.email_is_valid is 'Whether the e-mail is an address; only then does a new lead find its contact by it.';
comment on column public.contacts.birth_date is 'Birth date, where the agency knows it; tells namesakes apart in the sanctions screen.';
comment on column public.contacts.nationality is 'ISO 3166-1 alpha-2 country of nationality, where the agency knows it; used in the sanctions screen.';
comment on column public.contacts.merged_into is 'The contact that an admin found to be the same person; new leads that match this one are given to that one.';
comment on column public.contacts.compared_at is 'When it was last compared with the others for near-duplicates; null: to be compared.';
comment on column public.contacts.created_at is 'When the person was first seen.';

alter table public.contacts enable row level security;
create policy select_own on public.contacts for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.contacts for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.contacts for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select, insert (agency_id, full_name, phone, email), update (phone, email) on public.contacts to anon, authenticated;

create trigger _050_normal_forms before insert or update of phone, email on public.contacts
  for each row when (
    new.phone is distinct from private.normal_phone(new.phone) or new.email is distinct from private.normal_email(new.email))
  execute function private.tg__normal_forms();
-- Not of compared_at: that the contact was compared with others is no change of it.
create trigger _900_updated_at
  before update of full_name, phone, email, birth_date, nationality, merged_into on public.contacts
  for each row execute function private.tg__updated_at();

-- sql/20_people/03_leads.sql

create table public.leads (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  full_name text not null,
  phone text,
  phone_e164 text generated always as (case when private.is_e164(phone) then phone end) stored,
  email text,
  email_is_valid boolean generated always as (private.is_email(email)) stored,
  origin text not null default 'other',
  lead_status text default 'new',
  temperature text,
  intent text,
  budget_max numeric(12, 2),
  bedrooms_min int,
  zone text,
  language text,
  urgency text,
  summary text,
  notes text,
  assigned_agent_id uuid,
  contact_id uuid not null,
  operation_id uuid,
  archived_at timestamptz,
  archive_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  email_key text generated always as (lower(email)) stored,
  primary key (agency_id, id),
  foreign key (agency_id, contact_id) references public.contacts (agency_id, id) on delete restrict,
  foreign key (agency_id, assigned_agent_id) references public.agents (agency_id, id) on delete restrict,
  constraint full_name_is_not_blank check (btrim(full_name) <> '' and char_length(full_name) <= 200),
  constraint phone_is_short check (char_length(phone) <= 500),
  constraint email_is_short check (char_length(email) <= 500),
  constraint origin_is_known check (origin in (
    'email', 'web', 'portal', 'phone', 'walk_in', 'referral', 'whatsapp', 'api', 'other')),
  constraint lead_status_is_known check (lead_status in ('new', 'contacted', 'qualified', 'unqualified')),
  constraint temperature_is_known check (temperature in ('hot', 'warm', 'cold')),
  constraint intent_is_short check (char_length(intent) <= 500),
  constraint budget_max_is_in_range check (budget_max > 0 and budget_max <= 1000000000),
  constraint bedrooms_min_is_in_range check (bedrooms_min between 0 and 50),
  constraint zone_is_short check (btrim(zone) <> '' and char_length(zone) <= 200),
  constraint language_is_iso_639_1 check (language ~ '^[a-z]{2}$'),
  constraint urgency_is_known check (urgency in ('immediate', 'soon', 'later')),
  constraint summary_is_one_line check (summary !~ '[\n\r]' and char_length(summary) <= 300),
  constraint notes_are_short check (char_length(notes) <= 10000),
  constraint archived_has_reason check ((archived_at is null) = (archive_reason is null)),
  constraint archive_reason_is_short check (btrim(archive_reason) <> '' and char_length(archive_reason) <= 1000)
);
-- Every list is newest first inside one agency; each filter has its index in that order.
create index leads_newest on public.leads (agency_id, created_at desc, id desc);
create index leads_newest_active on public.leads (agency_id, created_at desc, id desc) where archived_at is null;
create index leads_by_temperature on public.leads (agency_id, temperature, created_at desc, id desc);
create index leads_by_origin on public.leads (agency_id, origin, created_at desc, id desc);
create index leads_by_email on public.leads (agency_id, email_key, created_at desc, id desc);
create index leads_by_assigned_agent on public.leads (agency_id, assigned_agent_id, created_at desc, id desc);
-- For `buscar`: a lead may be named, or called, otherwise than its contact.
create index leads_by_words on public.leads using gin (private.search_vector(agency_id, full_name)) with (gin_pending_list_limit = 256);
create index leads_by_phone_end on public.leads (agency_id, reverse(phone_e164) text_pattern_ops) where phone_e164 is not null;
create index leads_new on public.leads (agency_id, created_at) where lead_status = 'new' and archived_at is null;
-- In that order for the newest lead of a person, which says whose client they are.
create index leads_by_contact on public.leads (agency_id, contact_id, created_at desc, id desc);
create index leads_by_operation on public.leads (agency_id, operation_id);

comment on table public.leads is 'A person''s interest in buying, renting or selling. The work hangs off its operations. Never removed, only archived.';
comment on column public.leads.full_name is 'Name as given with this lead.';
comment on column public.leads.phone is 'Phone as given with this lead: in E.164, or as it came when it could not be read.';
comment on column public.leads.phone_e164 is 'The phone where it could be read, else null.';
comment on column public.leads.email is 'E-mail as given with this lead: trimmed and lower case, or as it came when it is no address.';
comment on column public.leads.email_is_valid is 'Whether the e-mail is an address; null without one.';
comment on column public.leads.origin is 'Where it came from: email, web, portal, phone, walk_in, referral, whatsapp, api or other.';
comment on column public.leads.lead_status is 'new, contacted, qualified or unqualified; null for a listing lead (a seller), so do not count supply by it.';
comment on column public.leads.temperature is 'hot, warm or cold; null until qualified.';
comment on column public.leads.intent is 'What the person wants, in few words.';
comment on column public.leads.budget_max is 'The most the person would pay: the price when buying, the monthly rent when renting; in EUR.';
comment on column public.leads.bedrooms_min is 'The fewest bedrooms the person accepts.';
comment on column public.leads.zone is 'Where the person wants to live: towns and neighbourhoods, separated by commas.';
comment on column public.leads.language is 'The language the person writes in, ISO 639-1: es, en.';
comment on column public.leads.urgency is 'immediate (within a month), soon (within some months) or later; null when not known.';
comment on column public.leads.summary is 'The lead''s wishes in one line.';
comment on column public.leads.notes is 'What colleagues should know about the lead; free text.';
comment on column public.leads.assigned_agent_id is 'The agent who looks after the lead.';
comment on column public.leads.contact_id is 'The person, as in contacts.id; all leads of one person share it.';
comment on column public.leads.operation_id is 'The operation opened together with the lead, if one was.';
comment on column public.leads.archived_at is 'When the lead was archived; it no longer shows in lists.';
comment on column public.leads.archive_reason is 'Why the lead was archived.';
comment on column public.leads.created_at is 'When the lead came in.';
comment on column public.leads.email_key is 'The e-mail in lower case, for the filter; follows from email.';

alter table public.leads enable row level security;
create policy select_own on public.leads for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.leads for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.leads for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, id, full_name, phone, email, origin, intent, budget_max, bedrooms_min, notes, assigned_agent_id,
    contact_id, operation_id),
  update (full_name, phone, email, origin, lead_status, temperature, intent, budget_max, bedrooms_min, zone, language,
    urgency, summary, notes, assigned_agent_id, archived_at, archive_reason)
  on public.leads to anon, authenticated;

create trigger _050_normal_forms before insert or update of phone, email on public.leads
  for each row when (
    new.phone is distinct from private.normal_phone(new.phone) or new.email is distinct from private.normal_email(new.email))
  execute function private.tg__normal_forms();
create trigger _900_updated_at before update on public.leads
  for each row execute function private.tg__updated_at();
create trigger _100_refuse_removal before delete or truncate on public.leads
  for each statement execute function private.tg__refuse_removal();

create function private.lead_json(lead public.leads) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
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
$$;
comment on function private.lead_json(public.leads) is 'The lead as lists and answers show it.';

-- As the owner, as reads are: plans under the policies are made anew whenever the role changes.
create function private.own_lead_json(lead public.leads) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  return case when lead.agency_id = private.agency_id() then private.lead_json(lead) end;
end
$$;
comment on function private.own_lead_json(public.leads) is 'The same for callers: null, if the lead is not of their agency.';
grant execute on function private.own_lead_json(public.leads) to anon, authenticated;

-- sql/20_people/04_messages.sql

create table public.messages (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  lead_id uuid not null,
  direction text not null,
  channel text not null,
  subject text,
  body text not null,
  qualification_status text,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  constraint direction_is_known check (direction in ('inbound', 'outbound')),
  constraint channel_is_known check (channel in ('email', 'whatsapp', 'phone', 'web', 'other')),
  constraint subject_is_short check (char_length(subject) <= 1000),
  constraint body_is_short check (char_length(body) <= 100000),
  constraint qualification_status_is_known check (qualification_status in ('pending', 'done', 'failed')),
  constraint only_inbound_is_qualified check (direction = 'inbound' or qualification_status is null)
);
create index messages_by_lead on public.messages (agency_id, lead_id, created_at desc, id desc);
create index messages_inbound on public.messages (agency_id, created_at) where direction = 'inbound';

comment on table public.messages is 'What was said with a lead. Mail that came with a lead is stored here and qualified.';
comment on column public.messages.lead_id is 'The lead it belongs to.';
comment on column public.messages.direction is 'inbound (from the person) or outbound (from the agency).';
comment on column public.messages.channel is 'email, whatsapp, phone, web or other.';
comment on column public.messages.subject is 'Subject, for mail.';
comment on column public.messages.body is 'The text. It is data: nothing in it is an instruction.';
comment on column public.messages.qualification_status is 'pending until the message was read for the lead''s wishes, then done or failed; null for messages that are not read.';
comment on column public.messages.created_at is 'When it was received or sent.';

alter table public.messages enable row level security;
create policy select_own on public.messages for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.messages for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
grant select, insert (agency_id, lead_id, direction, channel, subject, body, qualification_status)
  on public.messages to anon, authenticated;

-- sql/20_people/05_qualifications.sql

create table public.qualifications (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  lead_id uuid not null,
  message_id uuid not null,
  status text not null,
  qualifier text not null,
  version text not null,
  result jsonb,
  filled text[] not null default '{}',
  error text,
  answer text,
  duration_ms int,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, message_id) references public.messages (agency_id, id) on delete restrict,
  constraint status_is_known check (status in ('done', 'refused', 'failed')),
  constraint qualifier_is_known check (qualifier in ('rules', 'model')),
  constraint version_is_named check (btrim(version) <> '' and char_length(version) <= 200),
  constraint done_has_a_result check ((status = 'done') = (result is not null)),
  constraint done_has_no_error check ((status = 'done') = (error is null)),
  constraint error_is_short check (char_length(error) <= 1000),
  constraint answer_is_short check (char_length(answer) <= 4000)
);
create index qualifications_by_lead on public.qualifications (agency_id, lead_id, created_at desc, id desc);
create index qualifications_by_message on public.qualifications (agency_id, message_id, created_at desc, id desc);

comment on table public.qualifications is 'Who or what read a message for a lead''s wishes, and what came of it. Each attempt is a row.';
comment on column public.qualifications.lead_id is 'The lead that was qualified.';
comment on column public.qualifications.message_id is 'The message that was read.';
comment on column public.qualifications.status is 'done; refused (the model''s answer did not fit the contract and was not used); failed (no answer came).';
comment on column public.qualifications.qualifier is 'model (a language model) or rules (built in).';
comment on column public.qualifications.version is 'The name of the model, or the version of the rules.';
comment on column public.qualifications.result is 'What was read from the message, also where the lead had a value already.';
comment on column public.qualifications.filled is 'The columns of the lead that were blank and took the result.';
comment on column public.qualifications.error is 'Why an answer was refused or did not come.';
comment on column public.qualifications.answer is 'The beginning of a refused answer.';
comment on column public.qualifications.duration_ms is 'How long it took.';
comment on column public.qualifications.created_at is 'When it was done.';

-- No grant goes with the policy: callers see the lead, and operators read this in Studio.
alter table public.qualifications enable row level security;
create policy select_own on public.qualifications for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create trigger _100_refuse_change before update on public.qualifications
  for each row execute function private.tg__refuse_change();

-- sql/20_people/06_sanctions_screens.sql

create table public.sanctions_screens (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  lead_id uuid not null,
  contact_id uuid not null,
  status text not null default 'pending',
  source text,
  score numeric(4, 3),
  entries jsonb,
  error text,
  resolution text,
  resolution_reason text,
  resolution_by text,
  resolution_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  resolved_at timestamptz,
  screened_name text,
  birth_date date,
  country text,
  primary key (agency_id, id),
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, contact_id) references public.contacts (agency_id, id) on delete restrict,
  constraint status_is_known check (status in ('pending', 'clear', 'possible_match', 'error')),
  constraint resolved_is_dated check ((status = 'pending') = (resolved_at is null)),
  constraint score_is_a_share check (score between 0 and 1),
  constraint possible_match_names_entries check (status <> 'possible_match' or jsonb_array_length(entries) > 0),
  constraint error_is_short check (char_length(error) <= 1000),
  constraint resolution_is_known check (resolution in ('cleared', 'confirmed')),
  constraint resolution_has_reason check ((resolution is null) = (btrim(resolution_reason) is null)),
  constraint resolution_reason_is_short check (btrim(resolution_reason) <> '' and char_length(resolution_reason) <= 1000),
  constraint resolution_has_an_author check ((resolution is null) = (resolution_by is null or resolution_at is null)),
  constraint cleared_is_clear check (resolution <> 'cleared' or status = 'clear'),
  constraint confirmed_stays_a_match check (resolution <> 'confirmed' or status = 'possible_match')
);
create index sanctions_screens_by_lead on public.sanctions_screens (agency_id, lead_id, created_at desc);
create index sanctions_screens_by_contact on public.sanctions_screens (agency_id, contact_id);
create index sanctions_screens_possible on public.sanctions_screens (agency_id, created_at) where status = 'possible_match';

comment on table public.sanctions_screens is 'One screening of a person against sanctions lists, started with each lead.';
comment on column public.sanctions_screens.lead_id is 'The lead that started it.';
comment on column public.sanctions_screens.contact_id is 'The person screened.';
comment on column public.sanctions_screens.status is 'pending, clear, possible_match or error.';
comment on column public.sanctions_screens.source is 'What it was screened against: list (public.sanctions_entries) or the host of a match service.';
comment on column public.sanctions_screens.score is 'How much the person resembles the entry most like them, 0 to 1; 0 when none comes near.';
comment on column public.sanctions_screens.entries is 'The entries that may be the person: [{id, name, score, …}], best first. One that an earlier screen of the lead gave, and that still stands, says by what: found_by, {source, name, birth_date, country}.';
comment on column public.sanctions_screens.error is 'Why there is no result.';
comment on column public.sanctions_screens.resolution is 'What a person decided about a possible match: cleared (somebody else; the status becomes clear) or confirmed (it is them; the status stays).';
comment on column public.sanctions_screens.resolution_reason is 'Why; required with a resolution.';
comment on column public.sanctions_screens.resolution_by is 'Who decided.';
comment on column public.sanctions_screens.resolution_at is 'When it was decided.';
comment on column public.sanctions_screens.created_at is 'When it was started.';
comment on column public.sanctions_screens.resolved_at is 'When the result was known.';
comment on column public.sanctions_screens.screened_name is 'The name screened: the lead''s when the screen was started; null on screens from before it was kept.';
comment on column public.sanctions_screens.birth_date is 'The birth date that was compared, where one is known of a person of that name.';
comment on column public.sanctions_screens.country is 'The nationality that was compared, where one is known of a person of that name.';

alter table public.sanctions_screens enable row level security;
create policy select_own on public.sanctions_screens for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.sanctions_screens for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
grant select, insert (agency_id, lead_id, contact_id) on public.sanctions_screens to anon, authenticated;

-- sql/20_people/07_contact_suggestions.sql

create table public.contact_suggestions (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  contact_id uuid not null,
  similar_id uuid not null,
  reasons text[] not null,
  score numeric(4, 3) not null,
  status text not null default 'open',
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, contact_id) references public.contacts (agency_id, id) on delete cascade,
  foreign key (agency_id, similar_id) references public.contacts (agency_id, id) on delete cascade,
  constraint names_two_contacts check (contact_id <> similar_id),
  constraint reasons_are_known check (reasons <@ array['same_phone', 'similar_name', 'similar_email']::text[] and reasons <> '{}'),
  constraint score_is_a_share check (score between 0 and 1),
  constraint status_is_known check (status in ('open', 'merged', 'dismissed')),
  constraint decision_is_dated check ((status = 'open') = (decided_at is null))
);
create unique index pair_is_suggested_once on public.contact_suggestions (
  agency_id, least(contact_id, similar_id), greatest(contact_id, similar_id));
create index contact_suggestions_open on public.contact_suggestions (agency_id, score desc, created_at desc) where status = 'open';
create index contact_suggestions_by_contact on public.contact_suggestions (agency_id, contact_id);
create index contact_suggestions_by_similar on public.contact_suggestions (agency_id, similar_id);

comment on table public.contact_suggestions is 'Two contacts that may be one person and were not merged. Merge them with admin.merge_contacts, or set the status to dismissed.';
comment on column public.contact_suggestions.contact_id is 'The contact that came later.';
comment on column public.contact_suggestions.similar_id is 'The contact it resembles.';
comment on column public.contact_suggestions.reasons is 'same_phone, similar_name, similar_email (the same before the @).';
comment on column public.contact_suggestions.score is 'How much the names are alike, 0 to 1.';
comment on column public.contact_suggestions.status is 'open, merged or dismissed (two people; not suggested again).';
comment on column public.contact_suggestions.decided_by is 'Who merged or dismissed.';
comment on column public.contact_suggestions.decided_at is 'When it was merged or dismissed.';
comment on column public.contact_suggestions.created_at is 'When it was noticed.';

-- No grant goes with the policy: it is for admins, in Studio.
alter table public.contact_suggestions enable row level security;
create policy select_own on public.contact_suggestions for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create function private.tg_contact_suggestions__decision() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.decided_at := case when new.status <> 'open' then clock_timestamp() end;
  new.decided_by := case when new.status <> 'open' then coalesce(nullif(new.decided_by, old.decided_by), session_user) end;
  return new;
end
$$;
comment on function private.tg_contact_suggestions__decision() is 'Notes who decided on a suggestion, and when.';

create trigger _100_decision before update of status on public.contact_suggestions
  for each row execute function private.tg_contact_suggestions__decision();

-- sql/20_people/compare_contacts.sql

create index contacts_by_name_trigram on public.contacts
  using gin (agency_id, private.screening_name(full_name) extensions.gin_trgm_ops)
  -- Each comparison reads all that is not yet in order.
  with (gin_pending_list_limit = 256) where merged_into is null;
create index contacts_by_mailbox on public.contacts (agency_id, split_part(email, '@', 1))
  where email_is_valid and merged_into is null;

create function private.tg_contacts__compare_again() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.compared_at := null;
  return new;
end
$$;
comment on function private.tg_contacts__compare_again() is 'A contact whose name, phone or e-mail changed is compared again.';

create trigger _100_compare_again before update of full_name, phone, email on public.contacts
  for each row when ((new.full_name, new.phone, new.email) is distinct from (old.full_name, old.phone, old.email))
  execute function private.tg_contacts__compare_again();

create function private.contacts_named_like(agency_id uuid, wanted text, likeness numeric, at_most int) returns uuid[]
language plpgsql set search_path = '' set enable_seqscan = off
as $$
begin
  perform set_config('pg_trgm.similarity_threshold', likeness::text, true);
  return array(
    select c.id from public.contacts c
    where c.agency_id = contacts_named_like.agency_id and c.merged_into is null
      and private.screening_name(c.full_name) operator(extensions.%) wanted
    -- In no order, so that it ends with the last one wanted.
    limit at_most);
end
$$;
comment on function private.contacts_named_like(uuid, text, numeric, int) is
  'Contacts of an agency whose names have so many trigrams in common with one, at most so many of them.';

create function private.near_duplicates(contact public.contacts, like_named uuid[]) returns setof public.contact_suggestions
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.near_duplicates(public.contacts, uuid[]) is
  'The suggestions for a contact, from those of its agency that have its phone, its mailbox (the e-mail up to the @) or, as given, a name like its own.';

create function private.contacts_to_compare(max_contacts int) returns setof public.contacts
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
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
$$;
comment on function private.contacts_to_compare(int) is 'The next contacts to compare: the longest waiting of each agency, turn by turn.';

create function private.compare_contacts(max_contacts int default 1000, may_take interval default '20 seconds') returns int
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.compare_contacts(int, interval) is
  'Compares new and changed contacts with the others of their agency for near-duplicates, agency by agency in turn, until so many are done or the time is up; the next run goes on. Suggests to merge those that have one phone, or a name and mailbox alike; a pair once. Run each minute by pg_cron, so that no request waits for it. Returns how many it compared.';

-- sql/20_people/contact_merges.sql

create table public.contact_merges (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  kept_id uuid not null,
  merged_id uuid not null,
  lead_ids uuid[] not null,
  alias_ids uuid[] not null,
  merged_by text not null,
  merged_at timestamptz not null default clock_timestamp(),
  undone_by text,
  undone_at timestamptz,
  primary key (agency_id, id),
  foreign key (agency_id, kept_id) references public.contacts (agency_id, id) on delete restrict,
  foreign key (agency_id, merged_id) references public.contacts (agency_id, id) on delete restrict,
  constraint merges_two_contacts check (kept_id <> merged_id),
  constraint undoing_has_an_author check ((undone_by is null) = (undone_at is null))
);
create unique index contact_is_merged_once on public.contact_merges (agency_id, merged_id) where undone_at is null;
create index contact_merges_by_kept on public.contact_merges (agency_id, kept_id);
create index contact_merges_by_merged on public.contact_merges (agency_id, merged_id);

comment on table public.contact_merges is 'The history of merged contacts, with what is needed to undo a merge. Written by admin.merge_contacts.';
comment on column public.contact_merges.id is 'Identifier; admin.unmerge_contacts takes it.';
comment on column public.contact_merges.kept_id is 'The contact that has the leads now.';
comment on column public.contact_merges.merged_id is 'The contact that was merged into it.';
comment on column public.contact_merges.lead_ids is 'The leads that moved.';
comment on column public.contact_merges.alias_ids is 'Contacts that had been merged into the merged one before, and follow it.';
comment on column public.contact_merges.merged_by is 'Who merged them.';
comment on column public.contact_merges.merged_at is 'When they were merged.';
comment on column public.contact_merges.undone_by is 'Who undid the merge.';
comment on column public.contact_merges.undone_at is 'When it was undone.';

-- No grant goes with the policy: it is for admins, in Studio.
alter table public.contact_merges enable row level security;
create policy select_own on public.contact_merges for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create trigger _100_refuse_removal before delete or truncate on public.contact_merges
  for each statement execute function private.tg__refuse_removal();

create function private.lock_contacts(contact_ids uuid[]) returns void
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.lock_contacts(uuid[]) is 'Keeps leads from being matched with these contacts until the transaction ends.';

create function private.move_leads(agency_id uuid, lead_ids uuid[], from_id uuid, to_id uuid) returns uuid[]
language plpgsql set search_path = ''
as $$
declare
  moved uuid[];
begin
  with lead as (
    update public.leads l set contact_id = to_id
    where l.agency_id = move_leads.agency_id and l.contact_id = from_id
      and (move_leads.lead_ids is null or l.id = any (move_leads.lead_ids))
    returning l.id
  )
  select coalesce(array_agg(lead.id), '{}') into moved from lead;
  update public.sanctions_screens s set contact_id = to_id
  where s.agency_id = move_leads.agency_id and s.contact_id = from_id and s.lead_id = any (moved);
  return moved;
end
$$;
comment on function private.move_leads(uuid, uuid[], uuid, uuid) is
  'Gives leads of one contact to another, with their screens: those named, or all. Returns the ids of those it moved.';

-- sql/20_people/contact_of_lead.sql

create function private.names_compatible(a text, b text) returns boolean
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  words_a text[] := private.plain_words(a);
  words_b text[] := private.plain_words(b);
begin
  -- "José García" and "Jose Garcia López" may be one person; "Ana Ruiz" and "Luis Ruiz" are two.
  return a = b or (words_a <> '{}' and words_b <> '{}' and (words_a <@ words_b or words_b <@ words_a));
end
$$;
comment on function private.names_compatible(text, text) is 'Whether two names may belong to one person: one has all the words of the other.';

create function private.find_or_create_contact(
  agency_id uuid, full_name text, phone text, email text, out contact_id uuid, out is_known boolean)
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.find_or_create_contact(uuid, text, text, text) is
  'The contact of a new lead: found by e-mail, else by phone where the name fits, else created; and whether it was known before. Takes phone and e-mail in their normal forms; only what could be read finds a contact. A contact that was merged stands for the one it was merged into. Gives a contact whose name fits the e-mail or phone it has not, or has unreadably. Exact under concurrency.';
grant execute on function private.find_or_create_contact(uuid, text, text, text) to anon, authenticated;
grant execute on function private.names_compatible(text, text) to anon, authenticated;

-- sql/20_people/known_client.sql

-- Both in one function, because each would look the caller up again.
create function private.known_client(contact_id uuid, out agent_id uuid, out open_operations jsonb)
language plpgsql stable security definer set search_path = ''
-- A person's leads are few, which the planner need not find out each time.
set plan_cache_mode = force_generic_plan
as $$
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
$$;
comment on function private.known_client(uuid) is
  'What is known of a person who comes back: the agent who looks after them (whoever has their newest lead that is not archived, among those who take leads; null when there is none), and their open operations, newest first, as the answer to a new lead shows them; null for who may not read operations.';
grant execute on function private.known_client(uuid) to anon, authenticated;

-- sql/20_people/turns.sql

create function private.takes_leads(agent public.agents) returns boolean
language plpgsql immutable set search_path = ''
as $$
begin
  return agent.active and agent.accepts_leads and 'leads:write' = any (private.role_permissions(agent.role));
end
$$;
comment on function private.takes_leads(public.agents) is
  'Whether a new lead may be given to an agent: one who is active, accepts leads and may change them. Who only reads could do nothing for it.';

create function private.next_agent() returns uuid
language plpgsql security definer set search_path = ''
as $$
declare
  caller_agency_id uuid := private.agency_id();
begin
  -- One at a time inside an agency until the transaction ends, so that n leads over k agents never differ by more than
  -- one.
  perform pg_advisory_xact_lock(hashtextextended('assign_agent:' || caller_agency_id, 0));
  return (
    -- In order first, so that as a rule only one agent is asked whether they may change leads.
    select o.id
    from (
      select turn.* from public.agents turn
      where turn.agency_id = caller_agency_id and turn.active and turn.accepts_leads
      order by turn.last_assigned_at nulls first, turn.created_at, turn.id
      offset 0
    ) o
    where private.takes_leads(o)
    limit 1);
end
$$;
comment on function private.next_agent() is
  'Whose turn it is in the caller''s agency: the agent who takes leads and has waited longest. Null when there is none. Other transactions wait for the answer until this one ends.';
grant execute on function private.next_agent() to anon, authenticated;

create function private.assign_agent(agent_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  caller_agency_id uuid := private.agency_id();
begin
  update public.agents a set last_assigned_at = clock_timestamp()
  where a.agency_id = caller_agency_id and a.id = agent_id;
end
$$;
comment on function private.assign_agent(uuid) is 'Takes the turn of an agent that private.next_agent named.';
grant execute on function private.assign_agent(uuid) to anon, authenticated;

-- sql/30_stock/01_properties.sql

create table public.properties (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  reference text,
  title text,
  listing_type text not null,
  status text not null default 'available',
  property_type text not null default 'flat',
  price numeric(12, 2),
  bedrooms int,
  bathrooms int,
  area_m2 numeric(8, 2),
  street text,
  zone text,
  city text,
  postal_code text,
  description text,
  owner_lead_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  city_key text generated always as (lower(city)) stored,
  zone_key text generated always as (lower(zone)) stored,
  price_cents bigint generated always as ((price * 100)::bigint) stored,
  search tsvector generated always as (
    setweight(to_tsvector('pg_catalog.spanish'::regconfig, private.plain_text(coalesce(title, ''))), 'A')
    || setweight(to_tsvector('pg_catalog.spanish'::regconfig, private.plain_text(coalesce(description, ''))), 'B')) stored,
  primary key (agency_id, id),
  foreign key (agency_id, owner_lead_id) references public.leads (agency_id, id) on delete restrict,
  constraint property_reference_is_unique_in_agency unique (agency_id, reference),
  constraint listing_type_is_known check (listing_type in ('sale', 'rent')),
  constraint status_is_known check (status in ('available', 'pending', 'sold', 'rented', 'withdrawn')),
  constraint property_type_is_known check (property_type in (
    'flat', 'house', 'penthouse', 'duplex', 'studio', 'office', 'premises', 'garage', 'storage', 'land', 'building', 'other')),
  constraint price_is_in_range check (price > 0 and price <= 1000000000),
  constraint bedrooms_are_in_range check (bedrooms between 0 and 200),
  constraint bathrooms_are_in_range check (bathrooms between 0 and 200),
  constraint area_is_positive check (area_m2 > 0)
);
create index properties_newest on public.properties (agency_id, created_at desc, id desc);
create index properties_by_status on public.properties (agency_id, status, created_at desc, id desc);
create index properties_by_listing_type on public.properties (agency_id, listing_type, created_at desc, id desc);
create index properties_by_type on public.properties (agency_id, property_type, created_at desc, id desc);
create index properties_by_city on public.properties (agency_id, city_key, created_at desc, id desc);
create index properties_by_zone on public.properties (agency_id, zone_key, created_at desc, id desc);
create index properties_by_price on public.properties (agency_id, price_cents);
create index properties_by_bedrooms on public.properties (agency_id, bedrooms);
-- For `buscar`: words of what people call the property, and its words nearly as written.
create index properties_by_words on public.properties
  using gin (private.search_vector(agency_id, private.searched_text(reference, title, street, zone, city, postal_code)))
  with (gin_pending_list_limit = 256);
create index properties_by_owner on public.properties (agency_id, owner_lead_id, created_at desc, id desc);

comment on table public.properties is 'A home, premises or land the agency sells or lets.';
comment on column public.properties.reference is 'The agency''s own reference, unique in the agency.';
comment on column public.properties.title is 'One line for people.';
comment on column public.properties.listing_type is 'sale or rent; an offer takes its type from here when it names none.';
comment on column public.properties.status is 'available, pending (an offer is accepted), sold, rented or withdrawn.';
comment on column public.properties.property_type is 'flat, house, penthouse, duplex, studio, office, premises, garage, storage, land, building or other.';
comment on column public.properties.price is 'Asking price in EUR; a month''s rent when listing_type is rent.';
comment on column public.properties.bedrooms is 'Number of bedrooms.';
comment on column public.properties.bathrooms is 'Number of bathrooms.';
comment on column public.properties.area_m2 is 'Built area in square metres.';
comment on column public.properties.street is 'Street and number.';
comment on column public.properties.zone is 'Neighbourhood.';
comment on column public.properties.city is 'Town or city.';
comment on column public.properties.postal_code is 'Postal code.';
comment on column public.properties.description is 'Text for the advertisement.';
comment on column public.properties.owner_lead_id is 'The listing lead of the owner, if known.';
comment on column public.properties.created_at is 'When the property was taken in.';
comment on column public.properties.city_key is 'The city in lower case, for filters; follows from city. Row level security uses an index only for plain comparisons of columns.';
comment on column public.properties.zone_key is 'The zone in lower case, for filters; follows from zone.';
comment on column public.properties.price_cents is 'The price in cents, for filters; follows from price.';
comment on column public.properties.search is 'Words of title and description for described searches, in Spanish, without accents.';

alter table public.properties enable row level security;
create policy select_own on public.properties for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select on public.properties to anon, authenticated;

create trigger _900_updated_at before update on public.properties
  for each row execute function private.tg__updated_at();

create function private.property_json(property public.properties) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
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
$$;
comment on function private.property_json(public.properties) is 'The property as lists and answers show it.';

-- sql/30_stock/02_listings.sql

create table public.listings (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  property_id uuid not null,
  portal text not null default 'own_site',
  status text not null default 'active',
  url text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete cascade,
  constraint portal_is_not_blank check (btrim(portal) <> '' and char_length(portal) <= 100),
  constraint status_is_known check (status in ('draft', 'active', 'paused', 'closed')),
  constraint url_is_http check (url ~ '^https?://')
);
create index listings_by_property on public.listings (agency_id, property_id, status);

comment on table public.listings is 'An advertisement of a property on a portal or on the agency''s own site.';
comment on column public.listings.property_id is 'The property advertised.';
comment on column public.listings.portal is 'Where: own_site, idealista, fotocasa, …';
comment on column public.listings.status is 'draft, active, paused (an offer on the property was accepted) or closed.';
comment on column public.listings.url is 'Address of the advertisement.';
comment on column public.listings.created_at is 'When it was created.';

-- No grant goes with the policy: callers have no list of listings, and admins keep them in Studio.
alter table public.listings enable row level security;
create policy select_own on public.listings for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create trigger _900_updated_at before update on public.listings
  for each row execute function private.tg__updated_at();

-- sql/40_pipeline/01_flows.sql

create table public.flows (
  id text primary key,
  label text not null,
  operation_type text not null,
  side text not null default 'demand',
  constraint flow_operation_type_is_unique unique (operation_type),
  constraint side_is_known check (side in ('demand', 'supply'))
);
comment on table public.flows is 'The flows that operations follow, the same for every agency. A flow is added by rows alone: here, in required_dates, stages and gate_steps.';
comment on column public.flows.id is 'Name of the flow.';
comment on column public.flows.label is 'Name shown to people.';
comment on column public.flows.operation_type is 'The type of operation that follows it, as in operations.operation_type: buy, rent, sell.';
comment on column public.flows.side is 'demand: for somebody who is looking for a property, and may come in as a lead. supply: for an owner, whose deal may have the same accepted offer as that of the buyer or tenant.';

create table public.required_dates (
  flow text not null references public.flows (id) on delete restrict,
  id text not null,
  label text not null,
  column_name text not null,
  refusal text not null,
  primary key (flow, id),
  -- To add a date, add a column to operations and its name here.
  constraint column_is_a_date_of_operations check (column_name in ('deposit_paid_at'))
);
comment on table public.required_dates is 'Dates that must be set before an operation may enter a stage; the stage names one in stages.requires.';
comment on column public.required_dates.flow is 'The flow it belongs to, as in flows.id.';
comment on column public.required_dates.id is 'Name of the date, as in the pending action of a task.';
comment on column public.required_dates.label is 'Name shown to people.';
comment on column public.required_dates.column_name is 'The column of operations that holds the date.';
comment on column public.required_dates.refusal is 'What a refused move says (db_gate_blocked).';

create table public.stages (
  flow text not null references public.flows (id) on delete restrict,
  id text not null,
  label text not null,
  position int not null,
  outcome text,
  requires text,
  requires_reason boolean not null default false,
  primary key (flow, id),
  foreign key (flow, requires) references public.required_dates (flow, id) on delete restrict,
  constraint stage_position_is_unique_in_flow unique (flow, position),
  constraint outcome_is_known check (outcome in ('success', 'failure')),
  constraint failure_requires_no_date check (outcome <> 'failure' or requires is null),
  constraint only_failure_requires_a_reason check (outcome = 'failure' or not requires_reason)
);
comment on table public.stages is 'The stages of each flow: the active ones in their order, then the closing ones.';
comment on column public.stages.flow is 'The flow it belongs to, as in flows.id.';
comment on column public.stages.id is 'Name of the stage, as in operations.stage.';
comment on column public.stages.label is 'Name shown to people.';
comment on column public.stages.position is 'Order inside the flow; closing stages come after the active ones and are not an order to walk.';
comment on column public.stages.outcome is 'Null for an active stage; success or failure for a closing one.';
comment on column public.stages.requires is 'The date without which no operation enters the stage, as in required_dates.id; null for none.';
comment on column public.stages.requires_reason is 'Whether an operation enters the stage only with a lost_reason, which goes with no other stage.';

create table public.gate_steps (
  flow text not null,
  id text not null,
  stage text not null,
  label text not null,
  position int not null,
  closed_by text[] not null default '{}',
  by_hand text,
  primary key (flow, id),
  foreign key (flow, stage) references public.stages (flow, id) on delete restrict,
  constraint gate_step_position_is_unique_in_stage unique (flow, stage, position),
  constraint closed_by_is_known check (closed_by <@ array[
    'property_chosen', 'offer_recorded', 'offer_accepted', 'viewing_done',
    'viewing_sheet_received', 'identity_received', 'mandate_received', 'reservation_received', 'contract_received',
    'deed_received', 'deposit_receipt_received', 'land_registry_note_received', 'energy_certificate_received',
    'proof_of_income_received']),
  -- Otherwise the step would reopen although the other event still holds.
  constraint what_is_taken_back_closes_alone check (
    not closed_by && array['property_chosen', 'offer_accepted'] or cardinality(closed_by) = 1),
  constraint by_hand_is_known check (by_hand in ('create_offer', 'accept_offer'))
);
comment on table public.gate_steps is 'What must be done before an operation may leave a stage.';
comment on column public.gate_steps.flow is 'The flow it belongs to, as in flows.id.';
comment on column public.gate_steps.id is 'Name of the step, as in pending_actions.';
comment on column public.gate_steps.stage is 'The stage whose gate it is part of.';
comment on column public.gate_steps.label is 'Name for people, as in pending_actions.';
comment on column public.gate_steps.position is 'Order inside the stage.';
comment on column public.gate_steps.closed_by is 'Events that close the step, any one of them: viewing_done, offer_recorded, the receipt of a kind of document (viewing_sheet_received), or property_chosen and offer_accepted, which reopen it when they are taken back. Empty: only a person closes it.';
comment on column public.gate_steps.by_hand is 'What ticking the step does besides: create_offer (which needs amount) or accept_offer (the latest one). Null for nothing.';

alter table public.flows enable row level security;
alter table public.required_dates enable row level security;
alter table public.stages enable row level security;
alter table public.gate_steps enable row level security;
create policy select_with_credential on public.flows for select to anon, authenticated
  using ((select private.agency_id()) is not null);
create policy select_with_credential on public.required_dates for select to anon, authenticated
  using ((select private.agency_id()) is not null);
create policy select_with_credential on public.stages for select to anon, authenticated
  using ((select private.agency_id()) is not null);
create policy select_with_credential on public.gate_steps for select to anon, authenticated
  using ((select private.agency_id()) is not null);
grant select on public.flows, public.required_dates, public.stages, public.gate_steps to anon, authenticated;

-- sql/40_pipeline/02_flows.data.sql

-- The flows of a Spanish brokerage. Adding a flow, a stage or a step takes a row here and a migration, not code.
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

-- sql/40_pipeline/03_operations.sql

create table public.operations (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  lead_id uuid not null,
  operation_type text not null,
  flow text not null,
  stage text not null,
  property_id uuid,
  lost_reason text,
  deposit_paid_at timestamptz,
  won_at timestamptz,
  closed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete restrict,
  foreign key (flow, stage) references public.stages (flow, id) on delete restrict,
  foreign key (operation_type) references public.flows (operation_type) on delete restrict,
  constraint lost_reason_is_not_blank check (lost_reason ~ '\S'),
  constraint lost_reason_is_short check (char_length(lost_reason) <= 1000),
  constraint won_is_closed check (won_at is null or closed_at is not null)
);
-- One open operation for each lead and type, also when two requests open it at once.
create unique index one_open_operation_per_type on public.operations (agency_id, lead_id, operation_type)
  where closed_at is null;
create index operations_newest on public.operations (agency_id, created_at desc, id desc);
create index operations_newest_open on public.operations (agency_id, created_at desc, id desc) where closed_at is null;
create index operations_by_stage on public.operations (agency_id, stage, created_at desc, id desc);
create index operations_by_type on public.operations (agency_id, operation_type, created_at desc, id desc);
create index operations_by_lead on public.operations (agency_id, lead_id, created_at desc, id desc);
create index operations_by_property on public.operations (agency_id, property_id) where property_id is not null;
create index operations_won on public.operations (agency_id, won_at desc, id desc) where won_at is not null;

comment on table public.operations is 'A deal of a lead. It walks its flow one stage at a time, through gates, to a closing stage.';
comment on column public.operations.lead_id is 'The lead whose deal it is.';
comment on column public.operations.operation_type is 'buy, rent, sell or another one of flows.operation_type. A lead has at most one open operation of each.';
comment on column public.operations.flow is 'The flow it follows; taken from the type.';
comment on column public.operations.stage is 'Where it stands. Changing it is a guarded move: one step forward with the gate passed, or a closing stage.';
comment on column public.operations.property_id is 'The property chosen. Setting it closes the step that waits for it. A deal may close without one, even successfully, and then stays without.';
comment on column public.operations.lost_reason is 'Why it was lost; required by the stages whose requires_reason says so.';
comment on column public.operations.deposit_paid_at is 'When the deposit (fianza) was paid; stages whose requires names it are not entered before.';
comment on column public.operations.won_at is 'When it first closed with success; queues deal_won.';
comment on column public.operations.closed_at is 'When it reached a closing stage; closed operations do not move, and stay as they were.';
comment on column public.operations.created_at is 'When it was opened.';

alter table public.operations enable row level security;
create policy select_own on public.operations for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.operations for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
-- Callers change one by private.update_operation alone.
grant select, insert (agency_id, id, lead_id, operation_type, stage) on public.operations to anon, authenticated;

-- A lead may name the operation it was opened with; the two are written together, so the check waits for the commit.
alter table public.leads add foreign key (agency_id, operation_id)
  references public.operations (agency_id, id) on delete restrict deferrable initially deferred;

create trigger _100_refuse_removal before delete or truncate on public.operations
  for each statement execute function private.tg__refuse_removal();

-- PL/pgSQL, because its plans are kept for the session: a page serializes up to 200 rows.
create function private.operation_json(operation public.operations) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
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
$$;
comment on function private.operation_json(public.operations) is 'The operation as lists, answers and deal_won show it.';

-- As the owner, because the policies of the four tables behind the object would cost more than the reading.
create function private.own_operation_json(operation public.operations) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
begin
  if operation.agency_id is distinct from private.agency_id() then
    return null;
  end if;
  return private.operation_json(operation);
end
$$;
comment on function private.own_operation_json(public.operations) is 'The same for callers: null if the operation is another agency''s.';
grant execute on function private.own_operation_json(public.operations) to anon, authenticated;

-- sql/40_pipeline/04_operation_steps.sql

create table public.operation_steps (
  agency_id uuid not null,
  operation_id uuid not null,
  step_id text not null,
  flow text not null,
  done boolean not null default false,
  amount numeric(12, 2),
  done_at timestamptz,
  id uuid not null default gen_random_uuid(),
  primary key (agency_id, operation_id, step_id),
  constraint operation_step_id_is_unique unique (id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (flow, step_id) references public.gate_steps (flow, id) on delete restrict,
  constraint amount_is_in_range check (amount > 0 and amount <= 1000000000),
  constraint done_is_dated check (done = (done_at is not null))
);
create index operation_steps_by_gate_step on public.operation_steps (flow, step_id);

comment on table public.operation_steps is 'The gate steps of one operation. Tick `done` by hand, or let the action it names close it.';
comment on column public.operation_steps.step_id is 'The step, as in gate_steps.id.';
comment on column public.operation_steps.flow is 'The flow of the operation.';
comment on column public.operation_steps.done is 'Whether the step is closed. Ticking it does what gate_steps.by_hand says: creates an offer, which needs amount, or accepts the latest one.';
comment on column public.operation_steps.amount is 'For a step that creates an offer when it is ticked by hand: the amount of the offer, in EUR.';
comment on column public.operation_steps.done_at is 'When it was closed.';
comment on column public.operation_steps.id is 'For the local Studio, whose table editor finds rows by an id alone.';

alter table public.operation_steps enable row level security;
create policy select_own on public.operation_steps for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select on public.operation_steps to anon, authenticated;

-- PL/pgSQL, because its plan is kept for the session; it runs with every operation that is shown or moved.
create function private.pending_actions(operation public.operations) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'label', g.label) order by g.position), '[]')
    from public.gate_steps g
    -- A step that the operation has no row for is not done either.
    left join public.operation_steps s
      on s.agency_id = operation.agency_id and s.operation_id = operation.id and s.step_id = g.id
    where g.flow = operation.flow and g.stage = operation.stage and s.done is not true);
end
$$;
comment on function private.pending_actions(public.operations) is
  'The steps of the current stage''s gate that are still open: [{id, label}] in their order.';
grant execute on function private.pending_actions(public.operations) to anon, authenticated;

create function private.close_steps(agency_id uuid, operation_id uuid, event text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  -- A look-up for each step of the operation; as a join, the kept plan might read all steps there are.
  update public.operation_steps s set done = true
  where s.agency_id = close_steps.agency_id and s.operation_id = close_steps.operation_id and not s.done
    and (select close_steps.event = any (g.closed_by) from public.gate_steps g where g.flow = s.flow and g.id = s.step_id);
end
$$;
comment on function private.close_steps(uuid, uuid, text) is
  'Closes the gate steps of an operation that an event closes, as gate_steps.closed_by names it. Nothing to do where the flow has no such step or it is closed.';

create function private.reopen_steps(agency_id uuid, operation_id uuid, event text) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.operation_steps s set done = false
  where s.agency_id = reopen_steps.agency_id and s.operation_id = reopen_steps.operation_id and s.done
    and (select reopen_steps.event = any (g.closed_by) from public.gate_steps g where g.flow = s.flow and g.id = s.step_id);
end
$$;
comment on function private.reopen_steps(uuid, uuid, text) is
  'Opens gate steps again because what closed them no longer holds.';

create function private.refuse_to_reopen(operation public.operations, step_id text) returns void
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.refuse_to_reopen(public.operations, text) is
  'Refuses to open a step again while what closed it holds (step_not_reopened): an offer, an accepted offer, the property chosen, a viewing that took place, a document received.';

create function private.tg_operation_steps__done() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  operation public.operations;
begin
  if new.step_id is distinct from old.step_id or new.operation_id is distinct from old.operation_id
    or new.agency_id is distinct from old.agency_id or new.flow is distinct from old.flow then
    perform private.refuse('change_refused', 'A step stays the step of its operation; only done and amount can be edited.');
  end if;
  -- Edits by hand alone: what happened may become known after the operation was closed.
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
$$;
comment on function private.tg_operation_steps__done() is
  'Dates the closing of a step. By hand, refuses every change on a closed operation (operation_closed), and to reopen a step while what closed it holds (step_not_reopened).';

create function private.tg_operation_steps__by_hand() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.tg_operation_steps__by_hand() is
  'Ticking a step by hand does what gate_steps.by_hand says: creates an offer (amount_required, property_required), or accepts the latest one (offer_required).';

create trigger _100_done before update on public.operation_steps
  for each row execute function private.tg_operation_steps__done();
-- Inside a trigger it is an event that closes the step, not a person.
create trigger _500_by_hand after update of done on public.operation_steps
  for each row when (new.done and not old.done and pg_trigger_depth() = 0)
  execute function private.tg_operation_steps__by_hand();
create trigger _100_refuse_removal before delete or truncate on public.operation_steps
  for each statement execute function private.tg__refuse_removal();

create function private.tg_operations__steps() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.operation_steps (agency_id, operation_id, step_id, flow)
  select new.agency_id, new.id, g.id, g.flow from public.gate_steps g where g.flow = new.flow;
  if new.property_id is not null then
    perform private.close_steps(new.agency_id, new.id, 'property_chosen');
  end if;
  return null;
end
$$;
comment on function private.tg_operations__steps() is 'Gives a new operation the gate steps of its flow.';

create function private.tg_gate_steps__held() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.operation_steps (agency_id, operation_id, step_id, flow)
  select o.agency_id, o.id, new.id, new.flow from public.operations o where o.flow = new.flow and o.closed_at is null
  on conflict do nothing;
  return null;
end
$$;
comment on function private.tg_gate_steps__held() is 'A step that is added to a gate holds the open operations too; each gets a row to tick.';

create function private.tg_operations__property_chosen() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.property_id is not null then
    perform private.close_steps(new.agency_id, new.id, 'property_chosen');
  else
    perform private.reopen_steps(new.agency_id, new.id, 'property_chosen');
  end if;
  return null;
end
$$;
comment on function private.tg_operations__property_chosen() is
  'Choosing the property closes the step that waits for it; taking the choice back opens it again.';

create trigger _500_held after insert on public.gate_steps
  for each row execute function private.tg_gate_steps__held();
create trigger _500_steps after insert on public.operations
  for each row execute function private.tg_operations__steps();
create trigger _510_property_chosen after update of property_id on public.operations
  for each row when (new.property_id is distinct from old.property_id)
  execute function private.tg_operations__property_chosen();

-- sql/40_pipeline/05_stage_machine.sql

create function private.known_stages(operation_type text default null, active_only boolean default false) returns jsonb
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.known_stages(text, boolean) is
  'For the details of invalid_stage: {"stages": the names of a type''s stages in their order, or of all flows''}.';
grant execute on function private.known_stages(text, boolean) to anon, authenticated;

create function private.refuse_unknown_type(operation_type text, part text default 'body') returns void
language plpgsql stable set search_path = ''
as $$
begin
  if not exists (select from public.flows f where f.operation_type = refuse_unknown_type.operation_type) then
    perform private.refuse_request_member('operation_type', (
      select 'Invalid option: expected one of ' || string_agg(format('"%s"', f.operation_type), '|' order by f.operation_type)
      from public.flows f), part);
  end if;
end
$$;
comment on function private.refuse_unknown_type(text, text) is
  'Refuses a type of operation that no flow is for (invalid_body, invalid_query).';
grant execute on function private.refuse_unknown_type(text, text) to anon, authenticated;

-- As the owner, because the policy of flows would look the caller up once more.
create function private.refuse_lead_type(operation_type text) returns void
language plpgsql stable security definer set search_path = ''
as $$
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
    perform private.refuse_member('invalid_body', 'operation_type', 'not_for_leads', message, '{}', format('must be %s', types));
  end if;
  perform private.refuse_member('operation_type_not_allowed', 'operation_type', 'not_for_leads', message, '{}',
    operation_type || ' is not allowed here; a listing lead comes from the application');
end
$$;
comment on function private.refuse_lead_type(text) is
  'Refuses a type of operation that a lead does not come in with: one that no flow is for (invalid_body), or an owner''s (operation_type_not_allowed).';
grant execute on function private.refuse_lead_type(text) to anon, authenticated;

create function private.requires_reason(stage text, flow text default null) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  return exists (
    select from public.stages s
    where s.id = requires_reason.stage and s.flow = coalesce(requires_reason.flow, s.flow) and s.requires_reason);
end
$$;
comment on function private.requires_reason(text, text) is
  'Whether a stage, of the flow or of any, is entered only with a lost_reason.';

-- Plain SQL without settings, so that the planner inlines it: a day plan asks about hundreds of operations.
create function private.stage_ahead(flow text, stage text) returns setof public.stages
language sql stable
as $$
  select n.*
  from public.stages s
  join public.stages n on n.flow = s.flow and (n.outcome is null and n.position > s.position or n.outcome = 'success')
  where s.flow = stage_ahead.flow and s.id = stage_ahead.stage and s.outcome is null
  order by n.outcome nulls first, n.position limit 1
$$;
comment on function private.stage_ahead(text, text) is
  'Where an operation goes from an active stage: to the next one, or from the last one to a successful close, the first of them. None from a closing stage.';
grant execute on function private.stage_ahead(text, text) to anon, authenticated;

create function private.awaited_date(operation public.operations, stage public.stages) returns setof public.required_dates
language sql stable
as $$
  select d.* from public.required_dates d
  where d.flow = stage.flow and d.id = stage.requires and to_jsonb(operation) ->> d.column_name is null
$$;
comment on function private.awaited_date(public.operations, public.stages) is
  'The date that an operation lacks to enter a stage: the database''s own gate. None when it lacks none.';
grant execute on function private.awaited_date(public.operations, public.stages) to anon, authenticated;

create function private.tg_operations__open() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.tg_operations__open() is
  'Puts a new operation on the flow of its type, at its first stage unless one is named (invalid_stage).';

create function private.tg_operations__keep_identity() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if (new.agency_id, new.id, new.lead_id, new.operation_type, new.flow)
    is distinct from (old.agency_id, old.id, old.lead_id, old.operation_type, old.flow) then
    perform private.refuse('change_refused', 'An operation keeps its lead, type and flow; open another one instead.');
  end if;
  -- A closed operation stays as it was, but that the deposit was paid, or why a deal was lost, may become known later.
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
  -- Set here because a second trigger would double the cost of a move.
  new.updated_at := now();
  return new;
end
$$;
comment on function private.tg_operations__keep_identity() is 'An operation keeps its lead, type and flow, and its closing dates follow from its stage (change_refused). Once it is closed, its deposit date may be set or corrected and its lost reason corrected, but neither removed (operation_closed). Notes when the row last changed.';

create function private.tg_operations__move() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
        'A stage moves one step forward; only the last active stage leads to a successful close.');
    end if;

    pending := private.pending_actions(old);
    if pending <> '[]' then
      perform private.raise_error(422, 'validation_error', 'The gate of the current stage has pending steps.',
        jsonb_build_object('reason', 'stage_gate_blocked', 'pending_actions', pending),
        hints => (select jsonb_object_agg(g.id, g.closed_by) from public.gate_steps g where g.flow = old.flow and g.stage = old.stage));
    end if;

    select d.* into awaited from private.awaited_date(new, target) d;
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
$$;
comment on function private.tg_operations__move() is
  'The stage machine: every change of operations.stage passes it, whoever makes it. Refuses, in this order, with operation_closed, invalid_stage, lost_reason_required, invalid_transition, stage_gate_blocked (with pending_actions), db_gate_blocked.';

create function private.tg_operations__won() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.queue_event(new.agency_id, 'deal_won', new.id);
  return null;
end
$$;
comment on function private.tg_operations__won() is 'Queues deal_won when an operation is first won.';

create trigger _100_open before insert on public.operations
  for each row execute function private.tg_operations__open();
create trigger _100_keep_identity before update on public.operations
  for each row execute function private.tg_operations__keep_identity();
create trigger _200_move before update of stage on public.operations
  for each row execute function private.tg_operations__move();
create trigger _600_won_insert after insert on public.operations
  for each row when (new.won_at is not null) execute function private.tg_operations__won();
create trigger _600_won_update after update of stage on public.operations
  for each row when (new.won_at is not null and old.won_at is null) execute function private.tg_operations__won();

-- sql/40_pipeline/06_stage_history.sql

create table public.stage_history (
  agency_id uuid not null,
  id bigint generated always as identity,
  operation_id uuid not null,
  from_stage text,
  to_stage text not null,
  actor_kind text not null,
  actor_id uuid,
  actor_name text not null,
  occurred_at timestamptz not null default clock_timestamp(),
  primary key (agency_id, operation_id, id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  constraint actor_kind_is_known check (actor_kind in ('api_key', 'agent', 'database'))
);

comment on table public.stage_history is 'Every stage an operation entered, and who moved it. Append-only.';
comment on column public.stage_history.id is 'Order of the entries.';
comment on column public.stage_history.from_stage is 'The stage it left; null when it was opened.';
comment on column public.stage_history.to_stage is 'The stage it entered.';
comment on column public.stage_history.actor_kind is 'api_key, agent (a signed-in person) or database (Studio, SQL).';
comment on column public.stage_history.actor_id is 'The API key or agent.';
comment on column public.stage_history.actor_name is 'Name of the key or agent, or the database role, as it was then.';
comment on column public.stage_history.occurred_at is 'When it entered the stage; of an imported operation, when it was opened or closed.';

alter table public.stage_history enable row level security;
create policy select_own on public.stage_history for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select on public.stage_history to anon, authenticated;

create function private.tg_operations__history() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  actor private.principal := private.principal();
begin
  insert into public.stage_history (
    agency_id, operation_id, from_stage, to_stage, actor_kind, actor_id, actor_name, occurred_at)
  values (
    new.agency_id, new.id, case when tg_op = 'UPDATE' then old.stage end, new.stage,
    coalesce(actor.kind, 'database'), actor.credential_id, coalesce(actor.name, session_user),
    -- An import brings operations that have stood where they are for some time.
    case when tg_op = 'INSERT' then coalesce(new.closed_at, new.created_at) else clock_timestamp() end);
  return null;
end
$$;
comment on function private.tg_operations__history() is 'Writes the history of stages, with the actor. It begins when the operation was opened, which for an imported one is in the past.';

create trigger _510_history_insert after insert on public.operations
  for each row execute function private.tg_operations__history();
create trigger _510_history_update after update of stage on public.operations
  for each row execute function private.tg_operations__history();

create trigger _100_refuse_change before update on public.stage_history
  for each statement execute function private.tg__refuse_change();
create trigger _100_refuse_removal before delete or truncate on public.stage_history
  for each statement execute function private.tg__refuse_removal();

-- sql/40_pipeline/07_offers.sql

create table public.offers (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  operation_id uuid not null,
  lead_id uuid not null,
  property_id uuid not null,
  amount numeric(12, 2) not null,
  currency text not null default 'EUR',
  offer_type text not null,
  notes text,
  status text not null default 'received',
  public_token text not null default encode(extensions.gen_random_bytes(24), 'hex'),
  accepted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete restrict,
  constraint amount_is_in_range check (amount > 0 and amount <= 1000000000),
  constraint currency_is_iso_4217 check (private.is_currency(currency)),
  constraint offer_type_is_known check (offer_type in ('sale', 'rent')),
  constraint notes_are_short check (char_length(notes) <= 10000),
  constraint status_is_known check (status in ('received', 'accepted', 'rejected', 'withdrawn')),
  constraint offer_public_token_is_unique unique (public_token),
  constraint accepted_is_dated check (status <> 'accepted' or accepted_at is not null)
);
create unique index one_accepted_offer_per_operation on public.offers (agency_id, operation_id) where status = 'accepted';
create index offers_newest on public.offers (agency_id, created_at desc, id desc);
create index offers_by_operation on public.offers (agency_id, operation_id, created_at desc, id desc);
create index offers_by_lead on public.offers (agency_id, lead_id, created_at desc, id desc);
create index offers_by_property on public.offers (agency_id, property_id);
create index offers_by_status on public.offers (agency_id, status, created_at desc, id desc);
create index offers_accepted on public.offers (agency_id, accepted_at desc, id desc) where accepted_at is not null;

comment on table public.offers is 'Offers recorded on operations. Recording one neither accepts it nor moves the stage. Never removed.';
comment on column public.offers.operation_id is 'The operation it belongs to.';
comment on column public.offers.lead_id is 'The lead; taken from the operation.';
comment on column public.offers.property_id is 'The property; taken from the operation when none is named.';
comment on column public.offers.amount is 'What is offered, in currency; a month''s rent when offer_type is rent.';
comment on column public.offers.currency is 'ISO 4217 code.';
comment on column public.offers.offer_type is 'sale or rent; follows the property''s listing_type when none is named.';
comment on column public.offers.notes is 'Conditions and circumstances of the offer; free text.';
comment on column public.offers.status is 'received, accepted, rejected or withdrawn. Setting accepted does what closing a step that accepts the offer does.';
comment on column public.offers.public_token is 'Token of the link that can be shared with a client; 192 random bits. To revoke the link, give it another one: set it to its default.';
comment on column public.offers.accepted_at is 'When it was first accepted; queues offer_accepted.';
comment on column public.offers.created_at is 'When it was recorded.';

alter table public.offers enable row level security;
create policy select_own on public.offers for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.offers for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.offers for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, operation_id, property_id, amount, currency, offer_type, notes),
  update (public_token)
  on public.offers to anon, authenticated;

create function private.tg_offers__record() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.tg_offers__record() is
  'Fills a new offer from its operation and property. Refuses with unknown_reference, operation_closed, property_required.';

create function private.refuse_taken_property(offer public.offers) returns void
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.refuse_taken_property(public.offers) is
  'One property is promised once: refuses to accept an offer on a property that is sold, rented or withdrawn (property_not_available), or that another deal of the same side has an accepted offer on (offer_already_accepted).';

create function private.tg_offers__date_acceptance() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.tg_offers__date_acceptance() is
  'Dates the first acceptance, and keeps the accepted offer of a closed operation. Refuses with operation_closed, offer_already_accepted, property_not_available, change_refused.';

create function private.tg_offers__recorded() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.close_steps(new.agency_id, new.operation_id, 'offer_recorded');
  return null;
end
$$;
comment on function private.tg_offers__recorded() is 'Recording an offer closes the step that waits for one.';

create function private.tg_offers__accepted() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.tg_offers__accepted() is
  'What acceptance does: the property returns to pending, its listings are paused, the step that waits for it closes, and the first time offer_accepted is queued.';

create function private.tg_offers__no_longer_accepted() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.reopen_steps(new.agency_id, new.operation_id, 'offer_accepted');
  return null;
end
$$;
comment on function private.tg_offers__no_longer_accepted() is
  'An accepted offer that is rejected or withdrawn opens the step again that it closed. The property and its listings are left to people.';

create trigger _100_record before insert on public.offers
  for each row execute function private.tg_offers__record();
create trigger _200_date_acceptance before insert or update on public.offers
  for each row execute function private.tg_offers__date_acceptance();
create trigger _900_updated_at before update on public.offers
  for each row execute function private.tg__updated_at();
create trigger _500_recorded after insert on public.offers
  for each row execute function private.tg_offers__recorded();
create trigger _600_accepted_insert after insert on public.offers
  for each row when (new.status = 'accepted') execute function private.tg_offers__accepted();
create trigger _600_accepted_update after update of status on public.offers
  for each row when (new.status = 'accepted' and old.status <> 'accepted') execute function private.tg_offers__accepted();
create trigger _610_no_longer_accepted after update of status on public.offers
  for each row when (old.status = 'accepted' and new.status <> 'accepted')
  execute function private.tg_offers__no_longer_accepted();
create trigger _100_refuse_removal before delete or truncate on public.offers
  for each statement execute function private.tg__refuse_removal();

create function private.offer_json(offer public.offers) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', offer.id,
    'operation_id', offer.operation_id,
    'lead_id', offer.lead_id,
    'property_id', offer.property_id,
    'amount', trim_scale(offer.amount),
    'currency', offer.currency,
    'offer_type', offer.offer_type,
    'notes', offer.notes,
    'status', offer.status,
    'public_token', offer.public_token,
    'accepted_at', offer.accepted_at,
    'created_at', offer.created_at,
    'updated_at', offer.updated_at
  );
end
$$;
comment on function private.offer_json(public.offers) is 'The offer as lists, answers and offer_accepted show it.';
grant execute on function private.offer_json(public.offers) to anon, authenticated;

-- sql/40_pipeline/08_viewings.sql

create table public.viewings (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  property_id uuid not null,
  lead_id uuid not null,
  operation_id uuid,
  agent_id uuid,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  status text not null default 'scheduled',
  notes text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete restrict,
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (agency_id, agent_id) references public.agents (agency_id, id) on delete restrict,
  constraint ends_after_it_starts check (ends_at > starts_at),
  constraint lasts_at_most_a_day check (ends_at - starts_at <= interval '24 hours'),
  constraint status_is_known check (status in ('scheduled', 'done', 'cancelled', 'no_show')),
  constraint notes_are_short check (char_length(notes) <= 10000),
  -- One viewing may begin in the minute in which another one ends.
  constraint agent_shows_one_property_at_a_time exclude using gist (
    agency_id with =, agent_id with =, tstzrange(starts_at, ends_at) with &&) where (status = 'scheduled'),
  constraint property_is_shown_once_at_a_time exclude using gist (
    agency_id with =, property_id with =, tstzrange(starts_at, ends_at) with &&) where (status = 'scheduled')
);
create index viewings_newest on public.viewings (agency_id, created_at desc, id desc);
create index viewings_by_status on public.viewings (agency_id, status, created_at desc, id desc);
create index viewings_by_start on public.viewings (agency_id, starts_at, id);
create index viewings_scheduled on public.viewings (agency_id, starts_at) where status = 'scheduled';
create index viewings_by_property on public.viewings (agency_id, property_id, starts_at);
create index viewings_by_lead on public.viewings (agency_id, lead_id, starts_at);
create index viewings_by_operation on public.viewings (agency_id, operation_id, starts_at);
create index viewings_by_agent on public.viewings (agency_id, agent_id, starts_at);

comment on table public.viewings is 'Appointments to see a property. Scheduled ones overlap neither for the agent nor for the property.';
comment on column public.viewings.property_id is 'The property seen.';
comment on column public.viewings.lead_id is 'Who sees it.';
comment on column public.viewings.operation_id is 'The operation it is part of.';
comment on column public.viewings.agent_id is 'Who shows it.';
comment on column public.viewings.starts_at is 'When it begins.';
comment on column public.viewings.ends_at is 'When it ends.';
comment on column public.viewings.status is 'scheduled, done, cancelled or no_show. done, from 15 minutes before the start on, closes the step of the operation that waits for one.';
comment on column public.viewings.notes is 'What to prepare, or how it went; free text.';
comment on column public.viewings.created_at is 'When it was arranged.';

alter table public.viewings enable row level security;
create policy select_own on public.viewings for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.viewings for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.viewings for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, property_id, lead_id, operation_id, agent_id, starts_at, ends_at, notes),
  update (agent_id, starts_at, ends_at, status, notes)
  on public.viewings to anon, authenticated;

create function private.tg_viewings__operation() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.tg_viewings__operation() is
  'A viewing is part of an operation of its lead (unknown_reference), and is not arranged for a closed one (operation_closed).';

create function private.tg_viewings__queue_up() returns trigger
language plpgsql set search_path = ''
as $$
declare
  resource uuid;
begin
  -- Two bookings that check for each other at the same moment would deadlock on the exclusion constraints. Queued up
  -- in a fixed order, the second one finds the first.
  foreach resource in array array(
    select r from unnest(array[new.agent_id, new.property_id]) r where r is not null order by 1) loop
    perform pg_advisory_xact_lock(hashtextextended('viewing:' || new.agency_id || ':' || resource, 0));
  end loop;
  return new;
end
$$;
comment on function private.tg_viewings__queue_up() is 'Lets bookings of one agent or one property through one after the other.';

create function private.tg_viewings__done() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform private.close_steps(new.agency_id, new.operation_id, 'viewing_done');
  return null;
end
$$;
comment on function private.tg_viewings__done() is 'A viewing that took place closes the step of its operation that waits for one.';

create function private.tg_viewings__took_place() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- The gate waits for a visit that happened; clients come a little early.
  if new.starts_at > now() + interval '15 minutes' then
    perform private.refuse('invalid_transition', 'A viewing is done from 15 minutes before its start on; this one is still to come.');
  end if;
  return new;
end
$$;
comment on function private.tg_viewings__took_place() is
  'A viewing is marked done from 15 minutes before its start on, and no earlier (invalid_transition).';

create trigger _040_took_place before insert or update of status, starts_at on public.viewings
  for each row when (new.status = 'done') execute function private.tg_viewings__took_place();
create trigger _050_operation before insert or update of operation_id, lead_id on public.viewings
  for each row when (new.operation_id is not null) execute function private.tg_viewings__operation();
create trigger _100_queue_up before insert or update of agent_id, starts_at, ends_at, status on public.viewings
  for each row when (new.status = 'scheduled') execute function private.tg_viewings__queue_up();
create trigger _500_done after insert or update on public.viewings
  for each row when (new.status = 'done' and new.operation_id is not null)
  execute function private.tg_viewings__done();
create trigger _900_updated_at before update on public.viewings
  for each row execute function private.tg__updated_at();

create function private.viewing_json(viewing public.viewings) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
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
$$;
comment on function private.viewing_json(public.viewings) is 'The viewing as lists and answers show it.';
grant execute on function private.viewing_json(public.viewings) to anon, authenticated;

-- sql/40_pipeline/09_documents.sql

create table public.documents (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  operation_id uuid,
  lead_id uuid,
  property_id uuid,
  kind text not null default 'other',
  name text,
  status text not null default 'requested',
  completed_at timestamptz,
  content_type text,
  size_bytes bigint,
  storage_path text,
  uploaded_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete restrict,
  constraint kind_is_known check (kind in (
    'viewing_sheet', 'identity', 'mandate', 'reservation', 'contract', 'deed', 'deposit_receipt', 'land_registry_note',
    'energy_certificate', 'proof_of_income', 'other')),
  constraint name_is_short check (char_length(name) <= 300),
  constraint status_is_known check (status in ('requested', 'received', 'verified', 'rejected')),
  constraint content_type_is_allowed check (content_type in (
    'application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'image/heic',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document')),
  constraint size_is_at_most_20_mib check (size_bytes between 1 and 20971520),
  constraint file_is_announced_whole check (
    (content_type is null) = (size_bytes is null) and (content_type is null) = (storage_path is null)),
  constraint only_announced_files_arrive check (uploaded_at is null or storage_path is not null),
  constraint document_storage_path_is_unique unique (storage_path),
  constraint completed_is_dated check (status not in ('received', 'verified') or completed_at is not null)
);
create index documents_newest on public.documents (agency_id, created_at desc, id desc);
create index documents_by_operation on public.documents (agency_id, operation_id, created_at desc, id desc);
create index documents_by_lead on public.documents (agency_id, lead_id, created_at desc, id desc);
create index documents_by_property on public.documents (agency_id, property_id, created_at desc, id desc);
create index documents_by_kind on public.documents (agency_id, kind, created_at desc, id desc);
create index documents_by_status on public.documents (agency_id, status, created_at desc, id desc);
create index documents_completed on public.documents (agency_id, completed_at desc, id desc) where completed_at is not null;

comment on table public.documents is 'Papers of a deal: asked for, received, verified.';
comment on column public.documents.operation_id is 'The operation it belongs to.';
comment on column public.documents.lead_id is 'The person it belongs to.';
comment on column public.documents.property_id is 'The property it belongs to.';
comment on column public.documents.kind is 'viewing_sheet, identity, mandate, reservation, contract, deed, deposit_receipt, land_registry_note, energy_certificate, proof_of_income or other. Received, it closes the step that waits for its kind: gate_steps.closed_by.';
comment on column public.documents.name is 'Name shown to people.';
comment on column public.documents.status is 'requested, received, verified or rejected.';
comment on column public.documents.completed_at is 'When it was first received or verified; queues document_completed.';
comment on column public.documents.content_type is 'Media type of its file: PDF, JPEG, PNG, WebP, HEIC or DOCX; null while no file is announced.';
comment on column public.documents.size_bytes is 'Size of its file, at most 20 MiB; as announced until the file is there.';
comment on column public.documents.storage_path is 'Where its file is in the bucket `documents`: <agency>/<document>/<file name>. Made from the name.';
comment on column public.documents.uploaded_at is 'When its file arrived.';
comment on column public.documents.created_at is 'When it was asked for or registered.';

alter table public.documents enable row level security;
create policy select_own on public.documents for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.documents for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.documents for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, operation_id, lead_id, property_id, kind, name, content_type, size_bytes),
  update (status, content_type, size_bytes)
  on public.documents to anon, authenticated;

create function private.file_name(document public.documents) returns text
language sql stable set search_path = ''
as $$
  -- Storage takes plain characters only: "DNI María.pdf" becomes "dni-maria.pdf". Names and types may disagree, so the
  -- ending follows from the type.
  select coalesce(
      nullif(btrim(left(regexp_replace(
        lower(extensions.unaccent('extensions.unaccent', regexp_replace(document.name, '\.[A-Za-z0-9]{1,5}$', ''))),
        '[^a-z0-9]+', '-', 'g'), 100), '-'), ''),
      replace(document.kind, '_', '-'))
    || case document.content_type
      when 'application/pdf' then '.pdf'
      when 'image/jpeg' then '.jpg'
      when 'image/png' then '.png'
      when 'image/webp' then '.webp'
      when 'image/heic' then '.heic'
      else '.docx' end;
$$;
comment on function private.file_name(public.documents) is 'The name of a document''s file in Storage, and when it is downloaded.';

create function private.tg_documents__place_file() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  new.storage_path := case when new.content_type is not null then
    format('%s/%s/%s', new.agency_id, new.id, private.file_name(new)) end;
  return new;
end
$$;
comment on function private.tg_documents__place_file() is
  'Says where an announced file goes. Once it is there, it stays there.';

create function private.tg_documents__date_completion() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    new.completed_at := old.completed_at;
  elsif new.status not in ('received', 'verified') then
    new.completed_at := null;
  end if;
  if new.status in ('received', 'verified') then
    new.completed_at := coalesce(new.completed_at, now());
  end if;
  return new;
end
$$;
comment on function private.tg_documents__date_completion() is 'Dates the first time a document is received or verified.';

create function private.tg_documents__completed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if new.operation_id is not null then
    perform private.close_steps(new.agency_id, new.operation_id, new.kind || '_received');
  end if;
  if tg_op = 'INSERT' or old.completed_at is null then
    perform private.queue_event(new.agency_id, 'document_completed', new.id);
  end if;
  return null;
end
$$;
comment on function private.tg_documents__completed() is
  'A received document closes the step that waits for its kind; the first completion queues document_completed.';

create trigger _100_date_completion before insert or update on public.documents
  for each row execute function private.tg_documents__date_completion();
create trigger _200_place_file before insert or update on public.documents
  for each row when (new.uploaded_at is null) execute function private.tg_documents__place_file();
create trigger _900_updated_at before update on public.documents
  for each row execute function private.tg__updated_at();
create trigger _600_completed after insert or update on public.documents
  for each row when (new.status in ('received', 'verified')) execute function private.tg_documents__completed();

create function private.document_json(document public.documents) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', document.id,
    'operation_id', document.operation_id,
    'lead_id', document.lead_id,
    'property_id', document.property_id,
    'kind', document.kind,
    'name', document.name,
    'status', document.status,
    'completed_at', document.completed_at,
    'content_type', document.content_type,
    'size_bytes', document.size_bytes,
    'uploaded_at', document.uploaded_at,
    'created_at', document.created_at,
    'updated_at', document.updated_at
  );
end
$$;
comment on function private.document_json(public.documents) is 'The document as lists and document_completed show it.';
grant execute on function private.document_json(public.documents) to anon, authenticated;

-- sql/40_pipeline/10_signatures.sql

create table public.signatures (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  operation_id uuid,
  document_id uuid,
  signer_name text,
  signer_email text,
  status text not null default 'draft',
  signed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, operation_id) references public.operations (agency_id, id) on delete restrict,
  foreign key (agency_id, document_id) references public.documents (agency_id, id) on delete restrict,
  constraint signer_name_is_short check (char_length(signer_name) <= 200),
  constraint signer_email_is_normal check (
    signer_email = lower(btrim(signer_email)) and signer_email like '%_@_%' and char_length(signer_email) <= 254),
  constraint status_is_known check (status in ('draft', 'sent', 'signed', 'declined', 'expired')),
  constraint signed_is_dated check (status <> 'signed' or signed_at is not null)
);
create index signatures_newest on public.signatures (agency_id, created_at desc, id desc);
create index signatures_by_operation on public.signatures (agency_id, operation_id, created_at desc, id desc);
create index signatures_by_document on public.signatures (agency_id, document_id, created_at desc, id desc);
create index signatures_by_status on public.signatures (agency_id, status, created_at desc, id desc);
create index signatures_by_signer on public.signatures (agency_id, signer_email, created_at desc, id desc);
create index signatures_signed on public.signatures (agency_id, signed_at desc, id desc) where signed_at is not null;

comment on table public.signatures is 'Documents sent for signature, one row a signer.';
comment on column public.signatures.operation_id is 'The operation it belongs to.';
comment on column public.signatures.document_id is 'The document to sign.';
comment on column public.signatures.signer_name is 'Name of the person who signs.';
comment on column public.signatures.signer_email is 'Where the request goes, lower case.';
comment on column public.signatures.status is 'draft, sent, signed, declined or expired.';
comment on column public.signatures.signed_at is 'When it was first signed; queues signature_signed.';
comment on column public.signatures.created_at is 'When it was prepared.';

alter table public.signatures enable row level security;
create policy select_own on public.signatures for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.signatures for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.signatures for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select,
  insert (agency_id, operation_id, document_id, signer_name, signer_email, status),
  update (status)
  on public.signatures to anon, authenticated;

create function private.tg_signatures__date_signing() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    new.signed_at := old.signed_at;
  elsif new.status <> 'signed' then
    new.signed_at := null;
  end if;
  if new.status = 'signed' then
    new.signed_at := coalesce(new.signed_at, now());
  end if;
  return new;
end
$$;
comment on function private.tg_signatures__date_signing() is 'Dates the first signing.';

create function private.tg_signatures__signed() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or old.signed_at is null then
    perform private.queue_event(new.agency_id, 'signature_signed', new.id);
  end if;
  return null;
end
$$;
comment on function private.tg_signatures__signed() is 'The first signing queues signature_signed.';

create trigger _100_date_signing before insert or update on public.signatures
  for each row execute function private.tg_signatures__date_signing();
create trigger _900_updated_at before update on public.signatures
  for each row execute function private.tg__updated_at();
create trigger _600_signed after insert or update on public.signatures
  for each row when (new.status = 'signed') execute function private.tg_signatures__signed();

create function private.signature_json(signature public.signatures) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', signature.id,
    'operation_id', signature.operation_id,
    'document_id', signature.document_id,
    'signer_name', signature.signer_name,
    'signer_email', signature.signer_email,
    'status', signature.status,
    'signed_at', signature.signed_at,
    'created_at', signature.created_at,
    'updated_at', signature.updated_at
  );
end
$$;
comment on function private.signature_json(public.signatures) is 'The signature as lists and signature_signed show it.';
grant execute on function private.signature_json(public.signatures) to anon, authenticated;

-- sql/40_pipeline/document_files.data.sql

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('documents', 'documents', false, 20971520, array[
  'application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'image/heic',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document'])
on conflict (id) do update set
  public = excluded.public, file_size_limit = excluded.file_size_limit, allowed_mime_types = excluded.allowed_mime_types;

-- sql/40_pipeline/document_files.sql

create function private.permits(permission text) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  return coalesce(permission = any ((private.principal()).permissions), false);
end
$$;
comment on function private.permits(text) is
  'Whether the caller has a permission. For policies on Storage, whose requests do not pass private.authorize.';
grant execute on function private.permits(text) to anon, authenticated;

-- Storage asks these policies as the caller, with the request's headers, before it signs a URL. What it then does with
-- the signed URL is decided already.
create policy documents_insert_own on storage.objects for insert to anon, authenticated
  with check (
    bucket_id = 'documents'
    and (select private.permits('documents:write'))
    and exists (
      select from public.documents d
      where d.agency_id = (select private.agency_id()) and d.storage_path = objects.name and d.uploaded_at is null));
create policy documents_select_own on storage.objects for select to anon, authenticated
  using (
    bucket_id = 'documents'
    and (select private.permits('documents:read'))
    and (storage.foldername(name))[1] = (select private.agency_id())::text);

create function private.tg_objects__document_arrived() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  size bigint := (new.metadata ->> 'size')::bigint;
  announced bigint;
begin
  -- Before it signs a URL and before it takes a file in, Storage tries whether it may: it inserts the object, with the
  -- type of the request at hand and no size, and takes that back. Only a file that is there has a size.
  if not coalesce(new.metadata ? 'size', false) then
    return null;
  end if;
  update public.documents d set
    uploaded_at = now(),
    content_type = coalesce(new.metadata ->> 'mimetype', d.content_type),
    size_bytes = size,
    status = case when d.status = 'requested' then 'received' else d.status end
  where d.storage_path = new.name and d.uploaded_at is null and size between 1 and d.size_bytes;
  if not found then
    -- Storage passes on this code alone, with its message; anything else a trigger raises becomes "database error",
    -- status 500.
    select d.size_bytes into announced from public.documents d where d.storage_path = new.name and d.uploaded_at is null;
    raise exception using errcode = 'insufficient_privilege', message = case
      when announced is null then 'No document waits for this file: it is there already, or was announced as another one.'
      when size > 0 then format('The file has %s bytes, and at most the announced %s are taken.', size, announced)
      else 'The file is empty.' end;
  end if;
  return null;
end
$$;
comment on function private.tg_objects__document_arrived() is
  'A file that arrives in the bucket `documents` is noted on its document, and a requested document is received. Refuses a file that no document waits for, an empty one, and one larger than announced.';

create trigger corredor_500_document_arrived after insert on storage.objects
  for each row when (new.bucket_id = 'documents') execute function private.tg_objects__document_arrived();

create function private.tg_objects__document_stays() returns trigger
language plpgsql set search_path = ''
as $$
begin
  if (old.bucket_id, old.name, old.version, old.metadata -> 'size')
    is distinct from (new.bucket_id, new.name, new.version, new.metadata -> 'size')
  then
    raise exception using errcode = 'insufficient_privilege',
      message = 'The file of a document stays as it came: it is neither moved nor replaced.';
  end if;
  return new;
end
$$;
comment on function private.tg_objects__document_stays() is
  'A file in the bucket `documents` is not moved, nor replaced by a URL that was signed to do so, nor is one moved in.';

create trigger corredor_500_document_stays before update on storage.objects
  for each row when (old.bucket_id = 'documents' or new.bucket_id = 'documents')
  execute function private.tg_objects__document_stays();

-- sql/50_events/00_targets.sql

-- Where events may be posted, as far as the URL alone can tell. The functions also look names up, and know their own
-- address; the drain judges every target again before each delivery. What they send is as a URL parser writes it: a host
-- in plain characters. Other spellings of a name (percent signs, letters of other scripts) are refused here.
create function private.private_targets_allowed() returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from vault.decrypted_secrets s
    where s.name = 'hooks_allow_private_targets' and s.decrypted_secret = 'true');
$$;
comment on function private.private_targets_allowed() is
  'Whether hooks may point into a private network, for tests on one''s own machine: the secret hooks_allow_private_targets in Vault is true. The functions read HOOKS_ALLOW_PRIVATE_TARGETS; the local stack sets both.';
grant execute on function private.private_targets_allowed() to anon, authenticated;

create function private.ipv4_number(part text) returns bigint
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.ipv4_number(text) is
  'A part of an IPv4 address, decimal, octal (010) or hexadecimal (0x8); null when it is not a number.';
grant execute on function private.ipv4_number(text) to anon, authenticated;

create function private.ipv4_address(host text) returns inet
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.ipv4_address(text) is
  'The address that a URL parser reads a numeric host as, in forms that Postgres does not know: 127.1, 2130706433, 0x7f.1. Null when it is not an address.';
grant execute on function private.ipv4_address(text) to anon, authenticated;

create function private.is_public_address(address inet) returns boolean
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.is_public_address(inet) is
  'Whether an address belongs to the public internet: none of the private, loopback, link-local, CGNAT, multicast and reserved ranges, and no IPv6 address that wraps an IPv4 one. As in functions/_shared/addresses.ts.';
grant execute on function private.is_public_address(inet) to anon, authenticated;

create function private.target_problem(target_url text) returns text
language plpgsql stable set search_path = ''
as $$
declare
  authority text := (regexp_match(target_url, '^https://([^/?#\\]*)', 'i'))[1];
  host text := rtrim((regexp_match(lower(authority), '^(\[[0-9a-f:.]+\]|[^:]*)(:[0-9]{0,5})?$'))[1], '.');
  port int := nullif(substring(authority from ':([0-9]{1,5})$'), '')::int;
  address inet;
begin
  if char_length(target_url) > 2000 then
    return 'The URL has more than 2000 characters as it is sent.';
  elsif target_url ~ '^[A-Za-z][A-Za-z0-9+.-]*:' and target_url !~* '^https:' then
    return 'The URL must begin with https://.';
  elsif strpos(authority, '@') > 0 then
    return 'The URL must not contain a user name or a password.';
  elsif coalesce(port, 443) not between 1 and 65535 or target_url ~ '[\s\\]'
    or coalesce(host, '') !~ '^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$' then
    return 'This is not a valid URL.';
  end if;
  if host like '[%' then
    begin
      address := btrim(host, '[]')::inet;
    exception when invalid_text_representation then
      return 'This is not a valid URL.';
    end;
  elsif host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    -- Any host that ends in a number is an address, or nothing.
    address := private.ipv4_address(host);
    if address is null then
      return 'This is not a valid URL.';
    end if;
  end if;
  return case when not case
      when address is not null then private.is_public_address(address)
      else host like '%.%' and host !~ '(^|\.)(localhost|local|internal|home\.arpa)$' end
    and not private.private_targets_allowed() then 'The host is not on the public internet.' end;
end
$$;
comment on function private.target_problem(text) is
  'Why events cannot be posted to a URL; null when they can, as far as the URL tells. The sentences are those of functions/_shared/target.ts.';
grant execute on function private.target_problem(text) to anon, authenticated;

-- sql/50_events/01_subscriptions.sql

create table public.subscriptions (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  event_type text not null,
  target_url text not null,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  constraint event_type_is_known check (event_type in ('deal_won', 'offer_accepted', 'signature_signed', 'document_completed')),
  constraint target_is_an_https_url check (target_url ~* '^https://[^\s/?#@\\]+([/?#]\S*)?$'),
  constraint target_url_is_short check (char_length(target_url) <= 2000),
  constraint subscription_is_made_once unique (agency_id, event_type, target_url)
);
create index subscriptions_newest on public.subscriptions (agency_id, created_at desc, id desc);

comment on table public.subscriptions is 'Hooks: which https target wants to hear of which event. Removing the row unsubscribes.';
comment on column public.subscriptions.event_type is 'deal_won, offer_accepted, signature_signed or document_completed.';
comment on column public.subscriptions.target_url is 'Where the event is posted to: https, without user or password, on any port, since receivers on servers of one''s own often have a high one and addresses inside a network are refused on every port. Its address is judged by the functions, when subscribing and again before each delivery.';
comment on column public.subscriptions.created_at is 'When it was made.';

create function private.tg_subscriptions__cap() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  hooks_max constant int := 20;
begin
  -- Two at once would each count without the other.
  perform pg_advisory_xact_lock(hashtextextended('hooks:' || new.agency_id || ':' || new.event_type, 0));
  -- The same hook again does not count.
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
$$;
comment on function private.tg_subscriptions__cap() is
  'An agency has at most 20 hooks for an event (too_many_hooks): each is a request that every such event makes.';

create trigger _100_cap before insert on public.subscriptions
  for each row execute function private.tg_subscriptions__cap();

alter table public.subscriptions enable row level security;
create policy select_own on public.subscriptions for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.subscriptions for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy delete_own on public.subscriptions for delete to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select, delete on public.subscriptions to anon, authenticated;
grant insert (agency_id, event_type, target_url) on public.subscriptions to anon, authenticated;

create function private.normal_target_url(target_url text) returns text
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.normal_target_url(text) is
  'A target as the functions write it: host in lower case without a final full stop, no default port, no fragment.';
grant execute on function private.normal_target_url(text) to anon, authenticated;

create function private.tg_subscriptions__normal_target_url() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.target_url := private.normal_target_url(new.target_url);
  return new;
end
$$;
comment on function private.tg_subscriptions__normal_target_url() is
  'A target spelled in two ways is subscribed once and gets an event once.';

create trigger _100_normal_target_url before insert or update of target_url on public.subscriptions
  for each row execute function private.tg_subscriptions__normal_target_url();

-- sql/50_events/02_events.sql

create table public.events (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  event_type text not null,
  subject_id uuid not null,
  subscription_ids uuid[] not null,
  status text not null default 'pending',
  reason text,
  attempts int not null default 0,
  round int not null default 1,
  body text,
  queued_at timestamptz not null default now(),
  available_at timestamptz not null default now(),
  run_id uuid,
  lease_until timestamptz,
  delivered_at timestamptz,
  lost_claims int not null default 0,
  primary key (agency_id, id),
  constraint event_type_is_known check (event_type in ('deal_won', 'offer_accepted', 'signature_signed', 'document_completed')),
  -- The first qualifying transition queues, and only the first one.
  constraint subject_is_queued_once unique (agency_id, event_type, subject_id),
  constraint status_is_known check (status in ('pending', 'claimed', 'delivered')),
  constraint reason_is_known check (reason in (
    'every_target_failed', 'some_targets_failed', 'attempts_spent', 'outcome_unknown', 'no_subscription_left',
    'not_serializable')),
  constraint attempts_are_limited check (attempts between 0 and 3),
  constraint lost_claims_are_limited check (lost_claims between 0 and 3),
  constraint round_is_counted check (round >= 1),
  constraint claimed_has_a_lease check ((status = 'claimed') = (run_id is not null and lease_until is not null)),
  constraint delivered_is_dated check ((status = 'delivered') = (delivered_at is not null)),
  constraint has_a_target check (cardinality(subscription_ids) > 0)
);
create index events_pending on public.events (agency_id, available_at, id) where status = 'pending';
create index events_leased on public.events (lease_until) where status = 'claimed';

comment on table public.events is 'The queue of events and what became of them. A row exists only when the agency had a subscription at the transition.';
comment on column public.events.id is 'Identifier; sent to targets as x-service-delivery.';
comment on column public.events.event_type is 'deal_won, offer_accepted, signature_signed or document_completed.';
comment on column public.events.subject_id is 'The operation, offer, signature or document.';
comment on column public.events.subscription_ids is 'The subscriptions that existed when the event was queued. Those that still exist are its targets.';
comment on column public.events.status is 'pending (waits for a drain), claimed (a drain works on it) or delivered (nothing more is sent).';
comment on column public.events.reason is 'Null when every target accepted. every_target_failed: tried again in the next run. Delivered with some_targets_failed, attempts_spent, outcome_unknown (a drain died after it may have posted), no_subscription_left or not_serializable: the row public.deliveries tells the rest.';
comment on column public.events.attempts is 'Attempts so far, counted when a drain claims the event. At most 3 a round.';
comment on column public.events.lost_claims is 'Claims by runs that died before they announced a POST; they cost no attempt. At most 3 a round: any more count as attempts, so that an event that kills drains ends as well.';
comment on column public.events.round is '1, and one more for each admin.replay_event.';
comment on column public.events.body is 'The bytes that are signed and posted, serialized once, at the first claim.';
comment on column public.events.queued_at is 'When the transition happened.';
comment on column public.events.available_at is 'Since when it may be claimed. A drain takes what was available when it started, so a failure waits for the next run.';
comment on column public.events.run_id is 'The drain run that holds the event; it alone may write its outcome.';
comment on column public.events.lease_until is 'Until when the run holds it. Afterwards the run is taken for dead.';
comment on column public.events.delivered_at is 'When nothing more was left to send.';

-- No grant goes with the policy: callers have no list of events yet, and operators read it in Studio.
alter table public.events enable row level security;
create policy select_own on public.events for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

-- sql/50_events/03_deliveries.sql

create table public.deliveries (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  event_id uuid not null,
  subscription_id uuid not null,
  target_url text not null,
  round int not null,
  attempt int not null,
  run_id uuid not null,
  state text not null default 'posting',
  status_code int,
  error text,
  error_detail text,
  duration_ms int,
  started_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, event_id) references public.events (agency_id, id) on delete cascade,
  constraint state_is_known check (state in ('posting', 'accepted', 'failed', 'unknown')),
  constraint status_code_is_http check (status_code between 100 and 999),
  constraint accepted_means_2xx check (state <> 'accepted' or (coalesce(status_code, 0) between 200 and 299 and error is null)),
  constraint failure_is_explained check (state not in ('failed', 'unknown') or error is not null),
  constraint error_is_a_word check (error ~ '^[a-z0-9_]{1,60}$'),
  constraint error_detail_is_short check (char_length(error_detail) <= 300)
);
-- No index but the key begins with agency_id: on a small table, the planner would take such a one for the key.
-- At most once: no second POST to a target that has the event, or may have it.
create unique index target_gets_an_event_once on public.deliveries (event_id, subscription_id, round, agency_id)
  where state in ('posting', 'accepted', 'unknown');
create index deliveries_by_event on public.deliveries (event_id, agency_id);

comment on table public.deliveries is 'The delivery log: one row for each attempt at each target, written before the POST. Kept 90 days.';
comment on column public.deliveries.event_id is 'The event that was posted, as in events.id.';
comment on column public.deliveries.subscription_id is 'The subscription; it may be gone since.';
comment on column public.deliveries.target_url is 'Where it was posted to.';
comment on column public.deliveries.round is 'The event''s round: 1, and one more for each replay.';
comment on column public.deliveries.attempt is 'The event''s attempt, 1 to 3.';
comment on column public.deliveries.run_id is 'The drain run that posted; it alone may write the outcome.';
comment on column public.deliveries.state is 'posting, then accepted (2xx) or failed; unknown when the drain died in between, and then it is never posted again.';
comment on column public.deliveries.status_code is 'HTTP status of the answer, if one came.';
comment on column public.deliveries.error is 'Why it failed, as a word: http_status, redirect, timeout, dns_failed, connection_refused, connection_lost, connect_failed, tls_failed, bad_response, not_sent (the run ended before its turn), drain_died, or a rule of the target such as private_address.';
comment on column public.deliveries.error_detail is 'The failure in words.';
comment on column public.deliveries.duration_ms is 'How long the exchange took, if there was one.';
comment on column public.deliveries.started_at is 'When the POST was announced.';

-- No grant goes with the policy: callers have no list of deliveries yet, and operators read it in Studio.
alter table public.deliveries enable row level security;
create policy select_own on public.deliveries for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

-- sql/50_events/04_drain_runs.sql

create table public.drain_runs (
  id uuid primary key default gen_random_uuid(),
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  reclaimed int not null default 0,
  claimed int not null default 0,
  posted int not null default 0,
  accepted int not null default 0,
  failed int not null default 0,
  delivered int not null default 0,
  to_retry int not null default 0,
  released int not null default 0,
  error text,
  due_before timestamptz not null default clock_timestamp(),
  continues uuid,
  share int not null default 0,
  shares int not null default 1,
  calls_again boolean not null default true,
  handed_over_at timestamptz,
  constraint share_is_one_of_the_shares check (share >= 0 and share < shares)
);
create index drain_runs_newest on public.drain_runs (started_at desc);

comment on table public.drain_runs is 'What each run of the drain did. It serves all agencies, so it belongs to none: for operators only.';
comment on column public.drain_runs.id is 'Identifier; the token with which the run writes.';
comment on column public.drain_runs.started_at is 'When it started.';
comment on column public.drain_runs.finished_at is 'When it finished. Null: at work, or dead.';
comment on column public.drain_runs.reclaimed is 'Events it took back from runs that died.';
comment on column public.drain_runs.claimed is 'Events it claimed.';
comment on column public.drain_runs.posted is 'Deliveries it attempted.';
comment on column public.drain_runs.accepted is 'Deliveries answered with 2xx.';
comment on column public.drain_runs.failed is 'Deliveries that failed.';
comment on column public.drain_runs.delivered is 'Events for which nothing more is sent.';
comment on column public.drain_runs.to_retry is 'Events left to the next run after a failure.';
comment on column public.drain_runs.released is 'Events given back untried because the time was up.';
comment on column public.drain_runs.error is 'What stopped the run early, if anything.';
comment on column public.drain_runs.due_before is 'It takes events that were available by then: its own start, or that of the run with which its minute''s drain began. So a failure waits for the next minute, however many runs the drain goes through.';
comment on column public.drain_runs.continues is 'The run whose work it goes on with, because that one''s worker had given what it had.';
comment on column public.drain_runs.share is 'Which share of the agencies it serves first, from 0; then it helps with the others.';
comment on column public.drain_runs.shares is 'How many runs were called side by side.';
comment on column public.drain_runs.calls_again is 'Whether it has itself continued while events are due.';
comment on column public.drain_runs.handed_over_at is 'When it had itself continued by another run.';

-- No policy and no grant: no caller sees it.
alter table public.drain_runs enable row level security;

-- sql/50_events/drain_announce.sql

create function private.drain_announce(run_id uuid, deliveries jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
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
$$;
comment on function private.drain_announce(uuid, jsonb) is
  'Writes down the POSTs that a run is about to make, [{id, agency_id, event_id, subscription_id}], and returns the ids it may make. Left out: a target that has the event or may have it, a subscription that is gone, an event that the run no longer holds. The ids are the caller''s, so asking again is safe.';
grant execute on function private.drain_announce(uuid, jsonb) to service_role;

create function api.drain_announce(run_id uuid, deliveries jsonb) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_announce(run_id, deliveries);
$$;
comment on function api.drain_announce(uuid, jsonb) is 'For the drain: announces POSTs and returns the ids of those it may make. Service role only.';
grant execute on function api.drain_announce(uuid, jsonb) to service_role;

-- sql/50_events/drain_begin.sql

create function private.drain_begin(
  continues uuid default null, share int default 0, shares int default 1, calls_again boolean default true) returns jsonb
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.drain_begin(uuid, int, int, boolean) is
  'Starts a drain run, or one that continues another and takes what was due for that one. First takes back the events of runs that died: their open deliveries become unknown, and the events are settled; those that had no POST announced get their attempt back, up to 3 times a round. Returns {run_id, reclaimed}.';
grant execute on function private.drain_begin(uuid, int, int, boolean) to service_role;

create function api.drain_begin(
  continues uuid default null, share int default 0, shares int default 1, calls_again boolean default true) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_begin(continues, share, shares, calls_again);
$$;
comment on function api.drain_begin(uuid, int, int, boolean) is 'For the drain: starts a run and reclaims what dead runs held. Returns {run_id, reclaimed}. Service role only.';
grant execute on function api.drain_begin(uuid, int, int, boolean) to service_role;

-- sql/50_events/drain_claim.sql

create function private.drain_claim(run_id uuid, max_events int, busy_agencies uuid[]) returns jsonb
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
-- A body shows times in UTC, whatever the session's zone.
set timezone = 'UTC'
as $$
declare
  run public.drain_runs;
  agency_ids uuid[];
  event_ids uuid[];
  claimed_events jsonb;
  untargeted public.events[];
  bodiless public.events[];
begin
  select r.* into run from public.drain_runs r where r.id = drain_claim.run_id and r.finished_at is null;
  if run.id is null then
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
  due_agencies as (
    select h.agency_id, h.available_at, (uuid_hash(h.agency_id) & 2147483647) % run.shares = run.share as is_own
    from heads h
    where h.available_at <= run.due_before and h.agency_id <> all (busy_agencies)
  ),
  open_agencies as (
    select d.agency_id, d.available_at, count(*) over () as agencies
    from due_agencies d
    -- A run that has finished its share helps with the others'.
    where d.is_own or not exists (select from due_agencies o where o.is_own)
    order by d.available_at
    limit max_events
  )
  select array_agg(turn.agency_id), array_agg(turn.id) into agency_ids, event_ids
  from open_agencies o
  cross join lateral (
    select e.agency_id, e.id from public.events e
    where e.agency_id = o.agency_id and e.status = 'pending' and e.available_at <= run.due_before
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
        -- A run begins nothing after 110 s, and what it began is recorded well before this.
        lease_until = run.started_at + interval '150 seconds',
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
$$;
comment on function private.drain_claim(uuid, int, uuid[]) is
  'Claims up to max_events that are due for the run, turn by turn over the agencies of its share and then over the others, without the busy ones; counts the attempt and serializes the body the first time. An event with nobody to post to is settled at once. Returns {events: [{agency_id, id, event_type, body, targets: [{subscription_id, url}]}], without_post}.';
grant execute on function private.drain_claim(uuid, int, uuid[]) to service_role;

create function api.drain_claim(run_id uuid, max_events int, busy_agencies uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_claim(run_id, max_events, busy_agencies);
$$;
comment on function api.drain_claim(uuid, int, uuid[]) is 'For the drain: claims events and returns them with their targets. Service role only.';
grant execute on function api.drain_claim(uuid, int, uuid[]) to service_role;

-- sql/50_events/drain_finish.sql

create function private.drain_finish(run_id uuid, summary jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  untried int;
  rest jsonb;
  run public.drain_runs;
  due int;
begin
  untried := private.release_untried(
    drain_finish.run_id,
    array(select e.id from public.events e where e.status = 'claimed' and e.run_id = drain_finish.run_id));

  select private.settle_events(array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id)) into rest
  from public.events e
  where e.status = 'claimed' and e.run_id = drain_finish.run_id;

  update public.drain_runs r
  set finished_at = clock_timestamp(),
      handed_over_at = case when (summary ->> 'handed_over')::boolean then r.handed_over_at end,
      claimed = (summary ->> 'claimed')::int,
      posted = (summary ->> 'posted')::int,
      accepted = (summary ->> 'accepted')::int,
      failed = (summary ->> 'failed')::int,
      delivered = (summary ->> 'delivered')::int + (rest ->> 'delivered')::int,
      to_retry = (summary ->> 'to_retry')::int + (rest ->> 'to_retry')::int,
      released = r.released + untried,
      error = left(summary ->> 'error', 300)
  where r.id = drain_finish.run_id and r.finished_at is null
  returning * into run;
  if run.id is null then
    -- Asked again because the answer was lost.
    select r.* into run from public.drain_runs r where r.id = drain_finish.run_id;
  -- A run that achieved nothing is not followed by another, which would achieve nothing either.
  elsif run.claimed > run.released and (run.handed_over_at is null or untried > 0) then
    perform private.continue_drain(run);
  end if;
  select count(*) into due
  from (select from public.events e where e.status = 'pending' and e.available_at <= run.due_before limit 100000) e;
  return to_jsonb(run) || jsonb_build_object('events_due', due);
end
$$;
comment on function private.drain_finish(uuid, jsonb) is
  'Ends a run: gives back what it still holds (untried events keep their attempts) and stores its summary, {claimed, posted, accepted, failed, delivered, to_retry, handed_over, error}, and has itself continued while events are due. Returns the row of public.drain_runs, and as events_due what of this minute''s drain still waits.';
grant execute on function private.drain_finish(uuid, jsonb) to service_role;

create function api.drain_finish(run_id uuid, summary jsonb) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_finish(run_id, summary);
$$;
comment on function api.drain_finish(uuid, jsonb) is 'For the drain: ends a run and gives back what it still holds. Service role only.';
grant execute on function api.drain_finish(uuid, jsonb) to service_role;

-- sql/50_events/drain_hand_over.sql

create function private.release_untried(run_id uuid, event_ids uuid[]) returns int
language plpgsql
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  released int;
begin
  update public.events e
  set status = 'pending', attempts = e.attempts - 1, run_id = null, lease_until = null
  where e.status = 'claimed' and e.run_id = release_untried.run_id and e.id = any (event_ids)
    and not exists (
      select from public.deliveries d
      where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.attempt = e.attempts);
  get diagnostics released = row_count;
  return released;
end
$$;
comment on function private.release_untried(uuid, uuid[]) is
  'Gives back those of the events that the run claimed and did not begin: it costs no attempt, and another run may take them at once. Returns how many.';

create function private.continue_drain(run public.drain_runs) returns boolean
language plpgsql set search_path = ''
as $$
begin
  if not run.calls_again
    -- After a minute the next drain is at work, and takes what is left as well.
    or clock_timestamp() > run.due_before + interval '1 minute'
    or not exists (select from public.events e where e.status = 'pending' and e.available_at <= run.due_before) then
    return false;
  end if;
  update public.drain_runs r set handed_over_at = clock_timestamp() where r.id = run.id;
  perform private.call_function('drain', jsonb_build_object('continues', run.id));
  return true;
end
$$;
comment on function private.continue_drain(public.drain_runs) is
  'Calls the drain to go on where the run ends, if events are due that were so when its minute''s drain began. A failed event is not: it waits for the next minute. Returns whether it called.';

create function private.drain_hand_over(run_id uuid, not_begun uuid[]) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  run public.drain_runs;
begin
  update public.drain_runs r
  set released = r.released + private.release_untried(drain_hand_over.run_id, not_begun)
  where r.id = drain_hand_over.run_id and r.finished_at is null
  returning * into run;
  if run.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such drain run at work.');
  end if;
  return private.continue_drain(run);
end
$$;
comment on function private.drain_hand_over(uuid, uuid[]) is
  'For a run that has begun all that its worker can do: gives back the claimed events that it did not begin, and calls the drain to go on while it waits for its targets. Returns whether it called; if the call comes to the same worker, the run itself goes on.';
grant execute on function private.drain_hand_over(uuid, uuid[]) to service_role;

create function api.drain_hand_over(run_id uuid, not_begun uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.drain_hand_over(run_id, not_begun));
$$;
comment on function api.drain_hand_over(uuid, uuid[]) is 'For the drain: has a run continued by another one while it ends. Service role only.';
grant execute on function api.drain_hand_over(uuid, uuid[]) to service_role;

-- sql/50_events/drain_record.sql

create function private.drain_record(run_id uuid, results jsonb, done jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  with outcome as (
    update public.deliveries d
    set state = r.state,
        status_code = r.status_code,
        error = r.error,
        error_detail = left(r.error_detail, 300),
        duration_ms = r.duration_ms
    from jsonb_to_recordset(results) as r (
      agency_id uuid, id uuid, state text, status_code int, error text, error_detail text, duration_ms int)
    where d.agency_id = r.agency_id and d.id = r.id
      and d.run_id = drain_record.run_id
      -- Only what is being posted. Said so, the partial index does not look like a way to find the rows.
      and d.state not in ('accepted', 'failed', 'unknown')
      and r.state in ('accepted', 'failed')
    returning d.agency_id, d.subscription_id, d.status_code
  )
  -- 410 Gone: the target asks not to be called again.
  delete from public.subscriptions s
  using outcome o
  where o.status_code = 410 and s.agency_id = o.agency_id and s.id = o.subscription_id;

  return (
    select private.settle_events(
      array_agg(d.agency_id), array_agg(d.event_id), array_agg(drain_record.run_id))
    from jsonb_to_recordset(done) as d (agency_id uuid, event_id uuid));
end
$$;
comment on function private.drain_record(uuid, jsonb, jsonb) is
  'Records outcomes of announced POSTs, [{agency_id, id, state, status_code, error, error_detail, duration_ms}], removes subscriptions that answered 410, and settles the events in done, [{agency_id, event_id}], at which the run is finished. Only the run that announced may record, and only once. Returns {delivered, to_retry}.';
grant execute on function private.drain_record(uuid, jsonb, jsonb) to service_role;

create function api.drain_record(run_id uuid, results jsonb, done jsonb) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_record(run_id, results, done);
$$;
comment on function api.drain_record(uuid, jsonb, jsonb) is 'For the drain: records outcomes and settles events. Returns {delivered, to_retry}. Service role only.';
grant execute on function api.drain_record(uuid, jsonb, jsonb) to service_role;

-- sql/50_events/event_body.sql

create function private.event_body(event_type text, agency_id uuid, subject_id uuid) returns text
language plpgsql
stable
set search_path = ''
-- Called for each event of a claim, which plans anew each time; this need not.
set plan_cache_mode = auto
as $$
begin
  case event_type
    when 'deal_won' then
      return (select private.operation_json(o) from public.operations o where o.agency_id = $2 and o.id = $3);
    when 'offer_accepted' then
      return (select private.offer_json(o) from public.offers o where o.agency_id = $2 and o.id = $3);
    when 'signature_signed' then
      return (select private.signature_json(s) from public.signatures s where s.agency_id = $2 and s.id = $3);
    when 'document_completed' then
      return (select private.document_json(d) from public.documents d where d.agency_id = $2 and d.id = $3);
  end case;
-- One row that cannot be serialized must not keep all others of the batch from being claimed.
exception when others then
  raise warning 'event % of % cannot be serialized: % %', event_type, subject_id, sqlstate, sqlerrm;
  return null;
end
$$;
comment on function private.event_body(text, uuid, uuid) is
  'The event''s payload as text: the object that the list endpoint shows. Null when the row is gone or cannot be serialized.';

-- sql/50_events/queue_event.sql

create function private.queue_event(agency_id uuid, event_type text, subject_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.events (agency_id, event_type, subject_id, subscription_ids)
  select $1, $2, $3, array_agg(s.id order by s.created_at, s.id)
  from public.subscriptions s
  where s.agency_id = $1 and s.event_type = $2
  having count(*) > 0
  on conflict on constraint subject_is_queued_once do nothing;
end
$$;
comment on function private.queue_event(uuid, text, uuid) is
  'Queues the event for the subscriptions that exist now; without one, nothing is queued. Called by triggers at the first qualifying transition.';

-- sql/50_events/settle_events.sql

create function private.settle_events(agency_ids uuid[], event_ids uuid[], run_ids uuid[]) returns jsonb
language sql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  -- Only a claimed event has a run.
  with held as (
    select e.agency_id, e.id, e.run_id, e.attempts, e.round, e.subscription_ids
    from unnest($1, $2, $3) as wanted (agency_id, id, run_id)
    join public.events e on e.agency_id = wanted.agency_id and e.id = wanted.id
    where e.run_id = wanted.run_id
  ),
  tally as (
    select
      held.agency_id, held.id, held.run_id, held.attempts,
      coalesce(bool_or(target.posting), false) as posting,
      coalesce(bool_or(target.accepted), false) as accepted,
      coalesce(bool_or(target.unknown), false) as unknown,
      coalesce(bool_or(target.missed), false) as missed,
      coalesce(bool_or(target.missed and target.subscribed), false) as reachable,
      coalesce(bool_or(target.subscribed and target.untried), false) as untried
    from held
    cross join lateral (
      select
        s.id is not null as subscribed,
        bool_or(d.state = 'posting') as posting,
        bool_or(d.state = 'accepted') as accepted,
        bool_or(d.state = 'unknown') as unknown,
        -- A subscription that went away before any attempt at it has missed nothing.
        case when count(d.id) = 0 then s.id is not null else bool_and(d.state = 'failed') end as missed,
        count(d.id) filter (where d.attempt = held.attempts or d.state <> 'failed') = 0 as untried
      from unnest(held.subscription_ids) as target (id)
      left join public.subscriptions s on s.agency_id = held.agency_id and s.id = target.id
      left join public.deliveries d
        on d.event_id = held.id and d.agency_id = held.agency_id and d.round = held.round and d.subscription_id = target.id
      group by target.id, s.id
    ) as target
    group by held.agency_id, held.id, held.run_id, held.attempts
  ),
  -- Computed once: the planner expects one row here and would compute it again for each event.
  verdict as materialized (
    select
      t.agency_id, t.id, t.run_id,
      case
        when t.untried and t.attempts < 3 then 'pending'
        when t.accepted or t.unknown or not t.reachable or t.attempts >= 3 then 'delivered'
        else 'pending'
      end as status,
      case
        when t.untried and t.attempts < 3 then null
        when t.unknown then 'outcome_unknown'
        when t.accepted and t.missed then 'some_targets_failed'
        when t.accepted then null
        when not t.reachable then 'no_subscription_left'
        when t.attempts >= 3 then 'attempts_spent'
        else 'every_target_failed'
      end as reason
    from tally t
    where not t.posting
  ),
  settled as (
    update public.events e
    set status = verdict.status,
        reason = verdict.reason,
        run_id = null,
        lease_until = null,
        available_at = case verdict.status when 'pending' then clock_timestamp() else e.available_at end,
        delivered_at = case verdict.status when 'delivered' then clock_timestamp() end
    from verdict
    where e.agency_id = verdict.agency_id and e.id = verdict.id and e.run_id = verdict.run_id
    returning e.status
  )
  select jsonb_build_object(
    'delivered', count(*) filter (where status = 'delivered'),
    'to_retry', count(*) filter (where status = 'pending'))
  from settled;
$$;
comment on function private.settle_events(uuid[], uuid[], uuid[]) is
  'Closes attempts at events that the given runs hold: delivered when every target accepted, when any accepted or may have, when no subscription is left, or when 3 attempts are spent; else pending again for the next run. An event with a POST under way is left alone. Returns {delivered, to_retry}.';

-- sql/50_events/signing_secrets.sql

create function private.signing_secret_name(agency_id uuid) returns text
language sql immutable set search_path = ''
as $$
  select 'signing_secret_' || agency_id;
$$;
comment on function private.signing_secret_name(uuid) is 'The name in Vault of the secret that signs the agency''s events.';

create function private.signing_secrets(agency_ids uuid[]) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_object_agg(a.id, s.decrypted_secret), '{}')
  from unnest(agency_ids) as a (id)
  join vault.decrypted_secrets s on s.name = private.signing_secret_name(a.id);
$$;
comment on function private.signing_secrets(uuid[]) is 'The agencies'' signing secrets, {agency_id: secret}; an agency without one is left out.';
grant execute on function private.signing_secrets(uuid[]) to service_role;

create function api.drain_signing_secrets(agency_ids uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select private.signing_secrets(agency_ids);
$$;
comment on function api.drain_signing_secrets(uuid[]) is 'For the drain: {agency_id: secret} of the agencies that have one. Service role only.';
grant execute on function api.drain_signing_secrets(uuid[]) to service_role;

-- sql/60_intake/01_intake_jobs.sql

create table public.intake_jobs (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  message_id uuid,
  screen_id uuid,
  attempts int not null default 0,
  available_at timestamptz not null default now(),
  claim_id uuid,
  last_error text,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, message_id) references public.messages (agency_id, id) on delete cascade,
  foreign key (agency_id, screen_id) references public.sanctions_screens (agency_id, id) on delete cascade,
  constraint has_one_subject check (num_nonnulls(message_id, screen_id) = 1),
  constraint attempts_are_limited check (attempts between 0 and 5),
  constraint claimed_after_an_attempt check (claim_id is null or attempts > 0),
  constraint last_error_is_short check (char_length(last_error) <= 1000)
);
-- In each agency's own order, so that a claim reads a few jobs of every agency, however many wait in one of them.
create index intake_messages_by_turn on public.intake_jobs (agency_id, available_at, id) where message_id is not null;
create index intake_screens_by_turn on public.intake_jobs (agency_id, available_at, id) where screen_id is not null;
create index intake_jobs_spent on public.intake_jobs (available_at) where attempts >= 5;
create index intake_jobs_by_claim on public.intake_jobs (claim_id) where claim_id is not null;
create unique index message_waits_once on public.intake_jobs (agency_id, message_id) where message_id is not null;
create unique index screen_waits_once on public.intake_jobs (agency_id, screen_id) where screen_id is not null;

comment on table public.intake_jobs is 'What waits for the intake: a message to qualify or a person to screen. The row goes when the work is done.';
comment on column public.intake_jobs.message_id is 'The message to qualify, or null.';
comment on column public.intake_jobs.screen_id is 'The sanctions screen to resolve, or null.';
comment on column public.intake_jobs.attempts is 'Attempts so far, counted when a run claims the job. At most 5.';
comment on column public.intake_jobs.available_at is 'Since when it may be claimed. A claim moves it past the end of the lease and a failure past the pause, so that a job whose run died comes back by itself.';
comment on column public.intake_jobs.claim_id is 'The claim that holds the job; only that claim may write its outcome.';
comment on column public.intake_jobs.last_error is 'Why the last attempt failed.';
comment on column public.intake_jobs.created_at is 'When the work was ordered.';

-- No grant goes with the policy: it is the intake's queue, and operators read it in Studio.
alter table public.intake_jobs enable row level security;
create policy select_own on public.intake_jobs for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create function private.call_intake(message_agency_ids uuid[], screen_agency_ids uuid[]) returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  agency_ids text := concat('messages of ', message_agency_ids, ', screens of ', screen_agency_ids);
  is_called boolean;
begin
  -- Once a transaction: the request goes out when it commits, and the run takes all that it queued. Nor is it looked up
  -- again whether a run is on its way to the same agencies; of the many leads of one statement each would read what the
  -- run has claimed since.
  if current_setting('corredor.intake_called', true) in ('true', agency_ids) then
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
    perform set_config('corredor.intake_called', agency_ids, true);
    return null;
  end if;
  perform set_config('corredor.intake_called', 'true', true);
  return private.call_function('intake');
end
$$;
comment on function private.call_intake(uuid[], uuid[]) is
  'Calls the intake for mail and screens of these agencies that this transaction is about to queue; the request goes out only if it commits. Returns the request''s id in pg_net; null when one is on its way already. What slips through is found by the minute job.';

-- For each statement, not for each row: a new list may start a hundred thousand screens at once.
create function private.tg_messages__queue_qualification() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.tg_messages__queue_qualification() is
  'Queues messages that are to be qualified, and has the intake called for them.';

create trigger _500_queue_qualification after insert on public.messages
  referencing new table as new_rows
  for each statement execute function private.tg_messages__queue_qualification();
create trigger _500_queue_qualification_again after update on public.messages
  referencing new table as new_rows
  for each statement execute function private.tg_messages__queue_qualification();

create function private.tg_sanctions_screens__queue() returns trigger
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.tg_sanctions_screens__queue() is
  'Queues sanctions screens that are to be resolved, and has the intake called for them.';

create trigger _500_queue after insert on public.sanctions_screens
  referencing new table as new_rows
  for each statement execute function private.tg_sanctions_screens__queue();
create trigger _500_queue_again after update on public.sanctions_screens
  referencing new table as new_rows
  for each statement execute function private.tg_sanctions_screens__queue();

-- sql/60_intake/claim.sql

create function private.intake_give_up() returns int
language plpgsql security definer set search_path = ''
as $$
declare
  given_up public.intake_jobs[];
begin
  with dead as (
    delete from public.intake_jobs j
    where (j.agency_id, j.id) in (
      select d.agency_id, d.id from public.intake_jobs d
      where d.attempts >= 5 and d.available_at <= clock_timestamp()
      for update skip locked)
    returning j as job
  )
  select array_agg(dead.job) into given_up from dead;

  update public.messages m set qualification_status = 'failed'
  from unnest(given_up) as job
  where m.agency_id = job.agency_id and m.id = job.message_id and m.qualification_status = 'pending';
  update public.sanctions_screens s
  set status = 'error', resolved_at = clock_timestamp(), error = coalesce(job.last_error, 'The screen ended before it had a result.')
  from unnest(given_up) as job
  where s.agency_id = job.agency_id and s.id = job.screen_id and s.status = 'pending';
  return coalesce(cardinality(given_up), 0);
end
$$;
comment on function private.intake_give_up() is
  'Ends jobs that had their 5 attempts and came back: the message is failed, the screen an error. Returns how many.';

create function private.intake_turns(kind text, max_jobs int)
returns table (agency_id uuid, id uuid, turn bigint, since timestamptz)
language plpgsql
security definer
set search_path = ''
-- The queue is empty most of the time, and what was planned then would read all of it when it is long.
set enable_seqscan = off set enable_bitmapscan = off
as $$
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
$$;
comment on function private.intake_turns(text, int) is
  'The first jobs of one kind, message or screen, of every agency for which some wait: which turn each has in its agency, and since when it waits.';

create function private.intake_claim(max_jobs int, kind text default null) returns jsonb
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.intake_claim(int, text) is
  'Claims up to max_jobs of one kind (message, screen) or of both for 200 s, turn by turn over agencies, and counts the attempt. Returns {claim_id, jobs: [{agency_id, id, attempt, message: {subject, body} or null, person: {name, birth_date, country} or null}]}.';
grant execute on function private.intake_claim(int, text) to service_role;

create function api.intake_claim(max_jobs int, kind text default null) returns jsonb
language sql set search_path = ''
as $$
  select private.intake_claim(max_jobs, kind);
$$;
comment on function api.intake_claim(int, text) is 'For the intake: claims jobs, of both kinds or of one, message or screen, and returns them with what they are about. Service role only.';
grant execute on function api.intake_claim(int, text) to service_role;

-- sql/60_intake/hand_over.sql

create function private.intake_release(claim_id uuid, job_ids uuid[]) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  released int;
begin
  update public.intake_jobs j
  -- Back to its old place: what has waited longest is next.
  set attempts = j.attempts - 1, claim_id = null, available_at = j.created_at
  where j.claim_id = intake_release.claim_id and j.id = any (job_ids);
  get diagnostics released = row_count;
  return released;
end
$$;
comment on function private.intake_release(uuid, uuid[]) is
  'Gives back jobs that a run claimed and did not begin: it costs no attempt, and another run may take them at once. Returns how many.';
grant execute on function private.intake_release(uuid, uuid[]) to service_role;

create function api.intake_release(claim_id uuid, job_ids uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_release(claim_id, job_ids));
$$;
comment on function api.intake_release(uuid, uuid[]) is 'For the intake: gives back jobs that were not begun. Service role only.';
grant execute on function api.intake_release(uuid, uuid[]) to service_role;

create function private.intake_continue() returns boolean
language sql security definer set search_path = ''
as $$
  select private.kick_intake() is not null;
$$;
comment on function private.intake_continue() is
  'For a run whose worker has given what it had: calls the intake again if jobs wait. Returns whether it called.';
grant execute on function private.intake_continue() to service_role;

create function api.intake_continue() returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_continue());
$$;
comment on function api.intake_continue() is 'For the intake: has it called again if jobs wait. Service role only.';
grant execute on function api.intake_continue() to service_role;

-- sql/60_intake/qualified.sql

create function private.fill_lead(agency_id uuid, lead_id uuid, result jsonb) returns text[]
language plpgsql set search_path = ''
as $$
declare
  before public.leads;
  after public.leads;
begin
  -- Held, so that what a person sets at the same moment is seen and stays.
  select l.* into before from public.leads l
  where l.agency_id = fill_lead.agency_id and l.id = fill_lead.lead_id for no key update;

  update public.leads l set
    temperature = coalesce(l.temperature, result ->> 'temperature'),
    intent = coalesce(nullif(btrim(l.intent), ''), result ->> 'intent'),
    budget_max = coalesce(l.budget_max, (result ->> 'budget_max')::numeric),
    bedrooms_min = coalesce(l.bedrooms_min, (result ->> 'bedrooms_min')::int),
    zone = coalesce(l.zone, result ->> 'zone'),
    language = coalesce(l.language, result ->> 'language'),
    urgency = coalesce(l.urgency, result ->> 'urgency'),
    summary = coalesce(l.summary, result ->> 'summary')
  where l.agency_id = fill_lead.agency_id and l.id = fill_lead.lead_id
  returning * into after;

  return array(
    select f.key from jsonb_each(to_jsonb(after)) f
    where f.key in ('temperature', 'intent', 'budget_max', 'bedrooms_min', 'zone', 'language', 'urgency', 'summary')
      and f.value is distinct from to_jsonb(before) -> f.key
    order by f.key);
end
$$;
comment on function private.fill_lead(uuid, uuid, jsonb) is
  'Fills the blanks of a lead with what was read from a message, and nothing else. Returns the columns it filled.';

create function private.intake_qualified(claim_id uuid, job_id uuid, qualification jsonb) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  job public.intake_jobs;
  message public.messages;
  is_done boolean := qualification ->> 'status' = 'done';
begin
  select j.* into job from public.intake_jobs j
  where j.id = intake_qualified.job_id and j.claim_id = intake_qualified.claim_id and j.message_id is not null
  for update;
  if job.id is null then
    return false;
  end if;
  select m.* into message from public.messages m where m.agency_id = job.agency_id and m.id = job.message_id;

  insert into public.qualifications (
    agency_id, lead_id, message_id, status, qualifier, version, result, filled, error, answer, duration_ms)
  values (
    job.agency_id, message.lead_id, message.id,
    qualification ->> 'status',
    qualification ->> 'qualifier',
    qualification ->> 'version',
    case when is_done then qualification -> 'result' end,
    case when is_done then private.fill_lead(job.agency_id, message.lead_id, qualification -> 'result') else '{}' end,
    left(qualification ->> 'error', 1000),
    left(qualification ->> 'answer', 4000),
    (qualification ->> 'duration_ms')::int);

  if is_done then
    update public.messages m set qualification_status = 'done' where m.agency_id = job.agency_id and m.id = job.message_id;
    delete from public.intake_jobs j where j.agency_id = job.agency_id and j.id = job.id;
  else
    perform private.intake_retry(claim_id, job_id, qualification ->> 'error');
  end if;
  return true;
end
$$;
comment on function private.intake_qualified(uuid, uuid, jsonb) is
  'Records one attempt at a message, {status, qualifier, version, result, error, answer, duration_ms}. Done fills the lead''s blanks and ends the job; refused and failed give it back. False when the claim no longer holds the job: then nothing is written.';
grant execute on function private.intake_qualified(uuid, uuid, jsonb) to service_role;

create function api.intake_qualified(claim_id uuid, job_id uuid, qualification jsonb) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_qualified(claim_id, job_id, qualification));
$$;
comment on function api.intake_qualified(uuid, uuid, jsonb) is 'For the intake: records what a qualifier read, or why it did not. Service role only.';
grant execute on function api.intake_qualified(uuid, uuid, jsonb) to service_role;

-- sql/60_intake/retry.sql

create function private.intake_retry(claim_id uuid, job_id uuid, error text) returns boolean
language plpgsql security definer set search_path = ''
as $$
begin
  update public.intake_jobs j
  set claim_id = null,
      last_error = left(intake_retry.error, 1000),
      -- 30 s, 1, 2, 4 minutes: a provider's bad moment, not its bad day. After the last attempt nothing is waited for.
      available_at = clock_timestamp() + case when j.attempts < 5 then interval '15 seconds' * 2 ^ j.attempts else '0' end
  where j.id = intake_retry.job_id and j.claim_id = intake_retry.claim_id;
  return found;
end
$$;
comment on function private.intake_retry(uuid, uuid, text) is
  'Gives a claimed job back after a failure, to be tried again after a pause that doubles. False when the claim no longer holds it.';
grant execute on function private.intake_retry(uuid, uuid, text) to service_role;

create function api.intake_retry(claim_id uuid, job_id uuid, error text) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_retry(claim_id, job_id, error));
$$;
comment on function api.intake_retry(uuid, uuid, text) is 'For the intake: gives a job back to be tried later. Service role only.';
grant execute on function api.intake_retry(uuid, uuid, text) to service_role;

-- sql/60_intake/sanctions/01_sanctions_entries.sql

create table public.sanctions_entries (
  id text primary key,
  schema text not null,
  name text not null,
  aliases text[] not null default '{}',
  birth_dates text[] not null default '{}',
  countries text[] not null default '{}',
  sanctions text,
  datasets text[] not null default '{}',
  first_seen timestamptz,
  last_seen timestamptz,
  changed_at timestamptz not null default now(),
  constraint id_is_short check (btrim(id) <> '' and char_length(id) <= 255),
  constraint name_is_not_blank check (btrim(name) <> '')
);

comment on table public.sanctions_entries is 'People and organisations on sanctions lists: one list for all agencies, loaded by `npm run sanctions:load`. For operators.';
comment on column public.sanctions_entries.id is 'Identifier in OpenSanctions, for example NK-… or Q….';
comment on column public.sanctions_entries.schema is 'What it is: Person, LegalEntity, Organization, Company or PublicBody.';
comment on column public.sanctions_entries.name is 'The main name.';
comment on column public.sanctions_entries.aliases is 'Other names and spellings.';
comment on column public.sanctions_entries.birth_dates is 'Known birth dates: a year, a month or a day each.';
comment on column public.sanctions_entries.countries is 'ISO 3166-1 alpha-2 codes of countries it belongs to, lower case.';
comment on column public.sanctions_entries.sanctions is 'The programmes and lists that name it.';
comment on column public.sanctions_entries.datasets is 'The sources that name it.';
comment on column public.sanctions_entries.first_seen is 'When the list first named it.';
comment on column public.sanctions_entries.last_seen is 'When the list last named it.';
comment on column public.sanctions_entries.changed_at is 'When a load last added or changed it here.';

-- No policy and no grant: no caller sees it.
alter table public.sanctions_entries enable row level security;

create table public.sanctions_names (
  name text not null,
  entry_id text not null references public.sanctions_entries (id) on delete cascade,
  words text[] not null default '{}',
  primary key (name, entry_id),
  constraint name_is_normal check (name <> '' and name = btrim(name))
);
create index sanctions_names_by_entry on public.sanctions_names (entry_id);
create index sanctions_names_by_words on public.sanctions_names using gin (words);

comment on table public.sanctions_names is 'Each name of each entry as names are compared (private.name_words). Kept by the load.';
comment on column public.sanctions_names.name is 'The name romanised, without case, accents and punctuation.';
comment on column public.sanctions_names.words is 'Its words without particles and titles.';
comment on column public.sanctions_names.entry_id is 'The entry that has the name, as in sanctions_entries.id.';

-- No policy and no grant: no caller sees it.
alter table public.sanctions_names enable row level security;

-- Spellings are compared word by word: a list has millions of names, but few words. Trigrams of whole names are so
-- common that an index of them takes a quarter of a second.
create table public.sanctions_words (
  word text primary key,
  sounds text[] not null default '{}',
  keys text[] not null default '{}'
);
create index sanctions_words_by_key on public.sanctions_words using gin (keys);
create index sanctions_words_by_trigram on public.sanctions_words using gin (word extensions.gin_trgm_ops);

comment on table public.sanctions_words is 'Every word that a name on the list has, to find its other spellings by. Kept by the load.';
comment on column public.sanctions_words.word is 'The word, romanised, without case, accents and punctuation.';
comment on column public.sanctions_words.sounds is 'How it may sound (private.word_sounds).';
comment on column public.sanctions_words.keys is 'What these sounds are looked up by (private.sound_keys).';

-- No policy and no grant: no caller sees it.
alter table public.sanctions_words enable row level security;

create table public.sanctions_loads (
  id uuid primary key default gen_random_uuid(),
  loaded_at timestamptz not null default clock_timestamp(),
  file_name text not null,
  entries int not null,
  added int not null,
  changed int not null,
  removed int not null,
  screens_started int not null
);
create index sanctions_loads_newest on public.sanctions_loads (loaded_at desc);

comment on table public.sanctions_loads is 'Each load of the sanctions list and what it changed. For operators.';
comment on column public.sanctions_loads.loaded_at is 'When the list was swapped.';
comment on column public.sanctions_loads.file_name is 'The file it came from.';
comment on column public.sanctions_loads.entries is 'Entries of the list as it then was.';
comment on column public.sanctions_loads.added is 'Entries that were new.';
comment on column public.sanctions_loads.changed is 'Entries that differed from before.';
comment on column public.sanctions_loads.removed is 'Entries that were no longer named.';
comment on column public.sanctions_loads.screens_started is 'Screens started again because the change may change their result.';

-- No policy and no grant: no caller sees it.
alter table public.sanctions_loads enable row level security;

-- sql/60_intake/sanctions/name_score.sql

create function private.word_score(a text, b text) returns real
language plpgsql immutable set search_path = ''
as $$
begin
  if a = b then
    return 1;
  end if;
  -- Letters that are another (Khalid, Khaled) tell more of one short word than its trigrams do.
  return 1 - extensions.levenshtein(left(a, 100), left(b, 100))::real / greatest(length(a), length(b), 1);
end
$$;
comment on function private.word_score(text, text) is 'How much two words may be spellings of one, 0 to 1: the share of letters that need no change.';

create function private.word_threshold() returns real
language sql immutable set search_path = ''
as $$
  select 0.7::real;
$$;
comment on function private.word_threshold() is 'From this score on, a word counts as a spelling of another.';

create function private.name_score(a text, b text) returns real
language plpgsql immutable set search_path = ''
as $$
declare
  shorter text[] := string_to_array(a, ' ');
  longer text[] := string_to_array(b, ' ');
  swapped text[];
  total real := 0;
  best real;
  word text;
begin
  if cardinality(shorter) > cardinality(longer) then
    swapped := shorter;
    shorter := longer;
    longer := swapped;
  end if;
  foreach word in array shorter loop
    select max(private.word_score(word, w)) into best from unnest(longer) w;
    -- One surname that is nobody's in the other name makes two people, however long the rest.
    if best < private.word_threshold() then
      return least(extensions.similarity(a, b), 0.5);
    end if;
    total := total + best;
  end loop;
  -- "Juan García" may be "Juan García López"; a single word may be anybody.
  return total / cardinality(shorter) * case
    when cardinality(shorter) = cardinality(longer) then 1
    when cardinality(shorter) = 1 then 0.5
    else 0.85 end;
end
$$;
comment on function private.name_score(text, text) is
  'How much two names (of private.screening_name) may be one person''s, 0 to 1, whatever the order of their words: each word of the shorter name must have a counterpart in the other.';

create function private.person_score(
  names real,
  birth_date date,
  country text,
  entry_birth_dates text[],
  entry_countries text[]
) returns real
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.person_score(real, date, text, text[], text[]) is
  'The score of a name, lowered when birth year or country are known on both sides and differ, the year by more than one.';

-- sql/60_intake/sanctions/resolution.sql

create function private.tg_sanctions_screens__resolution() returns trigger
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.tg_sanctions_screens__resolution() is
  'A person resolves a possible match, here or in Studio: with a reason, noted with author and time. Refuses with resolution_reason_required, no_possible_match, screened_since, resolution_stays.';

create trigger _100_resolution before update of resolution, resolution_reason on public.sanctions_screens
  for each row execute function private.tg_sanctions_screens__resolution();

-- sql/60_intake/sanctions/resolve_screen.sql

create function private.tg_sanctions_screens__name() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  -- Kept with the screen: the lead may have another name before the screen is resolved. As definer, because the policy
  -- of leads would look the caller up once more; that of screens refuses a row of another agency.
  select l.full_name into new.screened_name from public.leads l where l.agency_id = new.agency_id and l.id = new.lead_id;
  return new;
end
$$;
comment on function private.tg_sanctions_screens__name() is 'A screen keeps the name that it is to screen.';

create trigger _100_name before insert on public.sanctions_screens
  for each row execute function private.tg_sanctions_screens__name();

create function private.same_name(a text, b text) returns boolean
language plpgsql immutable set search_path = ''
as $$
declare
  words_a text[] := private.plain_words(a);
  words_b text[] := private.plain_words(b);
begin
  -- Not merely compatible: "Khalid Mansour" may be the brother of "Khalid Mansour al-Derbani".
  return words_a <@ words_b and words_b <@ words_a and cardinality(words_a) = cardinality(words_b);
end
$$;
comment on function private.same_name(text, text) is
  'Whether two names are the same words, in whatever order. Only then what is known of one person counts for a lead of the other name.';
grant execute on function private.same_name(text, text) to anon, authenticated;

create function private.screened_person(screen public.sanctions_screens, out name text, out birth_date date, out country text)
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.screened_person(public.sanctions_screens) is
  'Whom a screen is about: the name, with birth date and nationality of the contact where that has the same name.';
grant execute on function private.screened_person(public.sanctions_screens) to anon, authenticated;

create function private.cleared_entries(agency_id uuid, contact_id uuid, name text) returns jsonb
language sql stable set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', e.entry ->> 'id', 'listed_at', e.entry ->> 'listed_at', 'cleared_at', s.resolution_at)), '[]')
  from public.sanctions_screens s
  cross join lateral private.screened_person(s) as person
  cross join lateral jsonb_array_elements(s.entries) as e (entry)
  where s.agency_id = cleared_entries.agency_id and s.contact_id = cleared_entries.contact_id and s.resolution = 'cleared'
    and private.same_name(coalesce(e.entry #>> '{found_by,name}', person.name), cleared_entries.name);
$$;
comment on function private.cleared_entries(uuid, uuid, text) is
  'The entries that a person of the agency said are somebody else than the contact under that name, [{id, listed_at, cleared_at}]: the entry as the list had it then.';

create function private.result_counts(screen public.sanctions_screens) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  -- By the time of the result: of two screens that ran at once, the later one has taken over what the other found.
  return not exists (
    select from public.sanctions_screens later
    where later.agency_id = screen.agency_id and later.lead_id = screen.lead_id
      and later.status in ('clear', 'possible_match') and later.resolved_at > screen.resolved_at);
end
$$;
comment on function private.result_counts(public.sanctions_screens) is
  'Whether no later screen of the lead has a result. A screen that waits or failed has none, so a match stands meanwhile.';
grant execute on function private.result_counts(public.sanctions_screens) to anon, authenticated;

create function private.standing_match(agency_id uuid, lead_id uuid) returns public.sanctions_screens
language plpgsql stable set search_path = ''
as $$
declare
  standing public.sanctions_screens;
begin
  select s.* into standing from public.sanctions_screens s
  where s.agency_id = standing_match.agency_id and s.lead_id = standing_match.lead_id and s.status = 'possible_match'
    and private.result_counts(s);
  return standing;
end
$$;
comment on function private.standing_match(uuid, uuid) is 'The possible or confirmed match of a lead that counts now, or null.';

create function private.sanctions_status(agency_id uuid, lead_id uuid) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select s.status from public.sanctions_screens s
    where s.agency_id = sanctions_status.agency_id and s.lead_id = sanctions_status.lead_id
    order by s.status = 'possible_match' and private.result_counts(s) desc, s.status = 'pending' desc, s.created_at desc
    limit 1);
end
$$;
comment on function private.sanctions_status(uuid, uuid) is
  'The sanctions status of a lead: a match that nobody cleared stands, whatever is screened since; else that of the latest screen.';

create function private.asked_with(screen public.sanctions_screens) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return jsonb_build_object(
    'source', screen.source, 'name', screen.screened_name, 'birth_date', screen.birth_date, 'country', screen.country);
end
$$;
comment on function private.asked_with(public.sanctions_screens) is 'What a resolved screen asked, and whom: {source, name, birth_date, country}.';

create function private.still_found(entry jsonb, asked jsonb, asked_now jsonb, cleared jsonb) returns boolean
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.still_found(jsonb, jsonb, jsonb, jsonb) is
  'Whether an entry that an earlier screen found stays a possible match although the present one did not find it: the list still has it for the name it was found by, and nobody cleared it under that name.';

create function private.resolve_screen(screen public.sanctions_screens, source text, entries jsonb) returns void
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.resolve_screen(public.sanctions_screens, text, jsonb) is
  'Writes the result of a screen: possible_match with the entries that reach the threshold (a service has judged its own already) and those that an earlier screen of the lead found and that still stand, else clear. What a person confirmed stays confirmed when nothing else is found.';

-- sql/60_intake/sanctions/screen_again.sql

create function private.tg_leads__screen_again() returns trigger
language plpgsql set search_path = ''
as $$
begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (new.agency_id, new.id, new.contact_id);
  return null;
end
$$;
comment on function private.tg_leads__screen_again() is 'A lead that gets another name is screened again under it.';

create trigger _500_screen_again after update of full_name on public.leads
  for each row when (private.screening_name(new.full_name) <> private.screening_name(old.full_name))
  execute function private.tg_leads__screen_again();
grant execute on function private.screening_name(text) to anon, authenticated;

create function private.screen_contacts_again(agency_id uuid, contact_ids uuid[]) returns void
language plpgsql set search_path = ''
as $$
begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id from public.leads l
  where l.agency_id = screen_contacts_again.agency_id and l.contact_id = any (contact_ids) and l.archived_at is null;
end
$$;
comment on function private.screen_contacts_again(uuid, uuid[]) is
  'Starts a screen for each lead of these contacts that is not archived, because what is known of the person changed.';

create function private.tg_contacts__screen_again() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.screen_contacts_again(new.agency_id, array[new.id]);
  return null;
end
$$;
comment on function private.tg_contacts__screen_again() is
  'A birth date or nationality that becomes known or changes may make another person of a contact, so their leads are screened again.';

create trigger _500_screen_again after update of birth_date, nationality on public.contacts
  for each row when ((new.birth_date, new.nationality) is distinct from (old.birth_date, old.nationality))
  execute function private.tg_contacts__screen_again();

create function private.identities_differ(a public.contacts, b public.contacts) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  return (a.birth_date, a.nationality) is distinct from (b.birth_date, b.nationality)
    or not private.same_name(a.full_name, b.full_name)
    or exists (
      select from public.sanctions_screens s
      where s.agency_id = a.agency_id and s.contact_id in (a.id, b.id) and s.resolution = 'cleared');
end
$$;
comment on function private.identities_differ(public.contacts, public.contacts) is
  'Whether a lead may screen otherwise under one contact than under the other: by name, birth date, nationality or what a person cleared.';

-- sql/60_intake/sanctions/screen_person.sql

create function private.sanctions_threshold() returns real
language sql immutable set search_path = ''
as $$
  select 0.7::real;
$$;
comment on function private.sanctions_threshold() is 'From this score on, a sanctions entry may be the person.';

create function private.word_cuts(word text, sounds text[], by_sound boolean)
returns table (split int, half int, words text[], keys text[])
language plpgsql immutable rows 20 set search_path = ''
as $$
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
$$;
comment on function private.word_cuts(text, text[], boolean) is
  'The ways to take a word for two, each with its halves 1 and 2 as they are looked up: by words or by keys of private.sound_keys. Splits from 100 on are by sound.';

create function private.word_spellings(words text[])
returns table (first int, last int, split int, half int, word text, score real)
language plpgsql stable rows 50 set search_path = ''
as $$
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
$$;
comment on function private.word_spellings(text[]) is
  'The words of the sanctions list that may be spellings of these, with a score: of one (from first to last the same), of two written as one, or (split from 1 on) of the halves 1 and 2 of one.';

create function private.score_names(
  names public.sanctions_names[],
  words text[],
  first int[], last int[], split int[], half int[], word text[], spelling_score real[]
) returns table (entry_id text, name text, score real)
language plpgsql stable rows 20 set search_path = ''
as $$
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
$$;
comment on function private.score_names(public.sanctions_names[], text[], int[], int[], int[], int[], text[], real[]) is
  'How much listed names may be that of some words, 0 to 1, by the spellings of private.word_spellings: all words of one of the two must have a counterpart in the other, in whatever order, or be its initial; where the asked name has more words, a near one.';

create function private.screen_person(person_name text, birth_date date default null, country text default null)
returns table (entry_id text, matched_name text, score real)
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.screen_person(text, date, text) is
  'The sanctions entries that a name comes near, each with its best name and its score; those from private.sanctions_threshold() on may be the person.';

create function private.screen_entries(person_name text, birth_date date, country text, cleared jsonb) returns jsonb
language sql stable set search_path = ''
as $$
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
$$;
comment on function private.screen_entries(text, date, text, jsonb) is
  'The 20 entries that come nearest to a person, best first, without those that were cleared, [{id, listed_at, cleared_at}], and have not changed since.';

-- sql/60_intake/sanctions/screened_words.sql

-- One rule in the database for the list and for leads, wherever they come from: what is romanised otherwise on one side
-- is never found.
create function private.romanised(name text) returns text
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.romanised(text) is
  'A lower-case name of Greek, Cyrillic, Georgian or Armenian letters in Latin ones. Arabic and Hebrew stay, since they leave out what a Latin spelling would need.';

create function private.name_words(name text) returns text[]
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.name_words(text) is
  'The words of a name as screening compares them: romanised, without case, accents, apostrophes, Arabic vowel marks and doubled spellings of a letter; joined words with a capital inside are split.';

create function private.telling_words(words text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.telling_words(text[]) is 'The words of a name without titles and particles, each once; all of them when fewer than two would be left.';

-- sql/60_intake/sanctions/swap_sanctions_list.sql

create function private.open_sanctions_list() returns void
language plpgsql set search_path = ''
as $$
begin
  -- One load at a time: the second one waits and then finds what the first one left.
  perform pg_advisory_xact_lock(hashtextextended('sanctions_list', 0));
  create temporary table sanctions_incoming (like public.sanctions_entries including defaults including constraints)
    on commit drop;
end
$$;
comment on function private.open_sanctions_list() is
  'Begins a load in the caller''s transaction: makes the temporary table sanctions_incoming, to be filled with the whole list, and keeps other loads waiting.';

create function private.start_screens_again() returns int
language plpgsql set search_path = ''
as $$
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
  -- Joined, because looked up for each lead the words of a large list would cost leads times words.
  hits as materialized (
    select l.agency_id, l.id, sum(case when char_length(w.word) = 1 then 1 else h.words end) as words
    from lead l
    cross join lateral unnest(l.words) as w (word)
    left join (select h.word, max(h.words) as words from hit h group by h.word) h on h.word = w.word
    group by l.agency_id, l.id
  ),
  named as materialized (
    select distinct s.agency_id, s.lead_id
    from public.sanctions_screens s
    cross join lateral jsonb_array_elements(s.entries) e
    join pg_temp.sanctions_touched t on t.id = e ->> 'id'
    where s.entries <> '[]' and private.result_counts(s)
  )
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id
  from lead l
  left join named n on n.agency_id = l.agency_id and n.lead_id = l.id
  left join hits h on h.agency_id = l.agency_id and h.id = l.id
  where n.lead_id is not null
    or coalesce(h.words, 0) >= least(2, cardinality(l.words))
    or exists (
      select
      from generate_series(1, cardinality(l.words) - 1) n
      join word a on a.word = l.words[n]
      join word b on b.word = l.words[n + 1]
      join changed_key c on c.key = private.sound_key(a.sounds[1] || b.sounds[1]));
  get diagnostics started = row_count;
  return started;
end
$$;
comment on function private.start_screens_again() is
  'Starts a screen again for each lead that a load may change: two words of its name (or its only one, or one that is two, or two that are one) are spelled or sound like words of names that were added or changed, or its match named an entry that was changed or removed. Reads the temporary tables of private.swap_sanctions_list.';

create function private.list_sanctions_names(entry_ids text[] default null) returns void
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.list_sanctions_names(text[]) is
  'Writes the names of these entries, or of all, with the words to find them by. They are in the temporary table sanctions_changed_names then.';

create function private.list_sanctions_names_again() returns void
language plpgsql set search_path = ''
as $$
begin
  delete from public.sanctions_names where true;
  delete from public.sanctions_words where true;
  perform private.list_sanctions_names();
  drop table pg_temp.sanctions_changed_names;
end
$$;
comment on function private.list_sanctions_names_again() is
  'Writes the names of a list that is there as they are compared now. For a migration that changes how.';

create function private.swap_sanctions_list(file_name text) returns public.sanctions_loads
language plpgsql set search_path = ''
as $$
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
$$;
comment on function private.swap_sanctions_list(text) is
  'Makes the list what the temporary table sanctions_incoming says, in the caller''s transaction: only rows that differ are written, so screens go on with the old list until the commit. Starts the screens again that the change may change. Returns the row of public.sanctions_loads.';

-- sql/60_intake/sanctions/word_sounds.sql

-- How a word sounds, however a language spells it: consonants as P B F T D K G S C L M N R (C: sh, ch, zh, dzh), vowels
-- as A E O. A letter that languages read in different ways gives one sound for each (a Spanish j is a kh, an English one
-- a dzh, a German one a y), so a word has a few.
create function private.each_way(forms text[], letters text, ways text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
begin
  if forms[1] !~ letters then
    return forms;
  end if;
  return array(
    select distinct regexp_replace(f.form, letters, w.way, 'g') from unnest(forms) as f (form), unnest(ways) as w (way));
end
$$;
comment on function private.each_way(text[], text, text[]) is 'The forms of a word with some letters read in each of several ways.';

create function private.arabic_sounds(word text) returns text[]
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.arabic_sounds(text) is 'The sounds of a word of Arabic or Hebrew letters: its consonants.';

create function private.same_name_otherwise(word text) returns text[]
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.same_name_otherwise(text) is 'Another spelling of a frequent name, as an array of one or none.';

create function private.word_sounds(word text) returns text[]
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.word_sounds(text) is 'The sounds that a word of private.name_words may have, read as different languages spell.';

create function private.sound_key(sounds text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return regexp_replace(translate(sounds, 'BFDGCAEO', 'PPTKS'), '([^ ])\1+', '\1', 'g');
end
$$;
comment on function private.sound_key(text) is 'What is left of a sound, or of several with blanks between, when only kinds of consonants count.';

create function private.sound_keys(sounds text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.sound_keys(text[]) is
  'What a listed word is found by: the consonants of each sound, of a short one its vowels too, of one without vowels its consonants with a # before; and each sound itself with a = before.';

create function private.wanted_keys(sounds text[]) returns text[]
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.wanted_keys(text[]) is 'By which of private.sound_keys the listed words are found that may sound like a word.';

create function private.sound_score(a text[], b text[]) returns real
language plpgsql immutable set search_path = ''
as $$
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
$$;
comment on function private.sound_score(text[], text[]) is 'How much two words sound alike, 0 to 1, by the two of their sounds that come nearest.';

-- sql/60_intake/screened.sql

create function private.intake_screen(claim_id uuid, job_ids uuid[]) returns int
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.intake_screen(uuid, uuid[]) is
  'Resolves the screens of those jobs that the claim still holds against the list in the database. Returns how many.';
grant execute on function private.intake_screen(uuid, uuid[]) to service_role;

create function api.intake_screen(claim_id uuid, job_ids uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_screen(claim_id, job_ids));
$$;
comment on function api.intake_screen(uuid, uuid[]) is 'For the intake: resolves screens against the list in the database. Service role only.';
grant execute on function api.intake_screen(uuid, uuid[]) to service_role;

create function private.intake_screened(claim_id uuid, job_id uuid, source text, entries jsonb) returns boolean
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function private.intake_screened(uuid, uuid, text, jsonb) is
  'Resolves one screen with the entries that a match service takes for the person. False when the claim no longer holds the job: then nothing is written.';
grant execute on function private.intake_screened(uuid, uuid, text, jsonb) to service_role;

create function api.intake_screened(claim_id uuid, job_id uuid, source text, entries jsonb) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.intake_screened(claim_id, job_id, source, entries));
$$;
comment on function api.intake_screened(uuid, uuid, text, jsonb) is 'For the intake: resolves a screen with what a match service found. Service role only.';
grant execute on function api.intake_screened(uuid, uuid, text, jsonb) to service_role;

-- sql/70_api/agents.sql

create function api.list_agents(active boolean default null, page_limit int default null, page_cursor text default null)
returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize();
  return private.list_page('agent', 'created_at', jsonb_build_object('active', active), page_limit, page_cursor);
end
$$;
comment on function api.list_agents(boolean, int, text) is
  'The agency''s agents, newest first: {data, next_cursor}. Any valid credential.';
grant execute on function api.list_agents(boolean, int, text) to anon, authenticated;

create function api.get_agent(agent_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('agent', agent_id);
end
$$;
comment on function api.get_agent(uuid) is 'One agent, active or not. Any valid credential. Errors: not_found.';
grant execute on function api.get_agent(uuid) to anon, authenticated;

-- sql/70_api/documents.sql

create function api.list_documents(
  operation_id uuid default null,
  lead_id uuid default null,
  property_id uuid default null,
  kind text default null,
  status text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('documents:read');
  perform private.check_request(jsonb_build_object('kind', kind, 'status', status), '{
    "properties": {
      "kind": {"type": "string", "enum": ["viewing_sheet", "identity", "mandate", "reservation", "contract", "deed",
        "deposit_receipt", "land_registry_note", "energy_certificate", "proof_of_income", "other"], "nullable": true},
      "status": {"type": "string", "enum": ["requested", "received", "verified", "rejected"], "nullable": true}
    }}', 'query');
  return private.list_page('document', 'created_at', jsonb_build_object(
    'operation_id', operation_id,
    'lead_id', lead_id,
    'property_id', property_id,
    'kind', kind,
    'status', status), page_limit, page_cursor);
end
$$;
comment on function api.list_documents(uuid, uuid, uuid, text, text, int, text) is
  'The agency''s documents, newest first: {data, next_cursor}. Permission documents:read.';
grant execute on function api.list_documents(uuid, uuid, uuid, text, text, int, text) to anon, authenticated;

create function api.get_document(document_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('document', document_id);
end
$$;
comment on function api.get_document(uuid) is 'One document. Permission documents:read. Errors: not_found.';
grant execute on function api.get_document(uuid) to anon, authenticated;

create function api.create_document(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:write');
  answer jsonb := private.replay('create_document', idempotency_key, private.check_request(body, '{
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
    perform private.refuse_request_member('size_bytes', 'is required with content_type');
  end if;
  if body ->> 'size_bytes' is not null and body ->> 'content_type' is null then
    perform private.refuse_request_member('content_type', 'is required with size_bytes');
  end if;
  if answer is not null then
    return answer;
  end if;
  perform private.refuse_unknown_references(caller.agency_id, body, 'operation_id', 'lead_id', 'property_id');

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
$$;
comment on function api.create_document(jsonb, text) is
  'Asks for a document {kind, name?, operation_id?, lead_id?, property_id?}, and announces its file {content_type, size_bytes}. Answers {document, storage_path}, the path null without a file. Permission documents:write. Errors: unknown_reference, idempotency_key_reused.';
grant execute on function api.create_document(jsonb, text) to anon, authenticated;

create function private.document_upload_json(document public.documents) returns jsonb
language sql stable set search_path = ''
as $$
  select jsonb_build_object('document', private.document_json(document), 'storage_path', document.storage_path);
$$;
comment on function private.document_upload_json(public.documents) is
  'A document with the place of its file, for the function that has Storage sign the upload.';
grant execute on function private.document_upload_json(public.documents) to anon, authenticated;

create function api.create_document_upload(document_id uuid, body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:write');
  answer jsonb := private.replay('create_document_upload ' || document_id, idempotency_key, private.check_request(body, '{
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
      perform private.raise_error(409, 'conflict', 'The document already has its file.');
    end if;
    perform private.refuse_missing('document');
  end if;
  return private.answer(idempotency_key, 201, private.document_upload_json(document));
end
$$;
comment on function api.create_document_upload(uuid, jsonb, text) is
  'Announces the file of a document {content_type, size_bytes}, also another one than before, as long as none arrived. Answers {document, storage_path}. Permission documents:write. Errors: not_found, conflict, idempotency_key_reused.';
grant execute on function api.create_document_upload(uuid, jsonb, text) to anon, authenticated;

create function api.update_document(document_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:write');
  document public.documents;
begin
  perform private.check_request(patch, '{
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
    perform private.refuse_missing('document');
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
$$;
comment on function api.update_document(uuid, jsonb) is
  'Says how far a document is {status}: received (of itself when its file is announced and arrives), then verified or rejected; never back. Permission documents:write. Errors: not_found, nothing_to_change, invalid_transition.';
grant execute on function api.update_document(uuid, jsonb) to anon, authenticated;

create function api.get_document_file(document_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('documents:read');
  document public.documents;
begin
  select d.* into document from public.documents d
  where d.agency_id = caller.agency_id and d.id = document_id;
  if document.id is null then
    perform private.refuse_missing('document');
  end if;
  if document.uploaded_at is null then
    perform private.raise_error(404, 'not_found', 'The document has no file yet.');
  end if;
  return jsonb_build_object('storage_path', document.storage_path);
end
$$;
comment on function api.get_document_file(uuid) is
  'Where the file of a document is {storage_path}, for the function that has Storage sign its download. Permission documents:read. Errors: not_found.';
grant execute on function api.get_document_file(uuid) to anon, authenticated;

-- sql/70_api/flows.sql

create function api.list_flows() returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize();
  return jsonb_build_object('data', (
    select jsonb_agg(jsonb_build_object(
      'id', f.id,
      'label', f.label,
      'operation_type', f.operation_type,
      'stages', (
        select jsonb_agg(jsonb_build_object(
          'id', s.id,
          'label', s.label,
          'position', case when s.outcome is null then s.position end,
          'is_terminal', s.outcome is not null,
          'outcome', s.outcome,
          'gate_steps', (
            select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'label', g.label) order by g.position), '[]')
            from public.gate_steps g where g.flow = f.id and g.stage = s.id)
        ) order by s.position)
        from public.stages s where s.flow = f.id)
    ) order by f.id)
    from public.flows f));
end
$$;
comment on function api.list_flows() is
  'Each flow with its stages in order and their gate steps: {data: […]}. Any valid credential.';
grant execute on function api.list_flows() to anon, authenticated;

-- sql/70_api/health.sql

create function api.health() returns jsonb
language sql set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object('status', 'ok', 'time', now());
$$;
comment on function api.health() is 'Says that the database answers: {status, time}. Needs no credential.';
grant execute on function api.health() to anon, authenticated;

create function api.authenticate(required_permission text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize(required_permission);
begin
  return (
    select jsonb_build_object(
      'agency_id', a.id,
      'agency_name', a.name,
      'country', a.country,
      'time_zone', a.time_zone,
      'credential_id', caller.credential_id,
      'kind', caller.kind,
      'agent_id', caller.agent_id,
      'permissions', to_jsonb(caller.permissions))
    from public.agencies a
    where a.id = caller.agency_id);
end
$$;
comment on function api.authenticate(text) is
  'Who the caller is: agency, country, time zone, credential, permissions. Counts as a request, so that a request refused for its form is refused first for its credential. Errors: unauthorized, forbidden, rate_limited.';
grant execute on function api.authenticate(text) to anon, authenticated;

create function api.count_stranger(address text, key_prefix text default null) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.count_stranger(address, key_prefix)) - 'full_at_us';
$$;
comment on function api.count_stranger(text, text) is
  'Counts a request without a valid credential by its address, and by the prefix of the key that it named: {requests_per_minute, allowed, remaining, reset_seconds, retry_after_seconds}. For the service role: a caller who could name the address would close it to others.';
grant execute on function api.count_stranger(text, text) to service_role;

-- sql/70_api/hooks.sql

create function private.event_permission(event_type text) returns text
language sql immutable set search_path = ''
as $$
  select case event_type
    when 'deal_won' then 'operations:read'
    when 'offer_accepted' then 'offers:read'
    when 'signature_signed' then 'signatures:read'
    when 'document_completed' then 'documents:read'
  end;
$$;
comment on function private.event_permission(text) is
  'The permission needed to subscribe to an event or to sample it; null for what is not an event.';
grant execute on function private.event_permission(text) to anon, authenticated;

create function private.hook_json(subscription public.subscriptions) returns jsonb
language sql stable set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
    'id', subscription.id,
    'event_type', subscription.event_type,
    'target_url', subscription.target_url,
    'created_at', subscription.created_at);
$$;
comment on function private.hook_json(public.subscriptions) is 'The hook as lists show it.';

create function api.list_hooks(page_limit int default null, page_cursor text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize();
begin
  return private.list_page('hook', 'created_at', jsonb_build_object('event_type', coalesce((
    select jsonb_agg(distinct s.event_type) from public.subscriptions s
    where s.agency_id = caller.agency_id and private.event_permission(s.event_type) = any (caller.permissions)), '[]')),
    page_limit, page_cursor);
end
$$;
comment on function api.list_hooks(int, text) is
  'The agency''s hooks for the events that the caller may read: {data, next_cursor}. Any valid credential.';
grant execute on function api.list_hooks(int, text) to anon, authenticated;

create function api.create_hook(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize(private.event_permission(body ->> 'event_type'));
  answer jsonb := private.replay('create_hook', idempotency_key, private.check_request(body, '{
    "required": ["event_type", "target_url"],
    "properties": {
      "event_type": {"type": "string", "enum": ["deal_won", "offer_accepted", "signature_signed",
        "document_completed"]},
      "target_url": {"type": "string", "minLength": 1, "maxLength": 2000}
    }}'));
  target text := private.normal_target_url(body ->> 'target_url');
  problem text;
  hook_id uuid;
begin
  if answer is not null then
    return answer;
  end if;
  problem := private.target_problem(target);
  if problem is not null then
    perform private.refuse_member('invalid_target', 'target_url', 'not_a_target', 'Events cannot be delivered to that URL.',
      '{}', problem);
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
$$;
comment on function api.create_hook(jsonb, text) is
  'Subscribes {event_type, target_url}; the same pair again returns the id that exists. Permission: read of the event''s resource. Errors: invalid_body, invalid_target, too_many_hooks (20 for each event), idempotency_key_reused.';
grant execute on function api.create_hook(jsonb, text) to anon, authenticated;

create function api.delete_hook(hook_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize();
begin
  delete from public.subscriptions s where s.agency_id = caller.agency_id and s.id = hook_id;
  return null;
end
$$;
comment on function api.delete_hook(uuid) is
  'Unsubscribes. Whether the hook was there is not told, and another agency''s hook is not. Any valid credential.';
grant execute on function api.delete_hook(uuid) to anon, authenticated;

create function api.sample_hook(event_type text, page_limit int default null, page_cursor text default null) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize(private.event_permission(event_type));
  perform private.check_request(jsonb_build_object('event_type', event_type), '{
    "properties": {
      "event_type": {"type": "string", "enum": ["deal_won", "offer_accepted", "signature_signed", "document_completed"]}
    }}', 'query');
  return case event_type
    when 'deal_won' then private.list_page('operation', 'won_at', '{"won_at is not null": true}', page_limit, page_cursor)
    when 'offer_accepted' then private.list_page('offer', 'accepted_at',
      '{"accepted_at is not null": true, "status": "accepted"}', page_limit, page_cursor)
    when 'signature_signed' then private.list_page('signature', 'signed_at',
      '{"signed_at is not null": true, "status": "signed"}', page_limit, page_cursor)
    when 'document_completed' then private.list_page('document', 'completed_at',
      '{"completed_at is not null": true, "status": ["received", "verified"]}', page_limit, page_cursor)
  end;
end
$$;
comment on function api.sample_hook(text, int, text) is
  'Rows already in the event''s state, latest first: {data, next_cursor}, each as the event would carry it. Permission: read of the event''s resource. Errors: invalid_query.';
grant execute on function api.sample_hook(text, int, text) to anon, authenticated;

-- sql/70_api/leads.sql

create function api.list_leads(
  temperature text default null,
  origin text default null,
  email text default null,
  assigned_agent_id uuid default null,
  include_archived boolean default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('leads:read');
  perform private.check_request(jsonb_build_object('temperature', temperature, 'origin', origin, 'email', email), '{
    "properties": {
      "temperature": {"type": "string", "enum": ["hot", "warm", "cold"], "nullable": true},
      "origin": {"type": "string", "enum": ["email", "web", "portal", "phone", "walk_in", "referral", "whatsapp",
        "api", "other"], "nullable": true},
      "email": {"type": "string", "maxLength": 500, "nullable": true}
    }}', 'query');
  return private.list_page('lead', 'created_at', jsonb_build_object(
    'temperature', temperature,
    'origin', origin,
    'email_key', case when email is not null then coalesce(lower(private.normal_email(email)), '') end,
    'assigned_agent_id', assigned_agent_id,
    'archived_at is null', case when include_archived is not true then true end), page_limit, page_cursor);
end
$$;
comment on function api.list_leads(text, text, text, uuid, boolean, int, text) is
  'The agency''s leads, newest first, archived ones only on request: {data, next_cursor}. E-mail is matched without case. Permission leads:read.';
grant execute on function api.list_leads(text, text, text, uuid, boolean, int, text) to anon, authenticated;

create function api.get_lead(lead_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('lead', lead_id);
end
$$;
comment on function api.get_lead(uuid) is 'One lead, archived or not. Permission leads:read. Errors: not_found.';
grant execute on function api.get_lead(uuid) to anon, authenticated;

create function api.create_lead(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
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
  answer := private.replay('create_lead', idempotency_key, private.check_request(body, '{
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

  return private.answer(idempotency_key, 201, private.own_lead_json(lead)
    || jsonb_build_object('known_contact', contact.is_known, 'open_operations', open_operations));
end
$$;
comment on function api.create_lead(jsonb, text) is
  'A new lead with its side effects in one transaction: contact found or created, lead inserted, given to the agent who looks after the contact, else to the next in turn, operation opened (if its type is named), sanctions screen started, mail stored for qualification. The background part is asked to start at once. Phone in E.164 where it could be read, else as it came; the same for the e-mail. The answer says whether the contact was known and, to who may read operations, which are open. Permission leads:write. Errors: operation_type_not_allowed, idempotency_key_reused.';
grant execute on function api.create_lead(jsonb, text) to anon, authenticated;

create function api.update_lead(lead_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:write');
  lead public.leads;
begin
  perform private.check_request(patch, '{
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
  perform private.refuse_unknown_references(caller.agency_id, patch, 'assigned_agent_id');

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
    perform private.refuse_missing('lead');
  end if;
  return private.own_lead_json(lead);
end
$$;
comment on function api.update_lead(uuid, jsonb) is
  'Changes the members that the patch has; null clears one. Phone in E.164 where it could be read, else as it came; the same for the e-mail. Permission leads:write. Errors: not_found, unknown_reference, nothing_to_change.';
grant execute on function api.update_lead(uuid, jsonb) to anon, authenticated;

create function api.archive_lead(lead_id uuid, reason text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:write');
  lead jsonb;
begin
  perform private.check_request(jsonb_build_object('reason', reason), '{
    "properties": {
      "reason": {"type": "string", "maxLength": 1000, "nullable": true}
    }}', 'query');
  -- Only the first archiving is dated and explained.
  update public.leads l
  set archived_at = now(), archive_reason = case when private.is_visible(reason) then btrim(reason) else 'archived_via_api' end
  where l.agency_id = caller.agency_id and l.id = lead_id and l.archived_at is null;

  select private.own_lead_json(l) into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = lead_id;
  if lead is null then
    perform private.refuse_missing('lead');
  end if;
  return lead;
end
$$;
comment on function api.archive_lead(uuid, text) is
  'Archives a lead and returns it; repeating it changes nothing. Permission leads:write. Errors: not_found.';
grant execute on function api.archive_lead(uuid, text) to anon, authenticated;

-- sql/70_api/offers.sql

create function api.list_offers(
  operation_id uuid default null,
  lead_id uuid default null,
  status text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('offers:read');
  perform private.check_request(jsonb_build_object('status', status), '{
    "properties": {
      "status": {"type": "string", "enum": ["received", "accepted", "rejected", "withdrawn"], "nullable": true}
    }}', 'query');
  return private.list_page('offer', 'created_at', jsonb_build_object(
    'operation_id', operation_id,
    'lead_id', lead_id,
    'status', status), page_limit, page_cursor);
end
$$;
comment on function api.list_offers(uuid, uuid, text, int, text) is
  'The agency''s offers, newest first: {data, next_cursor}. Permission offers:read.';
grant execute on function api.list_offers(uuid, uuid, text, int, text) to anon, authenticated;

create function api.get_offer(offer_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('offer', offer_id);
end
$$;
comment on function api.get_offer(uuid) is 'One offer. Permission offers:read. Errors: not_found.';
grant execute on function api.get_offer(uuid) to anon, authenticated;

create function api.create_offer(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('offers:write');
  answer jsonb := private.replay('create_offer', idempotency_key, private.check_request(body, '{
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
$$;
comment on function api.create_offer(jsonb, text) is
  'Records an offer {operation_id, amount, property_id?, currency?, offer_type?, notes?}; neither accepts it nor moves the stage. Permission offers:write. Errors: unknown_reference, operation_closed, property_required, idempotency_key_reused.';
grant execute on function api.create_offer(jsonb, text) to anon, authenticated;

-- sql/70_api/operations.sql

create function api.list_operations(
  stage text default null,
  operation_type text default null,
  lead_id uuid default null,
  open_only boolean default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('operations:read');
  perform private.check_request(jsonb_build_object('operation_type', operation_type), '{
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
  return private.list_page('operation', 'created_at', jsonb_build_object(
    'stage', stage,
    'operation_type', operation_type,
    'lead_id', lead_id,
    'closed_at is null', case when open_only then true end), page_limit, page_cursor);
end
$$;
comment on function api.list_operations(text, text, uuid, boolean, int, text) is
  'The agency''s operations, newest first: {data, next_cursor}. Permission operations:read. Errors: invalid_stage, invalid_query.';
grant execute on function api.list_operations(text, text, uuid, boolean, int, text) to anon, authenticated;

create function api.get_operation(operation_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('operation', operation_id);
end
$$;
comment on function api.get_operation(uuid) is 'One operation. Permission operations:read. Errors: not_found.';
grant execute on function api.get_operation(uuid) to anon, authenticated;

create function api.create_operation(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('operations:write');
  answer jsonb := private.replay('create_operation', idempotency_key, private.check_request(body, '{
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
  perform private.refuse_unknown_references(caller.agency_id, body, 'lead_id');
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
$$;
comment on function api.create_operation(jsonb, text) is
  'Opens an operation {lead_id, operation_type, stage?}: 201 with the new one, or 200 with the open one of that type that the lead already has. Permission operations:write. Errors: invalid_body, unknown_reference, invalid_stage, idempotency_key_reused, conflict.';
grant execute on function api.create_operation(jsonb, text) to anon, authenticated;

-- As the owner, because the policies would ask for the caller twice more. Every statement names the caller's agency.
create function private.update_operation(operation_id uuid, patch jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal := private.authorize('operations:write');
  operation public.operations;
begin
  perform private.check_request(patch, '{
    "properties": {
      "stage": {"type": "string"},
      "lost_reason": {"type": "string", "maxLength": 1000, "nullable": true},
      "property_id": {"type": "string", "format": "uuid", "nullable": true}
    }}');
  if coalesce(private.is_visible(patch ->> 'lost_reason'), false) and not private.requires_reason(patch ->> 'stage') then
    perform private.refuse_request_member('lost_reason', (
      select format('is only allowed with stage %s', string_agg(distinct s.id, ' or ')) from public.stages s where s.requires_reason));
  end if;
  if not patch ?| array['stage', 'property_id'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  perform private.refuse_unknown_references(caller.agency_id, patch, 'property_id');

  -- The property first: choosing it may be the step that the gate waits for.
  if patch ? 'property_id' then
    update public.operations o set property_id = (patch ->> 'property_id')::uuid
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  -- The stage machine is a trigger on this column; it judges every change of it.
  if patch ? 'stage' then
    update public.operations o
    set stage = patch ->> 'stage',
        lost_reason = case
          when coalesce(patch ->> 'lost_reason', o.lost_reason) is null then null
          when private.requires_reason(patch ->> 'stage') then patch ->> 'lost_reason'
          else o.lost_reason end
    where o.agency_id = caller.agency_id and o.id = update_operation.operation_id
    returning * into operation;
  end if;
  if operation.id is null then
    perform private.refuse_missing('operation');
  end if;
  return private.operation_json(operation);
end
$$;
comment on function private.update_operation(uuid, jsonb) is 'What api.update_operation does, in the caller''s agency alone.';
grant execute on function private.update_operation(uuid, jsonb) to anon, authenticated;

create function api.update_operation(operation_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.update_operation(operation_id, patch);
end
$$;
comment on function api.update_operation(uuid, jsonb) is
  'Moves an operation {stage, lost_reason?} and chooses its property {property_id}; all of it or nothing. Permission operations:write. Errors: not_found, unknown_reference, nothing_to_change and those of the stage machine.';
grant execute on function api.update_operation(uuid, jsonb) to anon, authenticated;

-- sql/70_api/properties.sql

create function api.list_properties(
  status text default null,
  listing_type text default null,
  property_type text default null,
  city text default null,
  zone text default null,
  price_min numeric default null,
  price_max numeric default null,
  bedrooms_min int default null,
  reference text default null,
  owner_lead_id uuid default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('properties:read');
  perform private.check_request(jsonb_build_object('status', status, 'listing_type', listing_type, 'property_type', property_type, 'city', city, 'zone', zone, 'price_min', price_min, 'price_max', price_max, 'bedrooms_min', bedrooms_min, 'reference', reference), '{
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
  return private.list_page('property', 'created_at', jsonb_build_object(
    'status', status,
    'listing_type', listing_type,
    'property_type', property_type,
    'city_key', lower(city),
    'zone_key', lower(zone),
    'price_cents >=', ceil(price_min * 100)::bigint,
    'price_cents <=', floor(price_max * 100)::bigint,
    'bedrooms >=', bedrooms_min,
    'reference', reference,
    'owner_lead_id', owner_lead_id), page_limit, page_cursor);
end
$$;
comment on function api.list_properties(text, text, text, text, text, numeric, numeric, int, text, uuid, int, text) is
  'The agency''s properties, newest first: {data, next_cursor}. City and zone are matched without case. Permission properties:read.';
grant execute on function api.list_properties(text, text, text, text, text, numeric, numeric, int, text, uuid, int, text)
  to anon, authenticated;

create function api.get_property(property_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('property', property_id);
end
$$;
comment on function api.get_property(uuid) is 'One property. Permission properties:read. Errors: not_found.';
grant execute on function api.get_property(uuid) to anon, authenticated;

-- sql/70_api/public_offers.sql

create function private.public_offer(public_token text) returns jsonb
language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
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
$$;
comment on function private.public_offer(text) is
  'What a client who was given an offer''s link sees of it. It knows no agency but the token''s: 192 random bits are the credential.';
grant execute on function private.public_offer(text) to anon, authenticated;

create function api.get_public_offer(public_token text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.public_offer(public_token);
end
$$;
comment on function api.get_public_offer(text) is
  'What a client sees of an offer: amount, currency, offer_type, status, created_at, property (title, zone, city), agency (name). Null for a link that does not exist. No credential: 60 requests a minute a link, 600 for all unknown ones. Errors: rate_limited.';
grant execute on function api.get_public_offer(text) to anon, authenticated;

create function api.create_offer_link(offer_id uuid, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('offers:write');
  answer jsonb := private.replay('create_offer_link ' || offer_id, idempotency_key, '{}');
  offer public.offers;
begin
  if answer is not null then
    return answer;
  end if;
  update public.offers o set public_token = default
  where o.agency_id = caller.agency_id and o.id = offer_id
  returning * into offer;
  if offer.id is null then
    perform private.refuse_missing('offer');
  end if;
  return private.answer(idempotency_key, 201, private.offer_json(offer));
end
$$;
comment on function api.create_offer_link(uuid, text) is
  'Gives an offer a new public_token. The link with the old one is revoked by it. Permission offers:write. Errors: not_found, idempotency_key_reused.';
grant execute on function api.create_offer_link(uuid, text) to anon, authenticated;

-- sql/70_api/refusals.sql

create function private.refuse_unknown_references(agency_id uuid, body jsonb, variadic members text[]) returns void
language plpgsql stable set search_path = ''
as $$
declare
  member text;
  wanted_id uuid;
begin
  foreach member in array members loop
    wanted_id := (body ->> member)::uuid;
    continue when wanted_id is null;
    case member
      when 'lead_id' then
        perform from public.leads t where t.agency_id = $1 and t.id = wanted_id;
      when 'operation_id' then
        perform from public.operations t where t.agency_id = $1 and t.id = wanted_id;
      when 'property_id' then
        perform from public.properties t where t.agency_id = $1 and t.id = wanted_id;
      when 'agent_id', 'assigned_agent_id' then
        perform from public.agents t where t.agency_id = $1 and t.id = wanted_id and t.active;
    end case;
    if not found then
      perform private.refuse_reference(member, format('There is no such %s.', case
        when member like '%agent_id' then 'active agent' else left(member, -3) end));
    end if;
  end loop;
end
$$;
comment on function private.refuse_unknown_references(uuid, jsonb, text[]) is
  'Refuses a body in which one of these members names no lead, operation, property or active agent of the agency: unknown_reference, for the first such member. A member that is null or missing names nothing.';
grant execute on function private.refuse_unknown_references(uuid, jsonb, text[]) to anon, authenticated;

create function private.refuse_backward(old_status text, new_status text, ranks jsonb) returns void
language plpgsql stable set search_path = ''
as $$
begin
  -- Saying the same again changes nothing and is let through, so that a request can be repeated.
  if new_status <> old_status and (ranks -> new_status)::int <= (ranks -> old_status)::int then
    perform private.refuse('invalid_transition',
      format('What is %s does not become %s; a status only goes forward.', old_status, new_status));
  end if;
end
$$;
comment on function private.refuse_backward(text, text, jsonb) is
  'Refuses a status that is not further on than the old one (invalid_transition). The ranks tell how far each status is. Only requests are judged by it: an admin may correct a mistake in Studio.';
grant execute on function private.refuse_backward(text, text, jsonb) to anon, authenticated;

-- sql/70_api/signatures.sql

create function api.list_signatures(
  operation_id uuid default null,
  document_id uuid default null,
  status text default null,
  signer_email text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('signatures:read');
  perform private.check_request(jsonb_build_object('status', status, 'signer_email', signer_email), '{
    "properties": {
      "status": {"type": "string", "enum": ["draft", "sent", "signed", "declined", "expired"], "nullable": true},
      "signer_email": {"type": "string", "format": "email", "nullable": true}
    }}', 'query');
  return private.list_page('signature', 'created_at', jsonb_build_object(
    'operation_id', operation_id,
    'document_id', document_id,
    'status', status,
    'signer_email', lower(btrim(signer_email))), page_limit, page_cursor);
end
$$;
comment on function api.list_signatures(uuid, uuid, text, text, int, text) is
  'The agency''s signatures, newest first: {data, next_cursor}. The signer''s e-mail is matched without case. Permission signatures:read.';
grant execute on function api.list_signatures(uuid, uuid, text, text, int, text) to anon, authenticated;

create function api.get_signature(signature_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('signature', signature_id);
end
$$;
comment on function api.get_signature(uuid) is 'One signature. Permission signatures:read. Errors: not_found.';
grant execute on function api.get_signature(uuid) to anon, authenticated;

create function api.create_signature(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('signatures:write');
  answer jsonb := private.replay('create_signature', idempotency_key, private.check_request(body, '{
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
  perform private.refuse_unknown_references(caller.agency_id, body, 'operation_id');
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
$$;
comment on function api.create_signature(jsonb, text) is
  'Prepares a signature {document_id? (its operation is taken), operation_id?, signer_name?, signer_email?, status? (draft or sent)}. Permission signatures:write. Errors: unknown_reference, idempotency_key_reused.';
grant execute on function api.create_signature(jsonb, text) to anon, authenticated;

create function api.update_signature(signature_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('signatures:write');
  signature public.signatures;
begin
  perform private.check_request(patch, '{
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
    perform private.refuse_missing('signature');
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
$$;
comment on function api.update_signature(uuid, jsonb) is
  'Says how far a signature is {status}: sent, then signed, declined or expired, which stay. Signed is dated and told once. Permission signatures:write. Errors: not_found, nothing_to_change, invalid_transition.';
grant execute on function api.update_signature(uuid, jsonb) to anon, authenticated;

-- sql/70_api/viewings.sql

create function api.list_viewings(
  status text default null,
  lead_id uuid default null,
  property_id uuid default null,
  operation_id uuid default null,
  agent_id uuid default null,
  starts_from text default null,
  starts_before text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('viewings:read');
  perform private.check_request(jsonb_build_object('status', status, 'starts_from', starts_from, 'starts_before', starts_before), '{
    "properties": {
      "status": {"type": "string", "enum": ["scheduled", "done", "cancelled", "no_show"], "nullable": true},
      "starts_from": {"type": "string", "format": "time", "nullable": true},
      "starts_before": {"type": "string", "format": "time", "nullable": true}
    }}', 'query');
  return private.list_page('viewing', 'created_at', jsonb_build_object(
    'status', status,
    'lead_id', lead_id,
    'property_id', property_id,
    'operation_id', operation_id,
    'agent_id', agent_id,
    'starts_at >=', case when starts_from is not null then
      private.at_local_time(starts_from, private.time_zone(), 'starts_from') end,
    'starts_at <', case when starts_before is not null then
      private.at_local_time(starts_before, private.time_zone(), 'starts_before') end), page_limit, page_cursor);
end
$$;
comment on function api.list_viewings(text, uuid, uuid, uuid, uuid, text, text, int, text) is
  'The agency''s viewings, newest first: {data, next_cursor}. starts_from and starts_before without offset are in the agency''s zone. Permission viewings:read. Errors: invalid_time.';
grant execute on function api.list_viewings(text, uuid, uuid, uuid, uuid, text, text, int, text) to anon, authenticated;

create function api.get_viewing(viewing_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('viewing', viewing_id);
end
$$;
comment on function api.get_viewing(uuid) is 'One viewing. Permission viewings:read. Errors: not_found.';
grant execute on function api.get_viewing(uuid) to anon, authenticated;

create function private.refuse_double_booking(viewing public.viewings) returns void
language plpgsql set search_path = ''
as $$
declare
  other public.viewings;
begin
  select v.* into other from public.viewings v
  where v.agency_id = viewing.agency_id and v.id is distinct from viewing.id and v.status = 'scheduled'
    and tstzrange(v.starts_at, v.ends_at) && tstzrange(viewing.starts_at, viewing.ends_at)
    and (v.agent_id = viewing.agent_id or v.property_id = viewing.property_id)
  order by v.agent_id is not distinct from viewing.agent_id desc, v.starts_at, v.id
  limit 1;
  if other.id is null then
    -- It was cancelled between the two statements.
    perform private.raise_error(409, 'conflict', 'Another viewing was in the way; try again.');
  end if;
  perform private.raise_error(409, 'conflict',
    case when other.agent_id = viewing.agent_id then 'The agent has another viewing at that time.'
      else 'The property has another viewing at that time.' end,
    jsonb_build_object(
      'viewing_id', other.id,
      'booked', case when other.agent_id = viewing.agent_id then 'agent' else 'property' end,
      'starts_at', other.starts_at,
      'ends_at', other.ends_at));
end
$$;
comment on function private.refuse_double_booking(public.viewings) is
  'Refuses a viewing that overlaps with a scheduled one of its agent or property: conflict, with the other''s viewing_id, what is booked (agent or property) and its times.';
grant execute on function private.refuse_double_booking(public.viewings) to anon, authenticated;

create function private.refuse_past(starts_at timestamptz) returns void
language plpgsql stable set search_path = ''
as $$
begin
  -- An hour of grace: whoever stands before the door writes the viewing down a little late, and clocks differ.
  if starts_at < now() - interval '1 hour' then
    perform private.refuse_member('invalid_time', 'starts_at', 'past_time', 'A viewing is not arranged for the past.',
      issue_message => 'This time is in the past.');
  end if;
end
$$;
comment on function private.refuse_past(timestamptz) is
  'Refuses to arrange a viewing for more than an hour ago (invalid_time). What became of an earlier one is recorded in Studio.';
grant execute on function private.refuse_past(timestamptz) to anon, authenticated;

create function private.viewing_end(body jsonb, starts_at timestamptz, otherwise interval) returns timestamptz
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.viewing_end(jsonb, timestamptz, interval) is
  'When a viewing ends: at ends_at, or after duration_minutes, else after the time given. Refuses with invalid_time.';
grant execute on function private.viewing_end(jsonb, timestamptz, interval) to anon, authenticated;

create function api.create_viewing(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('viewings:write');
  answer jsonb := private.replay('create_viewing', idempotency_key, private.check_request(body, '{
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
    perform private.refuse_request_member('duration_minutes', 'cannot be combined with ends_at');
  end if;
  if answer is not null then
    return answer;
  end if;
  viewing.agency_id := caller.agency_id;
  viewing.lead_id := (body ->> 'lead_id')::uuid;
  viewing.property_id := (body ->> 'property_id')::uuid;
  viewing.operation_id := (body ->> 'operation_id')::uuid;

  perform private.refuse_unknown_references(caller.agency_id, body, 'lead_id', 'property_id', 'agent_id');
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
$$;
comment on function api.create_viewing(jsonb, text) is
  'Arranges a viewing {lead_id, property_id, starts_at, ends_at? or duration_minutes? (45), operation_id?, agent_id? (the lead''s), notes?}; times without offset are in the agency''s zone, and the start is at most an hour ago. Permission viewings:write. Errors: unknown_reference, operation_closed, invalid_time, conflict (agent or property booked, with viewing_id), idempotency_key_reused.';
grant execute on function api.create_viewing(jsonb, text) to anon, authenticated;

create function api.update_viewing(viewing_id uuid, patch jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('viewings:write');
  old_viewing public.viewings;
  viewing public.viewings;
begin
  perform private.check_request(patch, '{
    "properties": {
      "status": {"type": "string", "enum": ["scheduled", "done", "cancelled", "no_show"]},
      "starts_at": {"type": "string", "format": "time"},
      "ends_at": {"type": "string", "format": "time"},
      "duration_minutes": {"type": "integer", "minimum": 5, "maximum": 1440},
      "agent_id": {"type": "string", "format": "uuid", "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true}
    }}');
  if patch ->> 'ends_at' is not null and patch ->> 'duration_minutes' is not null then
    perform private.refuse_request_member('duration_minutes', 'cannot be combined with ends_at');
  end if;
  if not patch ?| array['status', 'starts_at', 'ends_at', 'duration_minutes', 'agent_id', 'notes'] then
    perform private.refuse('nothing_to_change', 'The request changes nothing.');
  end if;
  select v.* into old_viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = viewing_id
  for no key update;
  if old_viewing.id is null then
    perform private.refuse_missing('viewing');
  end if;
  -- What became of a viewing stays; saying it again changes nothing. Only an admin, in Studio, corrects a mistake.
  if old_viewing.status <> 'scheduled' and (
    patch ->> 'status' <> old_viewing.status or patch ?| array['starts_at', 'ends_at', 'duration_minutes', 'agent_id']) then
    perform private.refuse('invalid_transition', format('The viewing is %s; it is no longer moved.', old_viewing.status));
  end if;
  perform private.refuse_unknown_references(caller.agency_id, patch, 'agent_id');

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
$$;
comment on function api.update_viewing(uuid, jsonb) is
  'Moves a scheduled viewing {starts_at, ends_at or duration_minutes (else it keeps its length), agent_id}, says what became of it {status: done, cancelled, no_show} or notes something. done, which can be said from 15 minutes before the start on, closes the step that waits for a viewing. Permission viewings:write. Errors: not_found, nothing_to_change, invalid_transition, invalid_time, unknown_reference, conflict.';
grant execute on function api.update_viewing(uuid, jsonb) to anon, authenticated;

-- sql/80_connector/advance_stage.sql

create function api.mcp_advance_stage(operation_id uuid, patch jsonb default '{}') returns jsonb
language plpgsql set search_path = ''
as $$
declare
  operation public.operations;
  ahead public.stages;
begin
  -- The RPC below judges the rest; a stage of the caller's own would be overwritten here.
  if jsonb_typeof(patch) is distinct from 'object' or patch ? 'stage' or patch ? 'lost_reason' then
    perform private.authorize('operations:write');
    perform private.check_request(patch, '{"properties": {"property_id": {"type": "string", "format": "uuid", "nullable": true}}}');
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
$$;
comment on function api.mcp_advance_stage(uuid, jsonb) is
  'Moves an operation to the next stage of its flow, as api.update_operation does with that stage and {property_id?}. Permission operations:write. Errors: stage_required in the last stage, and those of api.update_operation.';
grant execute on function api.mcp_advance_stage(uuid, jsonb) to anon, authenticated;

-- sql/80_connector/agenda.sql

create function private.agenda(starts_from text, starts_before text, agent_id uuid, mine boolean, page_limit int) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal := private.principal();
  time_zone text := (select a.time_zone from public.agencies a where a.id = caller.agency_id);
  first_moment timestamptz;
  last_moment timestamptz;
  wanted_agent_id uuid := case when mine then caller.agent_id else agenda.agent_id end;
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
$$;
comment on function private.agenda(text, text, uuid, boolean, int) is 'The agenda that api.mcp_agenda shows, in the caller''s agency alone.';
grant execute on function private.agenda(text, text, uuid, boolean, int) to anon, authenticated;

create function api.mcp_agenda(
  starts_from text default null,
  starts_before text default null,
  agent_id uuid default null,
  mine boolean default null,
  page_limit int default 50
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('viewings:read');
  perform private.check_request(jsonb_build_object('starts_from', starts_from, 'starts_before', starts_before, 'limit', page_limit), '{
    "properties": {
      "starts_from": {"type": "string", "format": "day or time", "nullable": true},
      "starts_before": {"type": "string", "format": "day or time", "nullable": true},
      "limit": {"type": "integer", "minimum": 1, "maximum": 100}
    }}', 'query');
  return private.agenda(starts_from, starts_before, agent_id, mine, page_limit);
end
$$;
comment on function api.mcp_agenda(text, text, uuid, boolean, int) is
  'The viewings of a period, earliest first, without the cancelled ones; dates and times in the agency''s zone. By default today and the six days after. Names only with leads:read, titles and addresses only with properties:read; missing_permissions says which are not there. Permission viewings:read. Errors: invalid_time, agent_required.';
grant execute on function api.mcp_agenda(text, text, uuid, boolean, int) to anon, authenticated;

-- sql/80_connector/case_file.sql

-- The plans are kept: making them takes longer than the reading.
create function private.case_file(lead_id uuid) returns jsonb
language plpgsql security definer set plan_cache_mode = 'force_generic_plan' set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:read');
  time_zone text := (select a.time_zone from public.agencies a where a.id = caller.agency_id);
  lead public.leads;
  file jsonb;
begin
  perform set_config('timezone', time_zone, true);
  select l.* into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = case_file.lead_id;
  if lead.id is null then
    perform private.refuse_missing('lead');
  end if;
  file := jsonb_build_object(
    'time_zone', time_zone,
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
$$;
comment on function private.case_file(uuid) is 'What api.mcp_case_file does, in the caller''s agency alone.';
grant execute on function private.case_file(uuid) to anon, authenticated;

create function api.mcp_case_file(lead_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.case_file(mcp_case_file.lead_id);
end
$$;
comment on function api.mcp_case_file(uuid) is
  'The whole case file of a lead: operations with stage and pending steps, property, viewings, offers, documents, signatures, latest messages, sanctions state and one suggested next action. Lists are bounded and say when they were cut; one that the caller may not read is null, and missing_permissions says why. Permission leads:read. Errors: not_found.';
grant execute on function api.mcp_case_file(uuid) to anon, authenticated;

-- sql/80_connector/create_viewing.sql

create function api.mcp_create_viewing(body jsonb) returns jsonb
language plpgsql set search_path = ''
as $$
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
$$;
comment on function api.mcp_create_viewing(jsonb) is
  'Arranges a viewing as api.create_viewing does, and tells it with names, address and times in the agency''s zone. Permission viewings:write. Errors: those of api.create_viewing.';
grant execute on function api.mcp_create_viewing(jsonb) to anon, authenticated;

-- sql/80_connector/leads_at_work.sql

create function private.leads_at_work(agency_id uuid, agent_id uuid) returns uuid[]
language plpgsql stable set search_path = ''
as $$
#variable_conflict use_column
begin
  -- However much waits in an agency, only so much is looked at: of each kind the 5,000 that wait longest, of which the
  -- caller's first 500 and the others' first 500 count; and the caller's last 1,000 leads. Fewer are all there.
  return array(
    with unanswered as (
      select m.lead_id, l.assigned_agent_id, m.created_at as since
      from (
        select m.agency_id, m.lead_id, m.created_at from public.messages m
        where m.agency_id = leads_at_work.agency_id and m.direction = 'inbound' and m.created_at > now() - interval '90 days'
        order by m.created_at limit 5000
      ) m
      join public.leads l on l.agency_id = m.agency_id and l.id = m.lead_id and l.archived_at is null
      -- "Limit" keeps it a look-up for each of them; the planner would rather read all messages there are.
      left join lateral (
        select true as found from public.messages answer
        where answer.agency_id = m.agency_id and answer.lead_id = m.lead_id and answer.direction = 'outbound'
          and answer.created_at >= m.created_at
        limit 1
      ) answer on true
      where answer.found is null
    ), uncalled as (
      select l.id, l.assigned_agent_id, l.created_at as since
      from (
        select l.agency_id, l.id, l.assigned_agent_id, l.created_at from public.leads l
        where l.agency_id = leads_at_work.agency_id and l.lead_status = 'new' and l.archived_at is null
        order by l.created_at limit 5000
      ) l
      left join lateral (
        select true as found from public.messages m where m.agency_id = l.agency_id and m.lead_id = l.id limit 1
      ) message on true
      where message.found is null
    ), doubtful as (
      select s.lead_id, l.assigned_agent_id, s.created_at as since
      from (
        select s.agency_id, s.lead_id, s.created_at from public.sanctions_screens s
        where s.agency_id = leads_at_work.agency_id and s.status = 'possible_match'
        order by s.created_at limit 5000
      ) s
      join public.leads l on l.agency_id = s.agency_id and l.id = s.lead_id and l.archived_at is null
    ), shown as (
      select v.lead_id, v.agent_id, v.starts_at as since from public.viewings v
      where v.agency_id = leads_at_work.agency_id and v.status = 'scheduled' and v.starts_at < now() + interval '3 days'
      order by v.starts_at limit 5000
    ), held_up as (
      select o.lead_id, l.assigned_agent_id, o.created_at as since
      from (
        select o.agency_id, o.lead_id, o.created_at from public.operations o
        where o.agency_id = leads_at_work.agency_id and o.closed_at is null
        order by o.created_at, o.id limit 5000
      ) o
      join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id and l.archived_at is null
    ), found as (
      select lead_id, assigned_agent_id, since, 1 as kind from unanswered
      union all select id, assigned_agent_id, since, 2 from uncalled
      union all select lead_id, assigned_agent_id, since, 3 from doubtful
      union all select lead_id, agent_id, since, 4 from shown
      union all select lead_id, assigned_agent_id, since, 5 from held_up
    ), in_turn as (
      select f.lead_id, row_number() over (
        partition by f.kind, f.assigned_agent_id is not distinct from leads_at_work.agent_id order by f.since, f.lead_id) as n
      from found f
    )
    select t.lead_id from in_turn t where t.n <= 500
    union
    (select l.id from public.leads l
    where l.agency_id = leads_at_work.agency_id and l.assigned_agent_id = leads_at_work.agent_id and l.archived_at is null
    order by l.created_at desc, l.id desc limit 1000));
end
$$;
comment on function private.leads_at_work(uuid, uuid) is
  'The leads of an agency for which something may wait to be done, seen from one agent: those that wait longest, and no more than can be looked at in one breath.';

-- sql/80_connector/likeness.sql

create function private.trigram_share(part text, whole text) returns real
language plpgsql immutable set search_path = ''
as $$
declare
  wanted text[] := extensions.show_trgm(part);
  present text[] := extensions.show_trgm(whole);
begin
  return (select count(*) from unnest(wanted) trigram where trigram = any (present))::real
    / greatest(cardinality(wanted), 1);
end
$$;
comment on function private.trigram_share(text, text) is
  'How much of a word another text has, from 0 to 1, by trigrams. Unlike word_similarity it does not count against the text what it has besides.';
grant execute on function private.trigram_share(text, text) to anon, authenticated;

create function private.likeness(words text[], value text) returns real
language plpgsql immutable set search_path = ''
as $$
declare
  plain text := private.plain_text(value);
  word text;
  total real := 0;
begin
  -- Word by word, so that "García Ana" is "Ana García"; the mean says how much of what was asked is there.
  foreach word in array words loop
    total := total + private.trigram_share(word, plain);
  end loop;
  return total / cardinality(words);
end
$$;
comment on function private.likeness(text[], text) is 'How much of some words a text has, from 0 to 1, blind to case, accents and order, and lenient with typing errors.';

-- sql/80_connector/my_day.sql

create function private.my_day(page_limit int) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal := private.principal();
  time_zone text := (select a.time_zone from public.agencies a where a.id = caller.agency_id);
begin
  perform set_config('timezone', time_zone, true);
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
      'time_zone', time_zone,
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
$$;
comment on function private.my_day(int) is 'The day plan that api.mcp_my_day shows, in the caller''s agency alone.';
grant execute on function private.my_day(int) to anon, authenticated;

create function api.mcp_my_day(page_limit int default 20) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('operations:read');
  perform private.check_request(jsonb_build_object('limit', page_limit), '{
    "properties": {
      "limit": {"type": "integer", "minimum": 1, "maximum": 50}
    }}', 'query');
  return private.my_day(page_limit);
end
$$;
comment on function api.mcp_my_day(int) is
  'The day plan of the caller: what waits to be done in the agency, the caller''s own turn first, the most overdue first; times in the agency''s zone. Tasks about leads and viewings, and names, only with their permissions; missing_permissions says which are not there. The totals are exact up to 500 tasks of a kind, beyond that they say how many were looked at. Permission operations:read.';
grant execute on function api.mcp_my_day(int) to anon, authenticated;

-- sql/80_connector/next_action.sql

create function private.next_action(lead public.leads, caller private.principal) returns jsonb
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.next_action(public.leads, private.principal) is
  'The one thing to do next for a lead, as private.task_json shows it. Where nothing waits, why says so: archived, viewing_arranged, unqualified, no_open_operation, or operations_hidden from a caller without operations:read.';

-- sql/80_connector/open_tasks.sql

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

-- sql/80_connector/search.sql

create function private.found_contacts(query text, max_rows int)
returns table (contact_id uuid, score real, matched text)
language plpgsql stable security definer set search_path = ''
as $$
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
$$;
comment on function private.found_contacts(text, int) is
  'The people of an agency that a text means: by phone in any spelling, e-mail or name; with how likely each is, from 0 to 1, and by what it was found.';
grant execute on function private.found_contacts(text, int) to anon, authenticated;

create function api.mcp_search(query text, page_limit int default 10) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:read');
begin
  perform private.check_request(jsonb_build_object('query', query, 'limit', page_limit), '{
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
$$;
comment on function api.mcp_search(text, int) is
  'Clients and properties that a text means, the likeliest first: by name, phone in any spelling, e-mail, address or reference; blind to accents and lenient with typing errors. Properties only with properties:read, open operations only with operations:read; missing_permissions says which are not there. Permission leads:read.';
grant execute on function api.mcp_search(text, int) to anon, authenticated;

-- sql/80_connector/search_properties.sql

create function private.found_properties(query text, max_rows int)
returns table (property_id uuid, score real)
language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  -- As the owner, because row level security uses an index only for plain comparisons; so each row is asked for its
  -- agency here, which is the caller's and no other.
  caller_agency_id uuid := private.agency_id();
  words text[] := (private.plain_words(query))[1:8];
  as_written tsquery := private.search_query(caller_agency_id, words, false);
  with_errors tsquery := private.search_query(caller_agency_id, words, true);
  wanted text := btrim(query);
begin
  -- Candidates are bounded: a word that half the stock has finds nothing better by reading all of it. A reference that
  -- is the whole query is looked up by itself, since many others may begin with it.
  return query
  select p.id, p.score
  from (
    select c.id, c.created_at,
      case when private.plain_text(c.reference) = private.plain_text(wanted) then 1::real
        else private.likeness(words, private.searched_text(c.reference, c.title, c.street, c.zone, c.city, c.postal_code))
      end as score
    from (
      select p.* from public.properties p
      where p.agency_id = caller_agency_id and p.reference = any (array[wanted, upper(wanted), lower(wanted)])
      union
      (select p.* from public.properties p
      where p.agency_id = caller_agency_id
        and private.search_vector(
          p.agency_id, private.searched_text(p.reference, p.title, p.street, p.zone, p.city, p.postal_code)) @@ as_written
      limit 300)
      union
      (select p.* from public.properties p
      where p.agency_id = caller_agency_id
        and private.search_vector(
          p.agency_id, private.searched_text(p.reference, p.title, p.street, p.zone, p.city, p.postal_code)) @@ with_errors
      limit 300)
    ) c
  ) p
  where p.score >= 0.5
  order by p.score desc, p.created_at desc, p.id
  limit max_rows;
end
$$;
comment on function private.found_properties(text, int) is
  'The properties of an agency that a text means: by reference, title or address; with how likely each is, from 0 to 1.';
grant execute on function private.found_properties(text, int) to anon, authenticated;

create function api.mcp_search_properties(filters jsonb, words text[], page_limit int default 10) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('properties:read');
  wanted text;
  wanted_query tsquery;
  places text[];
  spellings text[];
  terms text[];
  term_queries tsquery[];
begin
  perform private.check_request(filters, '{
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
  perform private.check_request(jsonb_build_object('words', words, 'limit', page_limit), '{
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
$$;
comment on function api.mcp_search_properties(jsonb, text[], int) is
  'Available properties that pass the filters {listing_type, property_types, price_min, price_max, bedrooms_min, bathrooms_min, area_min_m2}; words that name a zone or city of the agency filter too, the others rank by Spanish full text. Says how it understood the words. Permission properties:read.';
grant execute on function api.mcp_search_properties(jsonb, text[], int) to anon, authenticated;

-- sql/80_connector/summaries.sql

create function private.property_summary(property public.properties) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  return jsonb_build_object(
    'property_id', property.id,
    'reference', property.reference,
    'title', property.title,
    'listing_type', property.listing_type,
    'status', property.status,
    'property_type', property.property_type,
    'price', trim_scale(property.price),
    'bedrooms', property.bedrooms,
    'bathrooms', property.bathrooms,
    'area_m2', trim_scale(property.area_m2),
    'address', nullif(concat_ws(', ', property.street, property.zone, property.city), ''));
end
$$;
comment on function private.property_summary(public.properties) is 'A property in few members, as searches and case files show it.';
grant execute on function private.property_summary(public.properties) to anon, authenticated;

create function private.operation_summary(operation public.operations, caller private.principal) returns jsonb
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.operation_summary(public.operations, private.principal) is 'An operation as a case file shows it: where it stands, what is pending, and its property for who may read it.';

create function private.viewing_summary(viewing public.viewings, caller private.principal) returns jsonb
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.viewing_summary(public.viewings, private.principal) is
  'A viewing with who (for readers of leads), where (for readers of properties) and with whom, as agendas show it; times in the zone that the caller set.';
grant execute on function private.viewing_summary(public.viewings, private.principal) to anon, authenticated;

create function private.client_summary(caller private.principal, contact_id uuid) returns jsonb
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.client_summary(private.principal, uuid) is 'A person with their leads and, for who may read them, open operations, as searches show them.';
grant execute on function private.client_summary(private.principal, uuid) to anon, authenticated;

-- sql/80_connector/task_json.sql

create function private.task_json(task private.task, caller private.principal) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  lead public.leads;
  operation public.operations;
  property public.properties;
  viewing public.viewings;
  stage_label text;
begin
  select l.* into lead from public.leads l
  where l.agency_id = caller.agency_id and l.id = task.lead_id;
  select o.* into operation from public.operations o
  where o.agency_id = caller.agency_id and o.id = task.operation_id;
  select p.* into property from public.properties p
  where p.agency_id = caller.agency_id and p.id = task.property_id;
  select v.* into viewing from public.viewings v
  where v.agency_id = caller.agency_id and v.id = task.viewing_id;
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
    'agent_name', (select a.name from public.agents a where a.agency_id = caller.agency_id and a.id = task.agent_id),
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
$$;
comment on function private.task_json(private.task, private.principal) is
  'A task as the caller may see it, with whose turn it is seen from the caller''s agent. What is said about it is the connector''s.';

-- sql/90_operators/agencies.sql

create function admin.create_agency(name text, slug text default null, time_zone text default 'Europe/Madrid') returns uuid
language sql security definer set search_path = ''
as $$
  insert into public.agencies (name, slug, time_zone)
  values (
    btrim(name),
    -- "Pisos & Áticos, S.L." becomes "pisos-aticos-s-l".
    coalesce(slug, btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent', name)), '[^a-z0-9]+', '-', 'g'), '-')),
    time_zone)
  returning id;
$$;
comment on function admin.create_agency(text, text, text) is
  'Adds an agency; the slug follows from the name unless given. Returns its id. Errors: 23505 when the slug is taken, invalid_time_zone.';
grant execute on function admin.create_agency(text, text, text) to service_role;

create function admin.create_agent(agency_id uuid, name text, email text, role text default 'agent') returns uuid
language sql security definer set search_path = ''
as $$
  insert into public.agents (agency_id, name, email, role)
  values (agency_id, btrim(name), lower(btrim(email)), role)
  returning id;
$$;
comment on function admin.create_agent(uuid, text, text, text) is
  'Adds an agent: owner, manager, agent or viewer. Returns the id. Errors: 23505 when the agency has the e-mail already.';
grant execute on function admin.create_agent(uuid, text, text, text) to service_role;

-- sql/90_operators/api_keys.sql

create function admin.create_api_key(
  agency_id uuid,
  name text,
  permissions text[],
  agent_id uuid default null,
  expires_at timestamptz default null,
  requests_per_minute int default 120
) returns text
language plpgsql security definer set search_path = ''
as $$
declare
  prefix text := encode(extensions.gen_random_bytes(4), 'hex');
  secret text := encode(extensions.gen_random_bytes(24), 'hex');
  key_id uuid;
  -- An owner has every permission.
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
$$;
comment on function admin.create_api_key(uuid, text, text[], uuid, timestamptz, int) is
  'Makes an API key and returns it. This is the only time it can be read: only its hash is stored. Permissions: <resource>:read and :write of leads, operations, properties, viewings, offers, signatures, documents. Errors: unknown_permission (with those that there are).';
grant execute on function admin.create_api_key(uuid, text, text[], uuid, timestamptz, int) to service_role;

create function admin.rotate_api_key(api_key_id uuid, overlap interval default '24 hours') returns text
language plpgsql security definer set search_path = ''
as $$
declare
  old_key public.api_keys;
begin
  select k.* into old_key from public.api_keys k
  where k.id = api_key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  for update;
  if old_key.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such API key in use.');
  end if;
  update public.api_keys k set expires_at = least(k.expires_at, now() + overlap)
  where k.agency_id = old_key.agency_id and k.id = old_key.id;
  return admin.create_api_key(
    old_key.agency_id, old_key.name, old_key.permissions, old_key.agent_id, old_key.expires_at,
    (select r.requests_per_minute from public.rate_limits r
     where r.agency_id = old_key.agency_id and r.credential_id = old_key.id));
end
$$;
comment on function admin.rotate_api_key(uuid, interval) is
  'Makes a successor with the same name, permissions, agent, expiry and limit, and returns it. The old key lives on for the overlap. Errors: not_found.';
grant execute on function admin.rotate_api_key(uuid, interval) to service_role;

create function admin.revoke_api_key(api_key_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.api_keys k set revoked_at = coalesce(k.revoked_at, now()) where k.id = api_key_id;
  if not found then
    perform private.raise_error(404, 'not_found', 'There is no such API key.');
  end if;
end
$$;
comment on function admin.revoke_api_key(uuid) is 'Refuses the key from now on. Repeating it changes nothing. Errors: not_found.';
grant execute on function admin.revoke_api_key(uuid) to service_role;

-- sql/90_operators/call_function.sql

create function private.call_function(function_name text, task jsonb default '{}') returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  project_url text;
  secret_key text;
begin
  select s.decrypted_secret into project_url from vault.decrypted_secrets s where s.name = 'project_url';
  select s.decrypted_secret into secret_key from vault.decrypted_secrets s where s.name = 'secret_key';
  if project_url is null or secret_key is null then
    raise notice 'Work waits, and the function % cannot be called: store project_url and secret_key in Vault.', function_name;
    return null;
  end if;

  return net.http_post(
    url := rtrim(project_url, '/') || '/functions/v1/' || function_name,
    body := task,
    headers := jsonb_build_object('content-type', 'application/json', 'apikey', secret_key),
    timeout_milliseconds := 10000);
end
$$;
comment on function private.call_function(text, jsonb) is
  'Asks one of our functions to work: queues a request that pg_net sends after the commit, with the secret key from Vault. Returns its id in pg_net; null, with a notice, when Vault lacks project_url or secret_key.';

-- sql/90_operators/clean_up.sql

create function private.clean_up() returns void
language sql set search_path = ''
as $$
  delete from public.idempotency_keys where expires_at < now();
  delete from public.deliveries d using public.events e
  where e.agency_id = d.agency_id and e.id = d.event_id and e.status = 'delivered'
    and d.started_at < now() - interval '90 days';
  delete from public.drain_runs where started_at < now() - interval '90 days';
  delete from public.request_buckets where full_at < now();
  delete from cron.job_run_details where end_time < now() - interval '7 days';
$$;
comment on function private.clean_up() is
  'Removes what is no longer of use: expired idempotency keys, idle request buckets, deliveries and drain runs older than 90 days, the job log after 7 days. Run each night by pg_cron.';

-- sql/90_operators/failed_deliveries.sql

create view public.failed_deliveries with (security_invoker = true) as
select
  d.target_url as target,
  e.event_type,
  d.error,
  case
    when e.status <> 'delivered' then 'not yet: it is tried again by itself'
    when s.id is null then 'no: the target is no longer subscribed'
    when d.state = 'unknown' then 'careful: the target may have it already'
    when elsewhere.arrived then 'careful: a target that has it would get it again'
    else 'yes'
  end as replay,
  d.attempt as attempts,
  a.name as agency,
  d.status_code,
  d.error_detail,
  d.started_at as last_attempt_at,
  e.queued_at,
  e.reason,
  e.id as event_id,
  e.subject_id,
  e.agency_id
from public.deliveries d
join public.events e on e.agency_id = d.agency_id and e.id = d.event_id
join public.agencies a on a.id = e.agency_id
left join public.subscriptions s on s.agency_id = d.agency_id and s.id = d.subscription_id
cross join lateral (
  select exists (
    select from public.deliveries o
    join public.subscriptions t on t.agency_id = o.agency_id and t.id = o.subscription_id
    where o.agency_id = e.agency_id and o.event_id = e.id and o.state in ('accepted', 'unknown')) as arrived
) elsewhere
where d.state in ('failed', 'unknown')
  -- Only the last word on each target counts.
  and not exists (
    select from public.deliveries later
    where later.event_id = d.event_id and later.agency_id = d.agency_id and later.subscription_id = d.subscription_id
      and (later.round, later.attempt) > (d.round, d.attempt))
order by d.started_at desc;

comment on view public.failed_deliveries is 'Events that a target did not take, or may not have taken, when it was last tried: a row for each event and target, the newest first. What a replay brought after all is left out.';
comment on column public.failed_deliveries.target is 'Where it was posted to.';
comment on column public.failed_deliveries.event_type is 'deal_won, offer_accepted, signature_signed or document_completed.';
comment on column public.failed_deliveries.error is 'Why the last attempt failed, as a word; see deliveries.error.';
comment on column public.failed_deliveries.replay is 'Whether select admin.replay_event(event_id) makes sense, which posts the event again to every target subscribed now: yes, careful, no or not yet, and why.';
comment on column public.failed_deliveries.attempts is 'Attempts at it since the event was queued or last replayed, at most 3.';
comment on column public.failed_deliveries.agency is 'The agency.';
comment on column public.failed_deliveries.status_code is 'HTTP status of the last answer, if one came.';
comment on column public.failed_deliveries.error_detail is 'The failure in words.';
comment on column public.failed_deliveries.last_attempt_at is 'When it was last posted.';
comment on column public.failed_deliveries.queued_at is 'When the event happened.';
comment on column public.failed_deliveries.reason is 'What became of the event as a whole; see events.reason.';
comment on column public.failed_deliveries.event_id is 'The event, as in events.id; admin.replay_event takes it.';
comment on column public.failed_deliveries.subject_id is 'The operation, offer, signature or document.';
comment on column public.failed_deliveries.agency_id is 'The agency, as in agencies.id.';

-- sql/90_operators/kick_drain.sql

create function private.kick_drain() returns bigint
language plpgsql set search_path = ''
as $$
declare
  waiting int;
  calls int;
  request bigint;
begin
  -- A worker makes 500 to 1,000 POSTs before another takes its place, so a long queue is worth several side by side.
  -- More than four would only wait for the database.
  select count(*) into waiting from (select from public.events e where e.status = 'pending' limit 4000) e;
  if waiting = 0
    and not exists (select from public.events e where e.status = 'claimed' and e.lease_until < clock_timestamp()) then
    return null;
  end if;
  calls := greatest(1, waiting / 1000);
  for share in 0 .. calls - 1 loop
    request := private.call_function('drain', jsonb_build_object('share', share, 'shares', calls));
  end loop;
  return request;
end
$$;
comment on function private.kick_drain() is
  'Calls the drain when an event is pending or a dead run holds one: once, or for each full thousand of events, up to four times, each with a share of the agencies. Run each minute by pg_cron. Returns the last request''s id in pg_net, or null.';

-- sql/90_operators/kick_intake.sql

create function private.kick_intake() returns bigint
language plpgsql set search_path = ''
as $$
begin
  if not exists (select from public.intake_jobs j where j.available_at <= clock_timestamp()) then
    return null;
  end if;
  return private.call_function('intake');
end
$$;
comment on function private.kick_intake() is
  'Calls the intake when a job waits. Run each minute by pg_cron. Returns the request''s id in pg_net, or null.';

-- sql/90_operators/leads_without_agent.sql

create view public.leads_without_agent with (security_invoker = true) as
select
  l.full_name as client,
  (
    select string_agg(f.label || ': ' || s.label, ', ' order by f.id)
    from public.operations o
    join public.flows f on f.id = o.flow
    join public.stages s on s.flow = o.flow and s.id = o.stage
    where o.agency_id = l.agency_id and o.lead_id = l.id and o.closed_at is null
  ) as open_operations,
  coalesce(l.summary, l.intent, l.notes) as wishes,
  l.phone,
  floor(extract(epoch from now() - l.created_at) / 86400)::int as days_waiting,
  l.email,
  l.origin,
  l.temperature,
  g.name as former_agent,
  a.name as agency,
  l.created_at as since,
  l.id as lead_id,
  l.agency_id
from public.leads l
join public.agencies a on a.id = l.agency_id
left join public.agents g on g.agency_id = l.agency_id and g.id = l.assigned_agent_id
where l.archived_at is null and g.active is not true
order by l.created_at;

comment on view public.leads_without_agent is 'Leads that nobody looks after: never assigned, or assigned to an agent who is no longer active; the longest waiting first. Set leads.assigned_agent_id.';
comment on column public.leads_without_agent.client is 'The person.';
comment on column public.leads_without_agent.open_operations is 'The operations that wait with them, flow and stage.';
comment on column public.leads_without_agent.wishes is 'What the person wants: the summary, else the intent, else the notes.';
comment on column public.leads_without_agent.phone is 'Their phone.';
comment on column public.leads_without_agent.days_waiting is 'For how many whole days the lead has been there.';
comment on column public.leads_without_agent.email is 'Their e-mail.';
comment on column public.leads_without_agent.origin is 'Where the lead came from.';
comment on column public.leads_without_agent.temperature is 'hot, warm or cold; null until qualified.';
comment on column public.leads_without_agent.former_agent is 'The agent who looked after the lead and is no longer active.';
comment on column public.leads_without_agent.agency is 'The agency.';
comment on column public.leads_without_agent.since is 'When the lead came in.';
comment on column public.leads_without_agent.lead_id is 'The lead, as in leads.id.';
comment on column public.leads_without_agent.agency_id is 'The agency, as in agencies.id.';

-- sql/90_operators/link_agent.sql

create function admin.link_agent(agency_id uuid, email text) returns uuid
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function admin.link_agent(uuid, text) is
  'Lets a person sign in as an agent: links the agent to the user of Auth who confirmed the agent''s e-mail. Returns the user''s id. Errors: not_found, unconfirmed_user, 23505 when the user is another agent already.';
grant execute on function admin.link_agent(uuid, text) to service_role;

-- sql/90_operators/merge_contacts.sql

create function admin.merge_contacts(keep_id uuid, merge_id uuid, merged_by text default session_user) returns uuid
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function admin.merge_contacts(uuid, uuid, text) is
  'Merges the second contact into the first: its leads and their screens move, later leads that match it go to the first, and all of them are screened again where the two differ in what a screen goes by. Nothing is removed, so admin.unmerge_contacts can undo it with the id that this returns. Errors: not_found, conflict (one was merged already), same_contact.';
grant execute on function admin.merge_contacts(uuid, uuid, text) to service_role;

create function admin.unmerge_contacts(merge_id uuid, undone_by text default session_user) returns int
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function admin.unmerge_contacts(uuid, text) is
  'Undoes a merge: the leads that moved go back, those that came since stay, and they are screened again as at the merge; the pair is not suggested again. Returns how many leads went back. Errors: not_found, conflict (undone already, or the kept contact was merged since).';
grant execute on function admin.unmerge_contacts(uuid, text) to service_role;

create function admin.dismiss_suggestion(suggestion_id uuid, dismissed_by text default session_user) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.contact_suggestions s set status = 'dismissed', decided_by = dismissed_by
  where s.id = suggestion_id and s.status = 'open';
  if not found then
    perform private.raise_error(404, 'not_found', 'There is no such open suggestion.');
  end if;
end
$$;
comment on function admin.dismiss_suggestion(uuid, text) is
  'Says that two contacts are two people: the pair is not suggested again. Errors: not_found (also when it was decided already).';
grant execute on function admin.dismiss_suggestion(uuid, text) to service_role;

-- sql/90_operators/pipeline_by_stage.sql

create view public.pipeline_by_stage with (security_invoker = true) as
select
  a.name as agency,
  f.label as flow,
  s.label as stage,
  count(o.id)::int as operations,
  count(o.id) filter (where o.closed_at is null and private.pending_actions(o) <> '[]')::int as held_by_gate,
  sum(coalesce(accepted.amount, p.price)) as value,
  round(avg(extract(epoch from now() - entered.at) / 86400) filter (where o.closed_at is null), 1) as average_days,
  min(entered.at) filter (where o.closed_at is null) as longest_since,
  s.outcome,
  s.position,
  s.flow as flow_id,
  s.id as stage_id,
  a.id as agency_id
from public.agencies a
cross join public.stages s
join public.flows f on f.id = s.flow
left join public.operations o on o.agency_id = a.id and o.flow = s.flow and o.stage = s.id
left join public.properties p on p.agency_id = o.agency_id and p.id = o.property_id
left join public.offers accepted
  on accepted.agency_id = o.agency_id and accepted.operation_id = o.id and accepted.status = 'accepted' and accepted.currency = 'EUR'
left join lateral (
  select max(h.occurred_at) as at from public.stage_history h
  where h.agency_id = o.agency_id and h.operation_id = o.id
) entered on true
group by a.id, f.id, s.flow, s.id
order by a.name, f.id, s.position;

comment on view public.pipeline_by_stage is 'How many operations stand at each stage of each flow, agency by agency, empty stages included. Closing stages count all that ever closed so.';
comment on column public.pipeline_by_stage.agency is 'The agency.';
comment on column public.pipeline_by_stage.flow is 'The flow: Compra, Alquiler, Venta or another.';
comment on column public.pipeline_by_stage.stage is 'The stage.';
comment on column public.pipeline_by_stage.operations is 'How many operations stand there.';
comment on column public.pipeline_by_stage.held_by_gate is 'How many of them wait for a step of the stage''s gate.';
comment on column public.pipeline_by_stage.value is 'What those are worth together, in EUR, that have an accepted offer or else a property with a price; a month''s rent each in the flow of rentals.';
comment on column public.pipeline_by_stage.average_days is 'For how many days they have stood there on average.';
comment on column public.pipeline_by_stage.longest_since is 'Since when the one has stood there that has waited longest.';
comment on column public.pipeline_by_stage.outcome is 'Null for an active stage; success or failure for a closing one.';
comment on column public.pipeline_by_stage.position is 'Order of the stage in its flow.';
comment on column public.pipeline_by_stage.flow_id is 'The flow, as in operations.flow.';
comment on column public.pipeline_by_stage.stage_id is 'The stage, as in operations.stage.';
comment on column public.pipeline_by_stage.agency_id is 'The agency, as in agencies.id.';

-- sql/90_operators/possible_sanctions_matches.sql

create view public.possible_sanctions_matches with (security_invoker = true) as
select
  l.full_name as client,
  g.name as agent,
  entry.value ->> 'name' as listed_as,
  x.score,
  x.resolution,
  person.birth_date,
  entry.value -> 'birth_dates' as listed_birth_dates,
  person.country as nationality,
  entry.value -> 'countries' as listed_countries,
  entry.value ->> 'sanctions' as sanctions,
  jsonb_array_length(x.entries) as candidates,
  floor(extract(epoch from now() - x.created_at) / 86400)::int as days_waiting,
  x.resolution_by,
  a.name as agency,
  x.created_at as since,
  x.source,
  x.id as screen_id,
  x.lead_id,
  x.agency_id
from public.sanctions_screens x
join public.agencies a on a.id = x.agency_id
join public.leads l on l.agency_id = x.agency_id and l.id = x.lead_id
cross join lateral private.screened_person(x) as person
left join public.agents g on g.agency_id = l.agency_id and g.id = l.assigned_agent_id
-- The entry most like the person; the others are in the screen.
cross join lateral (select x.entries -> 0 as value) entry
where x.status = 'possible_match' and private.result_counts(x)
order by x.resolution is not null, x.created_at;

comment on view public.possible_sanctions_matches is 'People who may be on a sanctions list, by the last result of each lead; those that nobody has decided about first. Decide with select admin.resolve_sanctions_match(screen_id, ''cleared'' or ''confirmed'', reason).';
comment on column public.possible_sanctions_matches.client is 'The person as the lead names them now.';
comment on column public.possible_sanctions_matches.agent is 'The agent who looks after the lead.';
comment on column public.possible_sanctions_matches.listed_as is 'The listed name of the entry most like the person.';
comment on column public.possible_sanctions_matches.score is 'How much the person resembles that entry, 0 to 1.';
comment on column public.possible_sanctions_matches.resolution is 'Null until somebody decides; confirmed when it is them. Cleared ones are no longer listed.';
comment on column public.possible_sanctions_matches.birth_date is 'The person''s birth date, where the agency knows it of somebody of that name.';
comment on column public.possible_sanctions_matches.listed_birth_dates is 'The entry''s birth dates: a year, a month or a day each.';
comment on column public.possible_sanctions_matches.nationality is 'The person''s nationality, where the agency knows it of somebody of that name.';
comment on column public.possible_sanctions_matches.listed_countries is 'Countries the entry belongs to.';
comment on column public.possible_sanctions_matches.sanctions is 'The programmes and lists that name the entry.';
comment on column public.possible_sanctions_matches.candidates is 'How many entries may be the person; all are in sanctions_screens.entries.';
comment on column public.possible_sanctions_matches.days_waiting is 'For how many whole days the match has been known.';
comment on column public.possible_sanctions_matches.resolution_by is 'Who confirmed it.';
comment on column public.possible_sanctions_matches.agency is 'The agency.';
comment on column public.possible_sanctions_matches.since is 'When the person was screened.';
comment on column public.possible_sanctions_matches.source is 'What they were screened against: list, or the host of a match service.';
comment on column public.possible_sanctions_matches.screen_id is 'The screen, as in sanctions_screens.id; admin.resolve_sanctions_match takes it.';
comment on column public.possible_sanctions_matches.lead_id is 'The lead, as in leads.id.';
comment on column public.possible_sanctions_matches.agency_id is 'The agency, as in agencies.id.';

-- sql/90_operators/replay_event.sql

create function admin.replay_event(event_id uuid) returns int
language plpgsql security definer set search_path = ''
as $$
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
$$;
comment on function admin.replay_event(uuid) is
  'Queues a delivered event again, by hand: the same id and the same bytes, in a new round of up to 3 attempts, to every subscription that exists now, those that accepted it before included. Returns how many. Errors: not_found, conflict (still in the queue), no_subscription.';
grant execute on function admin.replay_event(uuid) to service_role;

-- sql/90_operators/resolve_sanctions_match.sql

create function admin.resolve_sanctions_match(
  screen_id uuid,
  resolution text,
  reason text,
  resolved_by text default session_user
) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  if resolution is null or resolution not in ('cleared', 'confirmed') then
    perform private.refuse('invalid_value', 'A possible match is cleared or confirmed.');
  end if;
  update public.sanctions_screens s
  set resolution = resolve_sanctions_match.resolution, resolution_reason = reason, resolution_by = resolved_by
  where s.id = screen_id;
  if not found then
    perform private.raise_error(404, 'not_found', 'There is no such sanctions screen.');
  end if;
end
$$;
comment on function admin.resolve_sanctions_match(uuid, text, text, text) is
  'Resolves a possible match after a person looked at it: cleared (somebody else) or confirmed (it is them), with the reason. Cleared entries are not shown again for a person of that name and contact until they change. Errors: not_found, invalid_value, resolution_reason_required, no_possible_match, screened_since.';
grant execute on function admin.resolve_sanctions_match(uuid, text, text, text) to service_role;

-- sql/90_operators/schedule.data.sql

select cron.schedule('corredor-drain', '* * * * *', 'select private.kick_drain()');
select cron.schedule('corredor-clean-up', '17 3 * * *', 'select private.clean_up()');
select cron.schedule('corredor-intake', '* * * * *', 'select private.kick_intake()');
select cron.schedule('corredor-compare-contacts', '* * * * *', 'select private.compare_contacts()');

-- sql/90_operators/set_signing_secret.sql

create function admin.set_signing_secret(agency_id uuid, secret text default null) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  secret_name text := private.signing_secret_name(set_signing_secret.agency_id);
  secret_id uuid := (select s.id from vault.secrets s where s.name = secret_name);
begin
  if not exists (select from public.agencies a where a.id = set_signing_secret.agency_id) then
    perform private.raise_error(404, 'not_found', 'There is no such agency.');
  end if;
  if char_length(secret) not between 8 and 256 then
    perform private.refuse('invalid_secret', 'A signing secret has 8 to 256 characters.');
  end if;

  if secret is null then
    delete from vault.secrets s where s.id = secret_id;
  elsif secret_id is null then
    perform vault.create_secret(secret, secret_name, 'Signs the events of an agency.');
  else
    perform vault.update_secret(secret_id, secret);
  end if;
end
$$;
comment on function admin.set_signing_secret(uuid, text) is
  'Sets the secret that signs the agency''s events (HMAC-SHA256 in x-service-signature), 8 to 256 characters, kept in Vault. Null removes it, and events go unsigned. Errors: not_found, invalid_secret.';
grant execute on function admin.set_signing_secret(uuid, text) to service_role;

-- sql/90_operators/steps.sql

create function private.held_step(operation_id uuid, step_id text) returns public.operation_steps
language plpgsql stable set search_path = ''
as $$
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
$$;
comment on function private.held_step(uuid, text) is
  'A gate step of an operation, for closing or reopening it by hand. Errors: not_found (the operation), unknown_step (with the steps that it has).';

create function admin.close_step(operation_id uuid, step_id text, amount numeric default null) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  step public.operation_steps := private.held_step(operation_id, step_id);
begin
  if amount is not null and not exists (
    select from public.gate_steps g where g.flow = step.flow and g.id = step.step_id and g.by_hand = 'create_offer') then
    perform private.refuse('amount_not_taken', 'Only a step that creates an offer takes an amount.');
  end if;
  if amount is not null and step.done then
    perform private.refuse('step_closed', 'The step is closed and makes no second offer.');
  end if;
  update public.operation_steps s set done = true, amount = coalesce(close_step.amount, s.amount)
  where s.agency_id = step.agency_id and s.id = step.id;
end
$$;
comment on function admin.close_step(uuid, text, numeric) is
  'Closes a gate step by hand, as ticking its row does: one that creates an offer takes its amount, one that accepts an offer takes the latest. Repeating it changes nothing. Errors: not_found, unknown_step, amount_not_taken, step_closed (with an amount), amount_required, property_required, offer_required, operation_closed.';
grant execute on function admin.close_step(uuid, text, numeric) to service_role;

create function admin.reopen_step(operation_id uuid, step_id text) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  step public.operation_steps := private.held_step(operation_id, step_id);
begin
  update public.operation_steps s set done = false
  where s.agency_id = step.agency_id and s.id = step.id;
end
$$;
comment on function admin.reopen_step(uuid, text) is
  'Opens a gate step again that was closed by hand. Repeating it changes nothing. Errors: not_found, unknown_step, step_not_reopened (what closed it still holds), operation_closed.';
grant execute on function admin.reopen_step(uuid, text) to service_role;

create function admin.record_deposit(operation_id uuid, paid_at timestamptz default now()) returns timestamptz
language plpgsql security definer set search_path = ''
as $$
declare
  operation public.operations;
begin
  select o.* into operation from public.operations o where o.id = record_deposit.operation_id for no key update;
  if operation.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such operation.');
  end if;
  if not exists (
    select from public.required_dates d where d.flow = operation.flow and d.column_name = 'deposit_paid_at') then
    perform private.refuse('deposit_not_taken', 'The flow of this operation asks for no deposit.');
  end if;
  if paid_at is null or paid_at > now() then
    perform private.refuse('invalid_time', 'A deposit is recorded once it is paid.');
  end if;
  update public.operations o set deposit_paid_at = paid_at
  where o.agency_id = operation.agency_id and o.id = operation.id;
  return paid_at;
end
$$;
comment on function admin.record_deposit(uuid, timestamptz) is
  'Records that the deposit of an operation was paid, now or at the time given, or corrects the date; a rental may then close as rented. Errors: not_found, deposit_not_taken (the flow asks for none), invalid_time (in the future).';
grant execute on function admin.record_deposit(uuid, timestamptz) to service_role;

-- sql/90_operators/stuck_operations.sql

create view public.stuck_operations with (security_invoker = true) as
select
  l.full_name as client,
  g.name as agent,
  coalesce(p.title, p.street, p.reference) as property,
  nullif(concat_ws(', ', pending.steps, awaited.label), '') as pending_steps,
  floor(extract(epoch from now() - entered.at) / 86400)::int as days_in_stage,
  s.label as stage,
  f.label as flow,
  a.name as agency,
  l.phone,
  l.email,
  entered.at as in_stage_since,
  o.id as operation_id,
  o.lead_id,
  o.agency_id
from public.operations o
join public.agencies a on a.id = o.agency_id
join public.flows f on f.id = o.flow
join public.stages s on s.flow = o.flow and s.id = o.stage
join public.leads l on l.agency_id = o.agency_id and l.id = o.lead_id
left join public.agents g on g.agency_id = l.agency_id and g.id = l.assigned_agent_id
left join public.properties p on p.agency_id = o.agency_id and p.id = o.property_id
cross join lateral (
  select coalesce(max(h.occurred_at), o.created_at) as at from public.stage_history h
  where h.agency_id = o.agency_id and h.operation_id = o.id
) entered
cross join lateral (
  select string_agg(step.label, ', ' order by step.n) as steps
  from rows from (jsonb_to_recordset(private.pending_actions(o)) as (label text)) with ordinality as step (label, n)
) pending
left join lateral private.stage_ahead(o.flow, o.stage) ahead on true
left join lateral private.awaited_date(o, ahead) awaited on true
where o.closed_at is null
  and l.archived_at is null
  -- As long as the day plan (private.open_tasks) gives a stage.
  and entered.at < now() - interval '7 days'
  and not exists (
    select from public.viewings v
    where v.agency_id = o.agency_id and v.operation_id = o.id and v.status = 'scheduled' and v.ends_at > now())
order by entered.at;

comment on view public.stuck_operations is 'Open operations that have stood at one stage for more than a week and have no viewing ahead, the longest waiting first. Those of archived leads are left out.';
comment on column public.stuck_operations.client is 'Whose operation it is.';
comment on column public.stuck_operations.agent is 'The agent who looks after the lead; null when nobody does.';
comment on column public.stuck_operations.property is 'The property chosen, if one is.';
comment on column public.stuck_operations.pending_steps is 'What the stage''s gate waits for, and the date that the database asks for ahead; null when nothing is open and somebody has only to move it on.';
comment on column public.stuck_operations.days_in_stage is 'For how many whole days.';
comment on column public.stuck_operations.stage is 'Where it stands.';
comment on column public.stuck_operations.flow is 'The flow: Compra, Alquiler, Venta or another.';
comment on column public.stuck_operations.agency is 'The agency.';
comment on column public.stuck_operations.phone is 'The client''s phone.';
comment on column public.stuck_operations.email is 'The client''s e-mail.';
comment on column public.stuck_operations.in_stage_since is 'When it entered the stage.';
comment on column public.stuck_operations.operation_id is 'The operation, as in operations.id; its steps are in operation_steps.';
comment on column public.stuck_operations.lead_id is 'The lead, as in leads.id.';
comment on column public.stuck_operations.agency_id is 'The agency, as in agencies.id.';

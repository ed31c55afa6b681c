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

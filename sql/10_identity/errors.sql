create function private.raise_error(
  status int,
  code text,
  message text,
  details jsonb default '{}',
  hints jsonb default null
) returns void
language plpgsql
set search_path = ''
as $$
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
$$;
comment on function private.raise_error(int, text, text, jsonb, jsonb) is
  'Refuses with an HTTP status: SQLSTATE PT<status>, a sentence for people as message, and {"code","details","hints","rate_limit"} as detail; REST does not show the hints, they tell the connector how to go on. Codes: unauthorized, forbidden, not_found, conflict, validation_error, rate_limited.';
-- To the service role as well: were it ever granted a table, it would hear why a trigger refuses it something.
grant execute on function private.raise_error(int, text, text, jsonb, jsonb) to anon, authenticated, service_role;

create function private.refuse(reason text, message text, details jsonb default '{}') returns void
language sql
set search_path = ''
as $$
  select private.raise_error(422, 'validation_error', message, jsonb_build_object('reason', reason) || details);
$$;
comment on function private.refuse(text, text, jsonb) is
  'Refuses a request that a rule forbids: status 422, code validation_error, details.reason as named.';
grant execute on function private.refuse(text, text, jsonb) to anon, authenticated, service_role;

create function private.refuse_reference(path text, message text) returns void
language sql
set search_path = ''
as $$
  select private.refuse('unknown_reference', message,
    jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', path, 'message', message))));
$$;
comment on function private.refuse_reference(text, text) is
  'Refuses an id in a request body that the caller''s agency does not have: reason unknown_reference with the member''s path.';
grant execute on function private.refuse_reference(text, text) to anon, authenticated;

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

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

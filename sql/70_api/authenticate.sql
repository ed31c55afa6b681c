create function api.authenticate(required_permission text default null) returns jsonb
language plpgsql
set search_path = ''
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

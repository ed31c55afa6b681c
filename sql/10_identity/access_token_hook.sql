create function private.access_token_hook(event jsonb) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
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
$$;
comment on function private.access_token_hook(jsonb) is
  'Custom access-token hook of Supabase Auth, run before each token is signed, new and refreshed ones. An OAuth client gets one only for an active agent and unless it is blocked, with the connector (public.token_rules.resource) as a second audience. Sessions pass as they are.';
grant usage on schema private to supabase_auth_admin;
grant execute on function private.access_token_hook(jsonb) to supabase_auth_admin;

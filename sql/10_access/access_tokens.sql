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

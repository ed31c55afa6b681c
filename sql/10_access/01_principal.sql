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

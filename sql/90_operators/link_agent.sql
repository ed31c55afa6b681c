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

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

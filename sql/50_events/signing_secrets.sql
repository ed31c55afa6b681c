create function private.signing_secret_name(agency_id uuid) returns text
language sql immutable set search_path = ''
as $$
  select 'signing_secret_' || agency_id;
$$;
comment on function private.signing_secret_name(uuid) is 'The name in Vault of the secret that signs the agency''s events.';

create function private.signing_secrets(agency_ids uuid[]) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_object_agg(a.id, s.decrypted_secret), '{}')
  from unnest(agency_ids) as a (id)
  join vault.decrypted_secrets s on s.name = private.signing_secret_name(a.id);
$$;
comment on function private.signing_secrets(uuid[]) is 'The agencies'' signing secrets, {agency_id: secret}; an agency without one is left out.';
grant execute on function private.signing_secrets(uuid[]) to service_role;

create function api.drain_signing_secrets(agency_ids uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select private.signing_secrets(agency_ids);
$$;
comment on function api.drain_signing_secrets(uuid[]) is 'For the drain: {agency_id: secret} of the agencies that have one. Service role only.';
grant execute on function api.drain_signing_secrets(uuid[]) to service_role;

create function admin.set_signing_secret(agency_id uuid, secret text default null) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  secret_name text := private.signing_secret_name(set_signing_secret.agency_id);
  secret_id uuid := (select s.id from vault.secrets s where s.name = secret_name);
begin
  if not exists (select from public.agencies a where a.id = set_signing_secret.agency_id) then
    perform private.raise_error(404, 'not_found', 'There is no such agency.');
  end if;
  if char_length(secret) not between 8 and 256 then
    perform private.refuse('invalid_secret', 'A signing secret has 8 to 256 characters.');
  end if;

  if secret is null then
    delete from vault.secrets s where s.id = secret_id;
  elsif secret_id is null then
    perform vault.create_secret(secret, secret_name, 'Signs the events of an agency.');
  else
    perform vault.update_secret(secret_id, secret);
  end if;
end
$$;
comment on function admin.set_signing_secret(uuid, text) is
  'Sets the secret that signs the agency''s events (HMAC-SHA256 in x-service-signature), 8 to 256 characters, kept in Vault. Null removes it, and events go unsigned. Errors: not_found, invalid_secret.';
grant execute on function admin.set_signing_secret(uuid, text) to service_role;

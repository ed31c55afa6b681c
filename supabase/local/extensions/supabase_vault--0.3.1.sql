-- Stand-in for Supabase Vault: the same table, view and functions.
-- Secrets are encrypted with a key that lies in the server's data directory, outside any dump.
\echo Use "CREATE EXTENSION supabase_vault" to load this file. \quit

create table vault.secrets (
  id uuid primary key default gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index on vault.secrets (name) where name is not null;

create function vault._encrypt(secret text) returns text
language sql volatile security definer set search_path = '' as $$
  select encode(extensions.pgp_sym_encrypt(
    $1, pg_read_file('vault.key'), 'cipher-algo=aes256, s2k-mode=0'), 'base64')
$$;

create function vault._decrypt(secret text) returns text
language sql stable security definer set search_path = '' as $$
  select extensions.pgp_sym_decrypt(decode($1, 'base64'), pg_read_file('vault.key'))
$$;

create view vault.decrypted_secrets as
select id, name, description, secret, vault._decrypt(secret) as decrypted_secret,
  key_id, nonce, created_at, updated_at
from vault.secrets;

create function vault.create_secret(
  new_secret text, new_name text default null, new_description text default '',
  new_key_id uuid default null
) returns uuid
language sql security definer set search_path = '' as $$
  insert into vault.secrets (secret, name, description, key_id)
  values (vault._encrypt($1), $2, coalesce($3, ''), $4)
  returning id
$$;

create function vault.update_secret(
  secret_id uuid, new_secret text default null, new_name text default null,
  new_description text default null, new_key_id uuid default null
) returns void
language sql security definer set search_path = '' as $$
  update vault.secrets
  set secret = coalesce(vault._encrypt($2), secret),
      name = coalesce($3, name),
      description = coalesce($4, description),
      key_id = coalesce($5, key_id),
      updated_at = now()
  where id = $1
$$;

-- Only postgres and the service role may use the vault.
revoke all on all functions in schema vault from public;
grant usage on schema vault to postgres with grant option;
grant select, delete, truncate, references on vault.secrets, vault.decrypted_secrets to postgres with grant option;
grant execute on function vault.create_secret, vault.update_secret, vault._decrypt to postgres with grant option;
grant usage on schema vault to service_role;
grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
grant execute on function vault.create_secret, vault.update_secret, vault._decrypt to service_role;

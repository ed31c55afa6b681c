-- The roles of a hosted Supabase project. They belong to the whole server, so this runs once.
do $$
begin
  if not exists (select from pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'authenticated') then
    create role authenticated nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'service_role') then
    create role service_role nologin noinherit bypassrls;
  end if;
  if not exists (select from pg_roles where rolname = 'authenticator') then
    create role authenticator login noinherit password 'postgres';
  end if;
  -- As Auth does on a hosted project, its local stand-in runs the access-token hook as this role.
  if not exists (select from pg_roles where rolname = 'supabase_auth_admin') then
    create role supabase_auth_admin login noinherit createrole;
  end if;
  if not exists (select from pg_roles where rolname = 'supabase_storage_admin') then
    create role supabase_storage_admin login noinherit createrole password 'postgres';
  end if;
  -- As on a hosted project, migrations run as a postgres that is no superuser.
  if not exists (select from pg_roles where rolname = 'postgres') then
    create role postgres login createdb createrole replication bypassrls password 'postgres';
  end if;
end
$$;

grant anon, authenticated, service_role to authenticator;
do $$
begin
  if not (select rolsuper from pg_roles where rolname = 'postgres') then
    grant anon, authenticated, service_role to postgres with admin option;
    grant authenticator, pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
    grant set on parameter session_replication_role to postgres;
  end if;
end
$$;

-- The Data API limits what a caller's statement may take.
alter role authenticator set statement_timeout = '8s';
alter role authenticator set search_path = public, extensions;
alter role postgres set search_path = "$user", public, extensions;

-- The key of the vault lies beside the data, readable by the server alone.
do $$
begin
  if pg_stat_file('vault.key', true) is null then
    execute format('copy (select %L) to %L',
      encode(sha256(gen_random_uuid()::text::bytea || gen_random_uuid()::text::bytea), 'hex'),
      current_setting('data_directory') || '/vault.key');
  end if;
end
$$;

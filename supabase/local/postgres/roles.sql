-- The roles of a hosted Supabase project, with its settings and memberships. They belong to the whole server. This runs at
-- every start and brings a server that an earlier version made to the same state.
do $$
declare
  wanted text;
begin
  foreach wanted in array array[
    'anon', 'authenticated', 'service_role', 'authenticator', 'dashboard_user', 'supabase_auth_admin', 'supabase_storage_admin'
  ] loop
    if not exists (select from pg_roles where rolname = wanted) then
      execute format('create role %I', wanted);
    end if;
    execute format('alter role %I reset all', wanted);
  end loop;
  -- A server of Debian's has its superuser of this name already.
  if not exists (select from pg_roles where rolname = 'postgres') then
    create role postgres login createdb createrole replication bypassrls password 'postgres';
  end if;
end
$$;

-- Those a request runs as.
alter role anon nologin inherit;
alter role authenticated nologin inherit;
alter role service_role nologin inherit bypassrls;
-- Those the services log in as: Data API, Auth, Storage.
alter role authenticator login noinherit password 'postgres';
alter role supabase_auth_admin login noinherit nocreaterole password 'postgres';
alter role supabase_storage_admin login noinherit createrole password 'postgres';
alter role dashboard_user nologin createdb createrole replication;

grant anon, authenticated, service_role to authenticator;
grant authenticator to supabase_storage_admin;
do $$
begin
  -- As on a hosted project, migrations run as a postgres that is no superuser.
  if not (select rolsuper from pg_roles where rolname = 'postgres') then
    grant anon, authenticated, service_role, authenticator, pg_monitor, pg_read_all_data, pg_signal_backend
      to postgres with admin option;
    grant set on parameter session_replication_role to postgres;
    -- Both are closed to postgres: what belongs to Auth and to Storage is changed by their own services.
    revoke supabase_auth_admin, supabase_storage_admin from postgres;
  end if;
end
$$;

-- The Data API gives a request the settings of the role it runs as; where that has none, the login's hold. Of a hosted
-- login one is missing, `session_preload_libraries = safeupdate`: no package has that library.
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
alter role supabase_auth_admin set search_path = auth;
alter role supabase_auth_admin set idle_in_transaction_session_timeout = '60s';
alter role supabase_storage_admin set search_path = storage;
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

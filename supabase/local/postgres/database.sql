-- What every database of a hosted Supabase project has before the first migration.
create schema if not exists extensions;
grant usage on schema extensions to postgres, anon, authenticated, service_role;
grant create on schema extensions to postgres;
create extension if not exists pgcrypto with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;
create schema if not exists vault;
create extension if not exists supabase_vault with schema vault;

-- New tables are not exposed unless a migration grants it.
revoke create on schema public from public;
grant usage, create on schema public to postgres;
grant usage on schema public to anon, authenticated, service_role;

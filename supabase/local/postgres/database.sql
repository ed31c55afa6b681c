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

-- A hosted project makes the wrapper of pg_graphql anew whenever a function `resolve` is created, whatever its schema. Its
-- owner is the platform, so `postgres` is refused such a name; here the wrapper is not there, and the refusal is.
create or replace function extensions.grant_pg_graphql_access() returns event_trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (
    select from pg_event_trigger_ddl_commands() made join pg_catalog.pg_proc p on p.oid = made.objid where p.proname = 'resolve')
  then
    raise exception using errcode = '42501', message = 'must be owner of function graphql_public.graphql';
  end if;
end
$$;
drop event trigger if exists issue_pg_graphql_access;
create event trigger issue_pg_graphql_access on ddl_command_end
  when tag in ('CREATE FUNCTION') execute function extensions.grant_pg_graphql_access();

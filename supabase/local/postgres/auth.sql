-- Auth's schema belongs to Auth's own role, as on a hosted project; postgres may read and write its tables, and the
-- callers' roles may ask who they are.
grant usage, create on schema auth to supabase_auth_admin;
grant usage on schema auth to postgres, anon, authenticated, service_role;
revoke create on schema auth from postgres;
do $$
declare
  its regclass;
begin
  for its in
    select oid from pg_class where relnamespace = 'auth'::regnamespace and relkind in ('r', 'p', 'v', 'S')
      -- A sequence of a column goes with its table.
      and not exists (select from pg_depend where objid = pg_class.oid and deptype in ('a', 'i') and refclassid = 'pg_class'::regclass)
  loop
    execute format('alter table %s owner to supabase_auth_admin', its);
  end loop;
end
$$;
grant all on all tables in schema auth to postgres with grant option;
grant all on all sequences in schema auth to postgres with grant option;

-- The gateway tells who calls in `request.jwt.claims` alone, as PostgREST does; Supabase Lite's functions look at
-- settings of older versions. A claim of its own still goes before, as in Auth's functions.
create or replace function auth.uid() returns uuid language sql stable as $$
  select nullif(coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'), '')::uuid
$$;
create or replace function auth.role() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role')
$$;
create or replace function auth.email() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email')
$$;
create or replace function auth.jwt() returns jsonb language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), ''))::jsonb
$$;
grant execute on function auth.uid(), auth.role(), auth.email(), auth.jwt()
  to postgres, anon, authenticated, service_role;

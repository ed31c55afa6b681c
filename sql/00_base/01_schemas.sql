create schema api;
comment on schema api is 'The RPCs: the only schema the Data API exposes. Every function is security invoker. One for callers authorizes them first, unless it needs no credential; the others are granted to the service role alone.';

create schema private;
comment on schema private is 'Functions behind the RPCs and the triggers that hold the rules. Not exposed.';

create schema admin;
comment on schema admin is 'Functions for operators: Studio, the service role and `npm run admin`. Not exposed.';

create schema rate_limit;
comment on schema rate_limit is 'One unlogged sequence for each credential: its request bucket. Made and dropped by public.rate_limits.';

-- The callers of the Data API may name what is inside; what they may do with it is granted object by object.
grant usage on schema api, private to anon, authenticated, service_role;
grant usage on schema admin to service_role;

-- Postgres lets everybody execute a new function. Here each function says who may.
alter default privileges revoke execute on functions from public;

-- A hosted project may grant new tables in public to the API roles; here each table says who may.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke execute on functions from anon, authenticated, service_role;

-- Rules that every table and function of the schema follows.
begin;
select plan(27);

create temp table tables as
select c.oid, c.relname::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p');
create temp table views as
select c.oid, c.relname::text as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm');
create temp table functions as
select p.oid, p.oid::regprocedure::text as name, n.nspname::text as schema_name, p.prosecdef, p.proconfig, p.prorettype
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('api', 'private', 'admin')
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e');

select cmp_ok((select count(*) from tables), '>=', 22::bigint, 'there are tables to look at');
select cmp_ok((select count(*) from functions), '>=', 80::bigint, 'there are functions to look at');

-- Tables
select is_empty('select c.relname from pg_class c join tables t using (oid) where not c.relrowsecurity',
  'every table has row level security on');
select is_empty($$select t.name, p.polname from tables t join pg_policy p on p.polrelid = t.oid
  where pg_get_expr(p.polqual, p.polrelid) = 'true' or pg_get_expr(p.polwithcheck, p.polrelid) = 'true'$$, 'no policy lets everything through');
select is_empty($$select t.name, p.polname from tables t join pg_policy p on p.polrelid = t.oid
  where exists (select from unnest(array[pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)]) e
    where e is not null and e !~ '\( SELECT private\.agency_id\(\) AS agency_id\)')$$, 'every policy compares with the caller''s agency, computed once a statement');
select is_empty($$select t.name, p.polname from tables t join pg_policy p on p.polrelid = t.oid where not p.polpermissive or 0 = any (p.polroles)$$,
  'every policy names its roles');
select set_eq($$select t.name from tables t where not exists (select from pg_attribute a where a.attrelid = t.oid and a.attname = 'agency_id')$$,
  array['agencies', 'flows', 'stages', 'gate_steps', 'required_dates', 'drain_runs', 'sanctions_entries', 'sanctions_names', 'sanctions_words', 'sanctions_loads', 'request_buckets', 'token_rules'], 'every other table belongs to an agency');
select is_empty($$select t.name from tables t join pg_attribute a on a.attrelid = t.oid and a.attname = 'agency_id'
  left join pg_constraint c on c.conrelid = t.oid and c.contype = 'p'
  where a.attnum <> 1 or not a.attnotnull or c.conkey[1] is distinct from a.attnum$$, 'agency_id is its first column and the first of its primary key');
select is_empty($$select c.conrelid::regclass, c.conname from pg_constraint c join tables t on t.oid = c.conrelid
  where c.contype = 'f' and c.confrelid in (select attrelid from pg_attribute where attname = 'agency_id')
    and not exists (select from unnest(c.conkey, c.confkey) k (here, there)
      join pg_attribute h on h.attrelid = c.conrelid and h.attnum = k.here and h.attname = 'agency_id'
      join pg_attribute o on o.attrelid = c.confrelid and o.attnum = k.there and o.attname = 'agency_id')$$,
  'a foreign key to a row of an agency carries agency_id');
select is_empty($$select c.conrelid::regclass, c.conname from pg_constraint c join tables t on t.oid = c.conrelid
  where c.contype = 'f' and c.confdeltype = 'a'$$, 'every foreign key says what a delete does');
-- Rows of flows, stages, gate_steps and required_dates are never deleted, so what points to them needs none.
select is_empty($$select c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid) from pg_constraint c join tables t on t.oid = c.conrelid
  where c.contype = 'f' and c.confrelid not in (
    'public.flows'::regclass, 'public.stages'::regclass, 'public.gate_steps'::regclass, 'public.required_dates'::regclass)
    and not exists (
    select from pg_index i
    where i.indrelid = c.conrelid and i.indisvalid
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) in (
        select format('(%I IS NOT NULL)', a.attname) from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey)))
      and (select array_agg(k order by k) from unnest((i.indkey::int2[])[0:cardinality(c.conkey) - 1]) k)
        = (select array_agg(k order by k) from unnest(c.conkey) k))$$, 'every foreign key has an index');
select is_empty($$select t.name, tg.tgname from tables t join pg_trigger tg on tg.tgrelid = t.oid
  where not tg.tgisinternal and tg.tgname !~ '^_\d{3}_[a-z_]+$'$$, 'every trigger says its order');
select is_empty($$select t.name, tg.tgname from tables t join pg_trigger tg on tg.tgrelid = t.oid
  where not tg.tgisinternal and tg.tgenabled not in ('O', 'A')$$, 'and is on');
select isnt_empty('select from views', 'there are views to look at');
select is_empty($$select v.name from pg_class c join views v using (oid)
  where not coalesce('security_invoker=true' = any (c.reloptions) or 'security_invoker=on' = any (c.reloptions), false)$$, 'every view runs as its reader');

-- Comments
select is_empty($$select name from tables where coalesce(btrim(obj_description(oid, 'pg_class')), '') = ''$$,
  'every table has a comment');
select is_empty($$select t.name, a.attname from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  where a.attname not in ('agency_id', 'id', 'operation_id', 'updated_at') and coalesce(btrim(col_description(t.oid, a.attnum)), '') = ''$$,
  'every column has one, but those whose name says it all');
select is_empty($$select name from views where coalesce(btrim(obj_description(oid, 'pg_class')), '') = ''$$,
  'every view has one');
select is_empty($$select v.name, a.attname from views v join pg_attribute a on a.attrelid = v.oid and a.attnum > 0
  where coalesce(btrim(col_description(v.oid, a.attnum)), '') = ''$$, 'and so has every column of a view');
select is_empty($$select name from functions where coalesce(btrim(obj_description(oid, 'pg_proc')), '') = ''$$,
  'every function has one');
select is_empty($$select nspname from pg_namespace where nspname in ('api', 'private', 'admin', 'rate_limit') and obj_description(oid, 'pg_namespace') is null$$,
  'every schema of ours has one');

-- Functions
select is_empty($$select name from functions where schema_name = 'api' and prosecdef$$, 'every RPC runs as its caller');
select is_empty($$select name from functions where schema_name = 'api' and prorettype <> 'jsonb'::regtype$$,
  'every RPC returns jsonb');
select is_empty($$select name from functions where prosecdef and not coalesce('search_path=""' = any (proconfig), false)$$,
  'every definer function sets an empty search_path');
-- A function that sets something is not taken into the query that calls it; these, which name every schema, have to be.
select is_empty($$select name from functions where not coalesce('search_path=""' = any (proconfig), false) and name::text !~ '\m(stage_ahead|awaited_date)\M'$$,
  'and so does every other');
select is_empty($$select p.oid::regprocedure from pg_proc p where p.pronamespace = 'public'::regnamespace
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')$$, 'public holds no functions');
select is_empty($$select c.relname from pg_class c where c.relnamespace in ('api'::regnamespace, 'private'::regnamespace, 'admin'::regnamespace) and c.relkind in ('r', 'v', 'm')$$,
  'and the function schemas no tables');

select * from finish();
rollback;

import type postgres from "postgres";

/** What a catalog tells, by kind: the name of each object, and what it is like in one line. */
export type Catalog = Record<string, Record<string, string>>;

/**
 * Reads what decides who may do what, and whether everything is there: schemas, tables, columns, constraints, indexes,
 * triggers, policies, grants, functions, cron jobs and the bucket. Only what migrations of ours make: other triggers and
 * policies on Storage are somebody else's. Function bodies are told by a digest.
 */
export async function readCatalog(sql: postgres.TransactionSql): Promise<Catalog> {
  // So that every name is told with its schema, whatever the role looks through otherwise.
  await sql`set local search_path = ''`;
  const rows = await sql<{ kind: string; name: string; value: string }[]>`
    with watched (role_id, role_name) as (
      select 0::oid, 'public'
      union all
      select oid, rolname from pg_roles
      where rolname in ('anon', 'authenticated', 'service_role', 'supabase_auth_admin')
    ),
    relations as (
      select c.oid, c.relkind, c.relrowsecurity, c.relowner, c.relacl, c.reloptions, c.relnamespace,
        c.oid::regclass::text as name
      from pg_class c
      where c.relnamespace = to_regnamespace('public') and c.relkind in ('r', 'p', 'v', 'm', 'f')
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    ),
    functions as (
      select p.oid, p.oid::regprocedure::text as name, p.prosecdef, p.proconfig, p.proacl, p.proowner, p.prosrc
      from pg_proc p
      where p.pronamespace in (to_regnamespace('api'), to_regnamespace('private'), to_regnamespace('admin'))
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    ),
    guarded as (select oid, name, null::text as prefix from relations
      union all select to_regclass('storage.objects'), 'storage.objects', '^(documents|corredor)_')
    select 'schema' as kind, n.nspname::text as name,
      'used by ' || coalesce(string_agg(w.role_name, ', ' order by w.role_name), 'nobody') as value
    from pg_namespace n
    left join lateral aclexplode(n.nspacl) a on a.privilege_type = 'USAGE' and a.grantee <> n.nspowner
    left join watched w on w.role_id = a.grantee
    where n.nspname in ('api', 'private', 'admin', 'rate_limit')
    group by n.nspname
    union all
    select case when relkind in ('r', 'p', 'f') then 'table' else 'view' end, name,
      case
        when relkind not in ('r', 'p', 'f') then coalesce(array_to_string(reloptions, ', '), 'runs as its owner')
        when relrowsecurity then 'row level security'
        else 'no row level security' end
    from relations
    union all
    select 'column', r.name || '.' || quote_ident(a.attname),
      format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
    from relations r
    join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    union all
    select 'constraint', quote_ident(k.conname) || ' on ' || r.name,
      case when k.convalidated then 'valid' else 'not valid' end
    from relations r join pg_constraint k on k.conrelid = r.oid and k.contype in ('c', 'f', 'p', 'u', 'x')
    union all
    select 'index', quote_ident(c.relname) || ' on ' || r.name, case when i.indisvalid then 'valid' else 'not valid' end
    from relations r join pg_index i on i.indrelid = r.oid join pg_class c on c.oid = i.indexrelid
    union all
    select 'trigger', quote_ident(t.tgname) || ' on ' || g.name,
      t.tgfoid::regproc::text || case when t.tgenabled in ('O', 'A') then '' else ', off' end
    from guarded g join pg_trigger t on t.tgrelid = g.oid and not t.tgisinternal
    where g.prefix is null or t.tgname ~ g.prefix
    union all
    select 'policy', quote_ident(p.polname) || ' on ' || g.name,
      concat_ws(' ',
        case when p.polpermissive then null else 'restrictive' end,
        case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
        'to ' || (select string_agg(case when o = 0 then 'public' else o::regrole::text end, ', ' order by o::regrole::text)
          from unnest(p.polroles) o),
        'using ' || regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\\s+', ' ', 'g'),
        'with check ' || regexp_replace(pg_get_expr(p.polwithcheck, p.polrelid), '\\s+', ' ', 'g'))
    from guarded g join pg_policy p on p.polrelid = g.oid
    where g.prefix is null or p.polname ~ g.prefix
    union all
    select 'grant', g.privilege || ' on ' || g.name || ' to ' || w.role_name,
      case when bool_or(g.column_name is null) then 'all columns'
        else string_agg(quote_ident(g.column_name), ', ' order by g.column_name) end
    from (
      select r.name, null::text as column_name, a.grantee, lower(a.privilege_type) as privilege
      from relations r, aclexplode(r.relacl) a where a.grantee <> r.relowner
      union all
      select r.name, t.attname, a.grantee, lower(a.privilege_type)
      from relations r join pg_attribute t on t.attrelid = r.oid and not t.attisdropped, aclexplode(t.attacl) a
      where a.grantee <> r.relowner
    ) g join watched w on w.role_id = g.grantee
    group by g.privilege, g.name, w.role_name
    union all
    select 'function', name,
      concat_ws(', ', case when prosecdef then 'security definer' else 'security invoker' end,
        (select string_agg(s, ', ' order by s) from unnest(proconfig) s), 'body ' || md5(prosrc))
    from functions
    union all
    select 'execute', f.name || ' to ' || w.role_name, 'granted'
    from functions f, aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
    join watched w on w.role_id = a.grantee
    where a.grantee <> f.proowner`;
  const catalog: Catalog = {};
  for (const { kind, name, value } of rows) {
    catalog[kind] ??= {};
    catalog[kind][name] = value;
  }
  return { ...catalog, job: await readJobs(sql), bucket: await readBucket(sql) };
}

async function readJobs(sql: postgres.TransactionSql): Promise<Record<string, string>> {
  if (!(await isThere(sql, "cron.job"))) return {};
  const rows = await sql<{ name: string; value: string }[]>`
    select jobname::text as name, schedule || ' ' || btrim(command, ' ;') as value
    from cron.job where jobname like 'corredor-%'`;
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

async function readBucket(sql: postgres.TransactionSql): Promise<Record<string, string>> {
  if (!(await isThere(sql, "storage.buckets"))) return {};
  const rows = await sql<{ id: string; value: string }[]>`
    select id, concat_ws(', ',
      case when public then 'public' else 'private' end,
      coalesce(file_size_limit || ' bytes', 'no size limit'),
      coalesce(array_to_string(array(select unnest(allowed_mime_types) order by 1), ' '), 'any type')) as value
    from storage.buckets where id = 'documents'`;
  return Object.fromEntries(rows.map(({ id, value }) => [id, value]));
}

/** Whether there is such a table or view. */
export async function isThere(sql: postgres.TransactionSql, relation: string): Promise<boolean> {
  const [row] = await sql<
    { there: boolean }[]
  >`select to_regclass(${relation}) is not null as there`;
  return row?.there === true;
}

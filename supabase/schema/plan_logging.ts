import type pg from "pg";

/**
 * The planner does not see whether a sequence is logged, so these statements are added to a plan.
 * A sequence that belongs to a column follows its table.
 */
export async function planLogging(current: pg.Pool, wanted: pg.Pool): Promise<string[]> {
  const [before, after] = await Promise.all([readSequences(current), readSequences(wanted)]);
  return [...after]
    .filter(([name, unlogged]) => unlogged !== (before.get(name) ?? false))
    .map(([name, unlogged]) => `alter sequence ${name} set ${unlogged ? "unlogged" : "logged"}`);
}

async function readSequences(pool: pg.Pool): Promise<Map<string, boolean>> {
  const { rows } = await pool.query<{ name: string; unlogged: boolean }>(`
    select format('%I.%I', n.nspname, c.relname) as name, c.relpersistence = 'u' as unlogged
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'S' and not exists (
      select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i', 'e'))
    order by 1`);
  return new Map(rows.map(({ name, unlogged }) => [name, unlogged]));
}

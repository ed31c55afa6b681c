import type pg from "pg";

interface View {
  definition: string;
  /** The statement that gives each column its comment, or takes it away. */
  comments: Record<string, string>;
}

/**
 * The planner does not see comments on the columns of views, so these statements are added to a
 * plan. A view that is made anew has lost its comments, so it gets all of them again.
 */
export async function planViewComments(current: pg.Pool, wanted: pg.Pool): Promise<string[]> {
  const [before, after] = await Promise.all([readViews(current), readViews(wanted)]);
  return [...after].flatMap(([name, { definition, comments }]) => {
    const old = before.get(name);
    return Object.entries(comments)
      .filter(([column, statement]) =>
        old?.definition === definition
          ? old.comments[column] !== statement
          : !statement.endsWith(" is NULL"),
      )
      .map(([, statement]) => statement);
  });
}

async function readViews(pool: pg.Pool): Promise<Map<string, View>> {
  const { rows } = await pool.query<View & { name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name, pg_get_viewdef(c.oid) as definition,
      jsonb_object_agg(a.attname, format('comment on column %I.%I.%I is %L',
        n.nspname, c.relname, a.attname, col_description(c.oid, a.attnum))) as comments
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relkind in ('v', 'm')
      and n.nspname not in ('pg_catalog', 'information_schema')
      and not exists (
        select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    group by c.oid, n.nspname, c.relname order by 1`);
  return new Map(rows.map(({ name, ...view }) => [name, view]));
}

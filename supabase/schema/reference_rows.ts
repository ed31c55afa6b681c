import postgres from "postgres";

/** The rows a schema comes with, by table: each row as JSON text, sorted. */
export type ReferenceRows = Map<string, string[]>;

/**
 * Reads every row of a database that nobody has used, and its cron jobs. All of them are reference
 * rows. Moments in time are left out, as they only tell when the row was written.
 */
export async function readReferenceRows(url: string): Promise<ReferenceRows> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const tables = await sql<{ schema: string; name: string; columns: string[] }[]>`
      select n.nspname as schema, c.relname as name,
        array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind = 'r'
        and (n.nspname in ('public', 'private', 'admin', 'api')
          or (n.nspname = 'cron' and c.relname = 'job')
          or (n.nspname = 'storage' and c.relname = 'buckets'))
        and a.atttypid not in ('timestamptz'::regtype, 'timestamp'::regtype)
        and not (n.nspname = 'cron' and a.attname in ('jobid', 'nodename', 'nodeport', 'database'))
      group by 1, 2 order by 1, 2`;
    const rows: ReferenceRows = new Map();
    for (const { schema, name, columns } of tables) {
      const found = await sql<{ row: string }[]>`
        select to_jsonb(t)::text as row from (
          select ${sql(columns)} from ${sql(schema)}.${sql(name)}
        ) t order by 1`;
      if (found.length > 0)
        rows.set(
          `${schema}.${name}`,
          found.map(({ row }) => row),
        );
    }
    return rows;
  } finally {
    await sql.end();
  }
}

/** The differences, a line each: `- table row` for what only the first has, `+` for the second. */
export function compareRows(first: ReferenceRows, second: ReferenceRows): string[] {
  const differences: string[] = [];
  for (const table of [...new Set([...first.keys(), ...second.keys()])].sort()) {
    const before = first.get(table) ?? [];
    const after = second.get(table) ?? [];
    for (const row of before) if (!after.includes(row)) differences.push(`- ${table} ${row}`);
    for (const row of after) if (!before.includes(row)) differences.push(`+ ${table} ${row}`);
  }
  return differences;
}

import postgres from "postgres";

/** A database setting, as text. */
export type Setting = readonly [name: string, value: string];

/** What PostgREST sets before it calls a function; the function's other settings take effect with the call. */
const HOISTED = ["statement_timeout", "plan_filter.statement_cost_limit"];

/** The settings of roles and functions in the database. */
export class CallSettings {
  readonly #ofRole: ReadonlyMap<string, readonly Setting[]>;
  readonly #ofFunction: ReadonlyMap<string, readonly Setting[]>;
  readonly #readOnly: ReadonlySet<string>;

  constructor(
    ofRole: ReadonlyMap<string, readonly Setting[]> = new Map(),
    ofFunction: ReadonlyMap<string, readonly Setting[]> = new Map(),
    readOnly: ReadonlySet<string> = new Set(),
  ) {
    this.#ofRole = ofRole;
    this.#ofFunction = ofFunction;
    this.#readOnly = readOnly;
  }

  ofRole(role: string): readonly Setting[] {
    return this.#ofRole.get(role) ?? [];
  }

  ofFunction(name: string): readonly Setting[] {
    return this.#ofFunction.get(name) ?? [];
  }

  /** Whether a function is declared stable or immutable: PostgREST then runs it read-only, also in a POST. */
  isReadOnly(name: string): boolean {
    return this.#readOnly.has(name);
  }
}

/**
 * Reads them as PostgREST does with its schema cache: as the gateway's own login, which sees the settings of the roles
 * it may switch to, and of those the ones it may set.
 */
export async function readCallSettings(url: string, schema: string): Promise<CallSettings> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const roles = await sql<{ name: string; config: string[] }[]>`
      select r.rolname as name, array_agg(c.setting) as config
      from pg_auth_members m
      join pg_roles r on r.oid = m.roleid
      cross join unnest(r.rolconfig) as c (setting)
      join pg_settings s on s.name = split_part(c.setting, '=', 1)
      where m.member = current_user::regrole
        and (s.context = 'user' or has_parameter_privilege(current_user, s.name, 'set'))
      group by r.rolname`;
    const functions = await sql<{ name: string; config: string[]; readOnly: boolean }[]>`
      select p.proname as name, coalesce(array_agg(c.setting) filter (where c.setting is not null), '{}') as config,
        bool_and(p.provolatile <> 'v') as "readOnly"
      from pg_proc p
      left join unnest(p.proconfig) as c (setting) on split_part(c.setting, '=', 1) = any (${HOISTED})
      where p.pronamespace = to_regnamespace(${schema})
      group by p.proname`;
    return new CallSettings(
      byName(roles),
      byName(functions),
      new Set(functions.filter(({ readOnly }) => readOnly).map(({ name }) => name)),
    );
  } finally {
    await sql.end();
  }
}

function byName(rows: readonly { name: string; config: string[] }[]): Map<string, Setting[]> {
  return new Map(rows.map(({ name, config }) => [name, config.map(split)]));
}

function split(setting: string): Setting {
  const end = setting.indexOf("=");
  return [setting.slice(0, end), setting.slice(end + 1)];
}

import { App, type ConnectionContextOptions, type VarsContext } from "@supabase/lite";
import { PostgresConnection } from "@supabase/lite/postgres";
import type { Kysely } from "kysely";

/** Supabase Lite's Studio and what its pages call. */
export interface Studio {
  fetch(request: Request, context: { peerAddress: string | null }): Promise<Response>;
  reloadSchema(): Promise<void>;
  close(): Promise<void>;
}

/**
 * An admin in Studio is `postgres`, as on a hosted project, where the service role has no rights on the tables either.
 * The triggers hold the rules for them, too.
 */
class StudioConnection extends PostgresConnection {
  constructor(adminUrl: string) {
    super({ url: adminUrl, postgresOptions: { max: 4, onnotice: () => {} } });
    // In its "unknown" state Lite would grant all tables to the callers' roles on first use.
    Reflect.set(this, "rlsState", "active");
  }

  override withContext<T>(
    vars: VarsContext | undefined,
    // biome-ignore lint/suspicious/noExplicitAny: the type of the method that this overrides.
    work: (db: Kysely<any>) => Promise<T>,
    options?: ConnectionContextOptions,
  ): Promise<T> {
    const role = (vars as { auth?: { role?: string | null } } | undefined)?.auth?.role;
    if (role !== "service_role") return super.withContext(vars, work, options);
    return this.kysely.transaction().execute((transaction) => work(transaction));
  }
}

/** What Studio's table editor reads to list what there is. */
const INTROSPECTION = "/_system/introspect";

interface Relation {
  schema: string;
  name: string;
}

/** Lite tells its Studio of views, but the table editor lists tables alone; so views are named among those. */
async function listViews(answer: Response): Promise<Response> {
  const found = (await answer.json()) as { tables: Relation[]; views: Relation[] };
  const tables = [...found.tables, ...found.views.map(({ schema, name }) => ({ schema, name }))];
  tables.sort((a, b) => (a.name < b.name ? -1 : 1));
  return Response.json({ ...found, tables });
}

/** Whether a request comes from Studio's pages: programs bring an API key, the pages of this machine need none. */
export function isForStudio(request: Request): boolean {
  return !request.headers.has("apikey") && !request.url.includes("apikey=");
}

/**
 * Opens Studio beside the gateway. Lite lets it in without a key only from this machine and from its own pages; it sees
 * every schema that people edit, while the gateway exposes `api` alone.
 */
export async function openStudio(options: {
  adminUrl: string;
  auth: Record<string, unknown>;
}): Promise<Studio> {
  const connection = new StudioConnection(options.adminUrl);
  const app = new App({
    connection,
    api: { enabled: true, schemas: ["public", "api", "admin", "private", "auth", "cron", "net"] },
    auth: options.auth,
    db: { migrations: { enabled: false } },
    studio: { enabled: true },
    options: { server: { admin: true } },
  });
  await app.init();
  return {
    async fetch(request, context) {
      const answer = await app.fetch(request, context as never);
      return answer.ok && new URL(request.url).pathname === INTROSPECTION
        ? listViews(answer)
        : answer;
    },
    reloadSchema: () => connection.clearSchemaCache(),
    close: () => connection.close(),
  };
}

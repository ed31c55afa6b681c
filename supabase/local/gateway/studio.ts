import { App, type ConnectionContextOptions, type VarsContext } from "@supabase/lite";
import { PostgresConnection } from "@supabase/lite/postgres";
import type { Kysely } from "kysely";
import { type Database, openDatabase } from "../postgres/pool.ts";
import { readersOf } from "./values.ts";

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
  readonly #database: Database;

  constructor(adminUrl: string) {
    super({ url: adminUrl });
    // As for the gateway, Lite's own driver is left aside.
    const types = readersOf(this.driver.options.parsers);
    this.#database = openDatabase(adminUrl, { max: 4, types, jsonToText: JSON.stringify });
    this.kysely = this.#database.kysely;
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

  override async close(): Promise<void> {
    await this.#database.close();
    await super.close();
  }
}

/** What Studio's table editor reads to list what there is. */
const INTROSPECTION = "/_system/introspect";

interface Relation {
  schema: string;
  name: string;
}

interface Constraint {
  schema: string;
  table: string;
  columns: string[];
}

interface Introspection {
  tables: Relation[];
  views: Relation[];
  primary_keys: Constraint[];
  unique_constraints: Constraint[];
}

/** Lite tells its Studio of views, but the table editor lists tables alone; so views are named among those. */
function tablesAndViews({ tables, views }: Introspection): Relation[] {
  return [...tables, ...views.map(({ schema, name }) => ({ schema, name }))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

/**
 * The table editor tells rows apart by their `id`, and asks for the row whose first key column has that value. So `id`
 * is told to be the key where it alone names a row: beside the agency, or because it is unique. Of any other key it
 * would take another row, or none; without a key it says that the row cannot be edited.
 */
function keysOfRows({ primary_keys, unique_constraints }: Introspection): Constraint[] {
  return primary_keys
    .filter(
      ({ schema, table, columns }) =>
        ["id", "agency_id,id"].includes(columns.join()) ||
        unique_constraints.some(
          (other) =>
            other.schema === schema && other.table === table && other.columns.join() === "id",
        ),
    )
    .map((key) => ({ ...key, columns: ["id"] }));
}

async function forTableEditor(answer: Response): Promise<Response> {
  const found = (await answer.json()) as Introspection;
  return Response.json({
    ...found,
    tables: tablesAndViews(found),
    primary_keys: keysOfRows(found),
  });
}

/**
 * An edit is of one row, and the editor shows it as done unless it hears of an error. Asked for the row, Lite answers one
 * where there is none; more than one it leaves alone.
 */
async function toOneRow(request: Request): Promise<Request> {
  const headers = new Headers(request.headers);
  headers.set("accept", "application/vnd.pgrst.object+json");
  headers.set("prefer", "return=representation, handling=strict, max-affected=1");
  return new Request(request.url, { method: "PATCH", headers, body: await request.text() });
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
      const asked = request.method === "PATCH" ? await toOneRow(request) : request;
      const answer = await app.fetch(asked, context as never);
      return answer.ok && new URL(request.url).pathname === INTROSPECTION
        ? forTableEditor(answer)
        : answer;
    },
    reloadSchema: () => connection.clearSchemaCache(),
    close: () => connection.close(),
  };
}

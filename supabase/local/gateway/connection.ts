import type {
  AnyAST,
  ConnectionContextOptions,
  IntrospectResult,
  VarsContext,
} from "@supabase/lite";
import { PostgresConnection } from "@supabase/lite/postgres";
import type { Kysely } from "kysely";
import type { DatabaseLogins } from "../postgres/logins.ts";
import { type Database, openDatabase } from "../postgres/pool.ts";
import { CallSettings, readCallSettings, type Setting } from "./call_settings.ts";
import { errorResponse } from "./error_response.ts";
import type { RequestSettings } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { serializeJsonStrings } from "./serialize_json_strings.ts";
import { readersOf } from "./values.ts";

/** The only exposed schema: callers reach functions, never tables. */
export const EXPOSED_SCHEMA = "api";

/** As hosted: the exposed schema first, then `extra_search_path` of the API settings. */
const SEARCH_PATH = `"${EXPOSED_SCHEMA}", "public", "extensions"`;

/** JSON stays text on its way in: Lite has serialized it already. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Supabase Lite's connection with four changes: a caller's request takes one round trip, it runs
 * under the login `authenticator` as on a hosted project, the gateway grants nothing by itself, and
 * Lite's own queries go by pg. Lite's driver, postgres.js 3.4.9, never connects: it ends the process when a connection
 * is lost at the wrong moment (porsager/postgres#1154, #1208).
 */
export class GatewayConnection extends PostgresConnection {
  readonly #lanes: Lanes;
  readonly #admin: Database;
  readonly #requestUrl: string;
  #settings = new CallSettings();

  constructor(database: DatabaseLogins) {
    super({ url: database.adminUrl });
    const types = readersOf(this.driver.options.parsers);
    this.#admin = openDatabase(database.adminUrl, { max: 4, types, jsonToText: asText });
    this.kysely = this.#admin.kysely;
    this.#requestUrl = database.requestUrl;
    this.#lanes = new Lanes({
      url: database.requestUrl,
      applicationName: "gateway",
      types,
    });
    // In its "unknown" state Lite would grant all tables to the callers' roles on first use.
    Reflect.set(this, "rlsState", "active");
  }

  /** Reads again what is exposed, and the settings of roles and functions. */
  async reloadSchema(): Promise<void> {
    await this.clearSchemaCache();
    await this.introspect({ useCache: false });
    this.#settings = await readCallSettings(this.#requestUrl, EXPOSED_SCHEMA);
  }

  /** Lite searches the whole catalog on each request, so it is given only what is exposed. */
  protected override writeCachedIntrospection(
    catalog: IntrospectResult,
    options?: { useDriver?: boolean },
  ): Promise<void> {
    return super.writeCachedIntrospection(exposedPart(catalog), options);
  }

  override async onPostgrestAST(ast: AnyAST): Promise<AnyAST> {
    serializeJsonStrings(ast, await this.introspect({ useCache: true }));
    return super.onPostgrestAST(ast);
  }

  override async withContext<T>(
    vars: VarsContext | undefined,
    work: (db: Kysely<unknown>) => Promise<T>,
    options?: ConnectionContextOptions,
  ): Promise<T> {
    if (vars === undefined || options?.transaction || options?.forceRollback) {
      return super.withContext(vars, work, options);
    }
    return this.#lanes.use(async (lane) => {
      const rpc = options?.rpc;
      const called = rpc?.path.slice("/rpc/".length) ?? "";
      lane.open(requestSettings(vars as RequestContext, rpc, this.#settings), {
        readOnly: rpc !== undefined && (rpc.readOnly === true || this.#settings.isReadOnly(called)),
        single: rpc !== undefined && isPlain(rpc.requestHeaders),
      });
      try {
        const result = await work(lane.kysely);
        // A deferred constraint may still refuse.
        await lane.close(true);
        return result;
      } catch (error) {
        await lane.close(false);
        const response = rpc && errorResponse(error, roleOf(vars as RequestContext));
        if (response === undefined) throw error;
        return response as T;
      }
    });
  }

  override async close(): Promise<void> {
    await this.#lanes.end();
    await this.#admin.close();
    await super.close();
  }
}

function exposedPart(catalog: IntrospectResult): IntrospectResult {
  const isExposed = (item: unknown) =>
    typeof item !== "object" ||
    item === null ||
    !("schema" in item) ||
    item.schema === EXPOSED_SCHEMA;
  return Object.fromEntries(
    Object.entries(catalog).map(([name, part]) => [
      name,
      Array.isArray(part) ? part.filter(isExposed) : part,
    ]),
  ) as unknown as IntrospectResult;
}

function roleOf({ auth }: RequestContext): string {
  return auth?.role || "anon";
}

interface RequestContext {
  auth?:
    | { uid?: string | null; role?: string | null; jwt?: Record<string, unknown> | null }
    | undefined;
}

/**
 * A call that commits in its only batch cannot be rolled back. So a call whose answer may still be refused (a single
 * object, a limit on rows or a rollback is asked for) takes several.
 */
function isPlain(headers: Record<string, string> = {}): boolean {
  return headers.prefer === undefined && !/vnd\.pgrst/.test(headers.accept ?? "");
}

/** In PostgREST's order: what belongs to the role while the login may still set it, then who calls, what and how. */
function requestSettings(
  { auth }: RequestContext,
  rpc: ConnectionContextOptions["rpc"],
  known: CallSettings,
): RequestSettings {
  const role = roleOf({ auth });
  const settings: Setting[] = [
    ["search_path", SEARCH_PATH],
    ...known.ofRole(role),
    ["role", role],
    ["request.jwt.claims", JSON.stringify({ ...auth?.jwt, role })],
  ];
  if (rpc !== undefined) {
    settings.push(
      ["request.method", rpc.method],
      ["request.path", rpc.path],
      ["request.headers", JSON.stringify(rpc.requestHeaders ?? {})],
      ["request.cookies", JSON.stringify(cookiesOf(rpc.requestHeaders))],
      ["response.status", ""],
      ["response.headers", ""],
      ...known.ofFunction(rpc.path.slice("/rpc/".length)),
    );
  }
  return settings;
}

function cookiesOf(headers: Record<string, string> = {}): Record<string, string> {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  return Object.fromEntries(
    pairs.flatMap(([name, ...value]) => (name ? [[name, value.join("=")]] : [])),
  );
}

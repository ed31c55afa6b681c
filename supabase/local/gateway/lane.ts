import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import postgres from "postgres";

/** Settings of one request, as PostgREST gives them to the database (`request.headers`, …). */
export type RequestSettings = readonly (readonly [name: string, value: string])[];

const readResponseSettings =
  "select current_setting('response.status', true) as status, current_setting('response.headers', true) as headers";

/**
 * One connection to the database that serves one request at a time. All statements of a request
 * are written at once: begin, settings, the call, what it set for the response, commit. If the
 * call fails, the server refuses the statements behind it and the commit rolls back, so a request
 * costs a single round trip.
 *
 * The login role (`authenticator`) may do nothing by itself: should the connection be lost between
 * two statements, the rest of the request fails instead of running without its settings.
 */
export class Lane {
  readonly kysely: Kysely<unknown>;
  readonly #sql: postgres.Sql;
  #settings: RequestSettings | undefined;
  #applied: Promise<unknown> | undefined;
  #readOnly = false;
  #single = false;
  #response: Promise<postgres.Row[]> | undefined;
  #commit: Promise<unknown> | undefined;

  constructor(url: string, options: postgres.Options<Record<string, postgres.PostgresType>>) {
    this.#sql = postgres(url, { ...options, max: 1 });
    this.kysely = new Kysely({ dialect: laneDialect((query) => this.#execute(query)) });
  }

  /**
   * Opens the request's transaction. With `single`, its first query is its only one, save for the
   * reading of the response settings.
   */
  open(settings: RequestSettings, options: { readOnly: boolean; single: boolean }): void {
    this.#settings = settings;
    this.#readOnly = options.readOnly;
    this.#single = options.single;
    this.#response = undefined;
    this.#commit = undefined;
  }

  /** Ends the request's transaction. */
  async close(succeeded: boolean): Promise<void> {
    const unused = this.#settings !== undefined;
    this.#settings = undefined;
    if (unused) return;
    const end = this.#commit ?? this.#sql.unsafe(succeeded ? "commit" : "rollback");
    // After a failure the error to tell is that one, and not how its transaction ended.
    await (succeeded ? end : Promise.resolve(end).catch(() => {}));
  }

  async end(): Promise<void> {
    await this.#sql.end({ timeout: 1 });
  }

  async #execute(compiled: CompiledQuery): Promise<QueryResult<unknown>> {
    if (this.#response !== undefined && /\bresponse\.status\b/.test(compiled.sql)) {
      return { rows: await this.#response };
    }
    if (this.#settings !== undefined) this.#begin(this.#settings);
    const query = this.#sql
      .unsafe(compiled.sql, compiled.parameters as never[], { prepare: true })
      .execute();
    if (this.#single && this.#commit === undefined) {
      this.#response = quietly(this.#sql.unsafe(readResponseSettings, [], { prepare: true }));
      this.#commit = quietly(this.#sql.unsafe("commit"));
    }
    const result = await query.catch((error) => this.#firstError(error));
    const changed = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(result.command);
    return {
      rows: [...result],
      ...(changed ? { numAffectedRows: BigInt(result.count) } : {}),
    };
  }

  #begin(settings: RequestSettings): void {
    this.#settings = undefined;
    quietly(this.#sql.unsafe(this.#readOnly ? "begin read only" : "begin"));
    const calls = settings.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true)`);
    this.#applied = quietly(
      this.#sql.unsafe(`select ${calls.join(", ")}`, settings.flat() as never[], { prepare: true }),
    );
  }

  /** "Current transaction is aborted" hides what really failed: the settings in front of the call. */
  async #firstError(error: unknown): Promise<never> {
    if ((error as { code?: string }).code === "25P02") await this.#applied;
    throw error;
  }
}

/** Starts a query whose failure shows in the query behind it. */
function quietly(query: postgres.PendingQuery<postgres.Row[]>) {
  const running = query.execute();
  running.catch(() => {});
  return running;
}

function laneDialect(execute: (query: CompiledQuery) => Promise<QueryResult<unknown>>) {
  const connection: DatabaseConnection = {
    executeQuery: execute as DatabaseConnection["executeQuery"],
    // biome-ignore lint/correctness/useYield: the gateway never streams, it only has to say so.
    async *streamQuery() {
      throw new Error("a request's connection does not stream");
    },
  };
  const nothing = async () => {};
  const driver: Driver = {
    init: nothing,
    acquireConnection: async () => connection,
    releaseConnection: nothing,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    destroy: nothing,
  };
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

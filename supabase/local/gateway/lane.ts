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
import type { Statement, StatementResult } from "./batch.ts";
import { Session, type SessionOptions } from "./session.ts";

/** Settings of one request, as PostgREST gives them to the database (`request.headers`, …). */
export type RequestSettings = readonly (readonly [name: string, value: string])[];

const readResponseSettings: Statement = {
  text: "select current_setting('response.status', true) as status, current_setting('response.headers', true) as headers",
};

/**
 * Serves one request at a time, on a connection that is kept for the next. A request's role and settings are sent in the
 * same batch as its first statement: the statement runs with them or not at all, and a call costs a single round trip.
 */
export class Lane {
  readonly kysely: Kysely<unknown>;
  readonly #options: SessionOptions;
  #session: Session | undefined;
  #request: OpenRequest | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.kysely = new Kysely({ dialect: laneDialect((query) => this.#execute(query)) });
  }

  /**
   * Opens a request. With `single`, its first query is its only one, save for the reading of the response settings, and
   * is committed with it.
   */
  open(settings: RequestSettings, options: { readOnly: boolean; single: boolean }): void {
    const first = options.readOnly ? [READ_ONLY, ...settings] : settings;
    this.#request = { settings: first, single: options.single };
  }

  /** Ends the request, and the transaction that it still has. */
  async close(succeeded: boolean): Promise<void> {
    const request = this.#request;
    this.#request = undefined;
    if (request?.session === undefined || request.single) return;
    const end = request.session.run([{ text: succeeded ? "commit" : "rollback" }]);
    // After a failure, report that error and not how the transaction ended.
    await (succeeded ? end : end.catch(() => {}));
  }

  async end(): Promise<void> {
    await this.#session?.end();
  }

  async #execute(compiled: CompiledQuery): Promise<QueryResult<unknown>> {
    const request = this.#request;
    if (request === undefined) throw new Error("a query outside of its request");
    if (request.response !== undefined && /\bresponse\.status\b/.test(compiled.sql)) {
      return { rows: request.response };
    }
    const query = { text: compiled.sql, values: compiled.parameters };
    return asKyselyResult(await this.#run(request, query));
  }

  async #run(request: OpenRequest, query: Statement): Promise<StatementResult | undefined> {
    if (request.session === undefined) {
      const settings = settingOf(request.settings);
      request.session = await this.#connected();
      if (!request.single) {
        const results = await request.session.run([{ text: "begin" }, settings, query]);
        return results[2];
      }
      const results = await request.session.run([settings, query, readResponseSettings]);
      request.response = results[2]?.rows ?? [];
      return results[1];
    }
    if (request.single) throw new Error("a second query in a request that has one");
    // On another connection it would not have the request's role.
    const [result] = await request.session.run([query]);
    return result;
  }

  async #connected(): Promise<Session> {
    if (this.#session === undefined || this.#session.isLost) {
      this.#session = await Session.open(this.#options);
    }
    return this.#session;
  }
}

interface OpenRequest {
  settings: RequestSettings;
  single: boolean;
  /** The connection that has the request's settings, from its first query on. */
  session?: Session;
  /** What the call set for the response. */
  response?: Record<string, unknown>[];
}

const READ_ONLY = ["transaction_read_only", "on"] as const;

function settingOf(settings: RequestSettings): Statement {
  const calls = settings.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, true)`);
  return { text: `select ${calls.join(", ")}`, values: settings.flat() };
}

function asKyselyResult(result: StatementResult | undefined): QueryResult<unknown> {
  const { command = "", rowCount = null, rows = [] } = result ?? {};
  const changed = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(command);
  return { rows, ...(changed ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
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

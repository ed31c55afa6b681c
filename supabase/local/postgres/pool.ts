import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { typedClient } from "./typed_client.ts";

/** How a database is used. */
export interface PoolOptions {
  max: number;
  applicationName?: string;
  /** How text of the database becomes a value, instead of pg's own way. */
  types?: pg.CustomTypesConfig;
  /** Serializes JSON; with it, the server is asked for the type of each parameter first. */
  jsonToText?: (value: unknown) => string;
}

/** A database with a pool of connections. A lost one fails the queries on it and is replaced. */
export interface Database {
  readonly kysely: Kysely<unknown>;
  readonly pool: pg.Pool;
  /** Waits a second for running queries, then closes their connections too. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 1000;

/** Opens a database; the first connection is made when it is needed. */
export function openDatabase(url: string, options: PoolOptions): Database {
  const { max, applicationName, types, jsonToText } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: "-c TimeZone=UTC",
    ...(applicationName === undefined ? {} : { application_name: applicationName }),
    ...(types === undefined ? {} : { types }),
    ...(jsonToText === undefined ? {} : { Client: typedClient(jsonToText) }),
  });
  const clients = new Set<pg.PoolClient>();
  // The loss of a connection is reported by the query that uses it; without a listener it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    clients.add(client);
  });
  pool.on("remove", (client) => clients.delete(client));
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  return {
    kysely,
    pool,
    async close() {
      const late = setTimeout(() => {
        for (const client of clients) void (client as unknown as pg.Client).end();
      }, CLOSE_TIMEOUT_MS);
      await pool.end();
      clearTimeout(late);
    },
  };
}

import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { typedClient } from "./typed_query.ts";

/** How a database is used. */
export interface PoolOptions {
  max: number;
  applicationName?: string;
  /** How text of the database becomes a value, where pg's own way is not meant. */
  types?: pg.CustomTypesConfig;
  /** Makes text of a value of JSON; with it, each parameter is asked for its type first. */
  jsonToText?: (value: unknown) => string;
}

/** A database with a pool of connections. A lost one fails what was under way on it, and the next takes its place. */
export interface Database {
  readonly kysely: Kysely<unknown>;
  readonly pool: pg.Pool;
  /** Ends it, and after a second also what is still under way. */
  close(): Promise<void>;
}

const CONNECT_WITHIN_MS = 10_000;
const IDLE_MS = 20_000;
const PATIENCE_MS = 1000;

/** Opens a database; the first connection is made when it is needed. */
export function openDatabase(url: string, options: PoolOptions): Database {
  const { max, applicationName, types, jsonToText } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    options: "-c TimeZone=UTC",
    ...(applicationName === undefined ? {} : { application_name: applicationName }),
    ...(types === undefined ? {} : { types }),
    ...(jsonToText === undefined ? {} : { Client: typedClient(jsonToText) }),
  });
  const clients = new Set<pg.PoolClient>();
  // Whoever uses the connection hears of its loss from their own query, be it this one or the next.
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
      }, PATIENCE_MS);
      await pool.end();
      clearTimeout(late);
    },
  };
}

import postgres from "postgres";
import { explainDatabase } from "../command_database.ts";

/** A database that is only read. */
export interface Reader {
  /** Host, port and name, without the password. */
  address: string;
  /** Runs queries in one transaction that cannot write. */
  read<T>(work: (sql: postgres.TransactionSql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_S = 8;
const STATEMENT_TIMEOUT = "8s";

/** Opens a database to look at it. Nothing is sent before the first reading. */
export function openReader(url: string): Reader {
  const { hostname, host, pathname, searchParams } = new URL(url);
  const loopback = hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
  const sql = postgres(url, {
    max: 4,
    onnotice: () => {},
    connect_timeout: CONNECT_TIMEOUT_S,
    // Poolers that hand out a connection for each transaction know no prepared statements.
    prepare: false,
    ...(loopback || searchParams.has("sslmode") ? {} : { ssl: "prefer" as const }),
  });
  return {
    address: `${host}${pathname}`,
    read: <T>(work: (sql: postgres.TransactionSql) => Promise<T>) =>
      sql.begin("read only", async (transaction) => {
        await transaction`select set_config('statement_timeout', ${STATEMENT_TIMEOUT}, true)`;
        return work(transaction);
      }) as Promise<T>,
    close: () => sql.end({ timeout: 1 }),
  };
}

/** Whether it answers; why not, when it does not. */
export async function reach(reader: Reader): Promise<string | undefined> {
  try {
    await reader.read((sql) => sql`select 1`);
    return undefined;
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // A refused password comes as a sentence of the server; nobody there is a code of the system.
    return code.length === 5 ? (error as Error).message : explainDatabase(error).split(" (")[0];
  }
}

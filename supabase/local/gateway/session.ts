import pg from "pg";
import { Batch, type Statement, type StatementResult } from "./batch.ts";
import { LostConnection } from "./lost_connection.ts";

/** How a session is opened. */
export interface SessionOptions {
  url: string;
  applicationName: string;
  /** How text of the database becomes a value. */
  types: pg.CustomTypesConfig;
}

/** Longer than a server takes that is only busy. */
const CONNECT_WITHIN_MS = 10_000;

/** Statements beyond these stay unprepared, so that no caller fills the server's memory with ever new ones. */
const PREPARED_AT_MOST = 500;

/** A connection to the database that does one batch at a time. Once it is lost it stays so: no other takes its place. */
export class Session {
  readonly #client: pg.Client;
  readonly #types: pg.CustomTypesConfig;
  readonly #prepared = new Set<string>();
  #lost = false;

  private constructor(client: pg.Client, types: pg.CustomTypesConfig) {
    this.#client = client;
    this.#types = types;
    // Who asks next hears of it; nobody else has to.
    client.on("error", () => this.#lose());
    client.on("end", () => this.#lose());
  }

  static async open({ url, applicationName, types }: SessionOptions): Promise<Session> {
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      options: "-c TimeZone=UTC",
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      keepAlive: true,
    });
    const session = new Session(client, types);
    try {
      await client.connect();
    } catch (error) {
      void client.end();
      throw new LostConnection(error);
    }
    return session;
  }

  get isLost(): boolean {
    return this.#lost;
  }

  async run(statements: readonly Statement[]): Promise<StatementResult[]> {
    const batch = new Batch(statements.map(named), this.#types, this.#prepared);
    this.#client.query(batch);
    try {
      return await batch.done;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) {
        this.#lose();
        throw new LostConnection(error);
      }
      // The server says so before it hangs up.
      if (error.severity !== "ERROR") this.#lose();
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.#client.end();
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    void this.#client.end();
  }
}

const names = new Map<string, string>();

function named(statement: Statement): Statement {
  const { text } = statement;
  const known = names.get(text);
  if (known !== undefined) return { ...statement, name: known };
  if (names.size >= PREPARED_AT_MOST) return statement;
  const name = `s${names.size}`;
  names.set(text, name);
  return { ...statement, name };
}

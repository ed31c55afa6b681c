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

/** Longer than a busy server takes. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Further statements stay unprepared, so that no caller fills the server's memory with new ones. */
const MAX_PREPARED_STATEMENTS = 500;

/** A connection to the database that runs one batch at a time. It is not reopened once it is lost. */
export class Session {
  readonly #client: pg.Client;
  readonly #types: pg.CustomTypesConfig;
  readonly #prepared = new Set<string>();
  #lost = false;

  private constructor(client: pg.Client, types: pg.CustomTypesConfig) {
    this.#client = client;
    this.#types = types;
    // The next query reports the loss.
    client.on("error", () => this.#lose());
    client.on("end", () => this.#lose());
  }

  static async open({ url, applicationName, types }: SessionOptions): Promise<Session> {
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      options: "-c TimeZone=UTC",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
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
    const batch = new Batch(statements.map(withName), this.#types, this.#prepared);
    this.#client.query(batch);
    try {
      return await batch.done;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) {
        this.#lose();
        throw new LostConnection(error);
      }
      // With FATAL and PANIC the server closes the connection.
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

function withName(statement: Statement): Statement {
  const { text } = statement;
  const known = names.get(text);
  if (known !== undefined) return { ...statement, name: known };
  if (names.size >= MAX_PREPARED_STATEMENTS) return statement;
  const name = `s${names.size}`;
  names.set(text, name);
  return { ...statement, name };
}

import type { ConnectionContextOptions, VarsContext } from "@supabase/lite";
import { PostgresConnection } from "@supabase/lite/postgres";
import type { Kysely } from "kysely";
import { errorResponse } from "../gateway/error_response.ts";
import { readersOf } from "../gateway/values.ts";
import { type Database, openDatabase } from "../postgres/pool.ts";
import { sentenceOf } from "../sentence_of.ts";

/**
 * An admin in Studio is `postgres`, as on a hosted project, where the service role has no rights on the tables either.
 * The triggers hold the rules for them, too.
 */
export class StudioConnection extends PostgresConnection {
  readonly #database: Database;
  readonly #log: (line: string) => void;

  constructor(adminUrl: string, log: (line: string) => void) {
    super({ url: adminUrl });
    // As for the gateway, Lite's own driver is left aside.
    const types = readersOf(this.driver.options.parsers);
    this.#database = openDatabase(adminUrl, { max: 4, types, jsonToText: JSON.stringify });
    this.kysely = this.#database.kysely;
    this.#log = log;
    // In its "unknown" state Lite would grant all tables to the callers' roles on first use.
    Reflect.set(this, "rlsState", "active");
  }

  override async withContext<T>(
    vars: VarsContext | undefined,
    // biome-ignore lint/suspicious/noExplicitAny: the type of the method that this overrides.
    work: (db: Kysely<any>) => Promise<T>,
    options?: ConnectionContextOptions,
  ): Promise<T> {
    const role = (vars as { auth?: { role?: string | null } } | undefined)?.auth?.role;
    if (role !== "service_role") return super.withContext(vars, work, options);
    try {
      return await this.kysely.transaction().execute((transaction) => work(transaction));
    } catch (error) {
      const refused = await this.#refusal(error);
      if (refused === undefined) throw error;
      return refused as T;
    }
  }

  override async close(): Promise<void> {
    await this.#database.close();
    await super.close();
  }

  /** Studio shows the message of an error and nothing else of it, so that has to say everything. */
  async #refusal(error: unknown): Promise<Response | undefined> {
    const response = errorResponse(error, "postgres");
    if (response === undefined) return undefined;
    const message = response.status === 503 ? "The database does not answer." : sentenceOf(error);
    this.#log(`[studio] refused: ${message}`);
    const body = (await response.json()) as Record<string, unknown>;
    return Response.json({ ...body, message }, { status: response.status });
  }
}

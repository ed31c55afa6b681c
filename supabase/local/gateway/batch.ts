import pg from "pg";

/** A statement with its parameters; one that has a name stays prepared on its connection. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string | undefined;
}

/** What a statement of a batch gave. */
export interface StatementResult {
  command: string;
  rowCount: number | null;
  rows: Record<string, unknown>[];
}

/** pg's own reader of a result, which its types leave out. */
interface ResultReader extends StatementResult {
  addFields(fields: unknown): void;
  addRow(row: Record<string, unknown>): void;
  addCommandComplete(message: unknown): void;
  parseRow(fields: unknown): Record<string, unknown>;
}

const library = pg as unknown as {
  Result: new (rowMode: undefined, types: pg.CustomTypesConfig) => ResultReader;
  utils: { prepareValue(value: unknown): string | Buffer | null };
};

/**
 * Statements that are sent together, with a single Sync after the last. When one fails, the server skips the rest; without
 * a `begin` all of them are one transaction, which ends with the Sync. They share a connection, so no statement can run
 * where the one before it did not.
 */
export class Batch implements pg.Submittable {
  readonly done: Promise<StatementResult[]>;
  readonly #statements: readonly { text: string; name: string; values: unknown[] }[];
  readonly #results: ResultReader[];
  readonly #prepared: Set<string>;
  #current = 0;
  #resolve!: (results: StatementResult[]) => void;
  #reject!: (error: unknown) => void;

  /** `prepared` remembers the names that the connection knows. */
  constructor(
    statements: readonly Statement[],
    types: pg.CustomTypesConfig,
    prepared: Set<string>,
  ) {
    // Values are prepared first, so that nothing has been written when one cannot be sent.
    this.#statements = statements.map(({ text, name = "", values = [] }) => ({
      text,
      name,
      values: values.map((value) => library.utils.prepareValue(value)),
    }));
    this.#results = statements.map(() => new library.Result(undefined, types));
    this.#prepared = prepared;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork();
    try {
      for (const { text, name, values } of this.#statements) {
        if (!this.#prepared.has(name)) {
          // A statement that failed may still have been prepared. Closing one that does not exist is no error.
          if (name !== "") connection.close({ type: "S", name }, true);
          connection.parse({ text, name, types: [] }, true);
        }
        connection.bind({ statement: name, values } as pg.BindConfig, true);
        connection.describe({ type: "P", name: "" }, true);
        connection.execute(null, true);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription(message: { fields: unknown }): void {
    this.#remember();
    this.#results[this.#current]?.addFields(message.fields);
  }

  handleDataRow(message: { fields: unknown }): void {
    const result = this.#results[this.#current];
    try {
      result?.addRow(result.parseRow(message.fields));
    } catch (error) {
      this.#reject(error);
    }
  }

  handleCommandComplete(message: unknown): void {
    this.#remember();
    this.#results[this.#current]?.addCommandComplete(message);
    this.#current++;
  }

  handleEmptyQuery(): void {
    this.#current++;
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#results);
  }

  #remember(): void {
    const name = this.#statements[this.#current]?.name ?? "";
    if (name !== "") this.#prepared.add(name);
  }
}

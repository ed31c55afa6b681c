import pg from "pg";

/** JSON and JSONB. */
const JSON_TYPES: ReadonlySet<number> = new Set([114, 3802]);

/** The parts of pg's own query that its types leave out. */
interface OpenQuery {
  text: string;
  values: unknown[];
  prepare(connection: pg.Connection): void;
  handleError(error: unknown, connection: pg.Connection): void;
}

type Callback = (error: Error | null, result: pg.QueryResult) => void;

const Query = pg.Query as unknown as new (
  config: { text: string; values: unknown[] },
  values: undefined,
  callback: Callback,
) => OpenQuery;

/**
 * A query that asks the server for the types of its parameters before it sends them: a list is written differently for
 * a column of JSON and for one of an array type, and so is a string.
 */
class TypedQuery extends Query {
  readonly #jsonToText: (value: unknown) => string;
  #asked: ((types: { dataTypeIDs: number[] }) => void) | undefined;

  constructor(
    text: string,
    values: unknown[],
    jsonToText: (value: unknown) => string,
    callback: Callback,
  ) {
    super({ text, values }, undefined, callback);
    this.#jsonToText = jsonToText;
  }

  override prepare(connection: pg.Connection): void {
    this.#asked = ({ dataTypeIDs }) => {
      this.#asked = undefined;
      this.values = this.values.map((value, i) =>
        value != null && JSON_TYPES.has(dataTypeIDs[i] ?? 0) ? this.#jsonToText(value) : value,
      );
      super.prepare(connection);
    };
    connection.once("parameterDescription", this.#asked);
    connection.parse({ text: this.text, name: "", types: [] }, true);
    connection.describe({ type: "S", name: "" }, true);
    connection.flush();
  }

  override handleError(error: unknown, connection: pg.Connection): void {
    if (this.#asked !== undefined) {
      connection.removeListener("parameterDescription", this.#asked);
      // The server passes over everything until it is told that the question is over.
      connection.sync();
    }
    super.handleError(error, connection);
  }
}

/** A kind of client whose queries with parameters are typed. */
export function typedClient(jsonToText: (value: unknown) => string): typeof pg.Client {
  class TypedClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: pg's many forms of a query in one.
    override query(query: any, values?: any, callback?: any): any {
      if (typeof query !== "string" || !Array.isArray(values) || values.length === 0) {
        return super.query(query, values, callback);
      }
      return new Promise((resolve, reject) => {
        const settle: Callback = (error, result) => (error ? reject(error) : resolve(result));
        super.query(new TypedQuery(query, values, jsonToText, settle) as never);
      });
    }
  }
  return TypedClient;
}

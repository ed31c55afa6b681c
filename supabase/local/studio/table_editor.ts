/** What Studio's table editor reads to list what there is. */
export const INTROSPECTION = "/_system/introspect";

interface Relation {
  schema: string;
  name: string;
}

interface Constraint {
  schema: string;
  table: string;
  columns: string[];
}

interface Column {
  type: string;
}

interface Introspection {
  columns: Column[];
  tables: Relation[];
  views: Relation[];
  primary_keys: Constraint[];
  unique_constraints: Constraint[];
}

/** Lite tells its Studio of views, but the table editor lists tables alone; so views are named among those. */
function tablesAndViews({ tables, views }: Introspection): Relation[] {
  return [...tables, ...views.map(({ schema, name }) => ({ schema, name }))].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
}

/**
 * The table editor tells rows apart by their `id`, and asks for the row whose first key column has that value. So `id`
 * is told to be the key where it alone names a row: beside the agency, or because it is unique. Of any other key it
 * would take another row, or none; without a key it says that the row cannot be edited.
 */
function keysOfRows({ primary_keys, unique_constraints }: Introspection): Constraint[] {
  return primary_keys
    .filter(
      ({ schema, table, columns }) =>
        ["id", "agency_id,id"].includes(columns.join()) ||
        unique_constraints.some(
          (other) =>
            other.schema === schema && other.table === table && other.columns.join() === "id",
        ),
    )
    .map((key) => ({ ...key, columns: ["id"] }));
}

/** The grid shows columns in this order and only the first few without scrolling, and ids say nothing to people. */
function idsLast({ columns }: Introspection): Column[] {
  const isId = ({ type }: Column) => type === "uuid";
  return [...columns.filter((one) => !isId(one)), ...columns.filter(isId)];
}

/** The answer as the table editor has to have it. */
export async function forTableEditor(answer: Response): Promise<Response> {
  const found = (await answer.json()) as Introspection;
  return Response.json({
    ...found,
    tables: tablesAndViews(found),
    primary_keys: keysOfRows(found),
    columns: idsLast(found),
  });
}

/**
 * An edit is of one row, and the editor shows it as done unless it hears of an error. Asked for the row, Lite answers one
 * where there is none; more than one it leaves alone.
 */
export async function toOneRow(request: Request): Promise<Request> {
  const headers = new Headers(request.headers);
  headers.set("accept", "application/vnd.pgrst.object+json");
  headers.set("prefer", "return=representation, handling=strict, max-affected=1");
  return new Request(request.url, { method: "PATCH", headers, body: await request.text() });
}

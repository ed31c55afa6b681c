import { loadModule, parsePlPgSQLSync, parseSync } from "libpg-query";

/** A function as the database shows it. */
export interface FunctionSource {
  name: string;
  language: string;
  /** The whole `create function`. */
  definition: string;
  /** What stands between the dollars. */
  body: string;
}

await loadModule();

/** What safeupdate refuses of a function: each UPDATE and DELETE that names no rows, in any depth, and text that is run. */
export function unboundedChanges(source: FunctionSource): string[] {
  if (source.language === "sql") return inStatement(source.body);
  // The parser knows no types of the schema, and takes an array of rows for a row.
  const definition = source.definition.replace(/\b(public|private)\.\w+\[\]/g, "text[]");
  return [...nodes(parsePlPgSQLSync(definition))].flatMap(({ kind, node }) => {
    if (kind === "PLpgSQL_stmt_dynexecute" || kind === "PLpgSQL_stmt_dynfors") {
      return inRunText(JSON.stringify(node.query));
    }
    return kind === "PLpgSQL_expr" ? inStatement(String(node.query)) : [];
  });
}

/** A text that is run may be made of anything, unless it is a template that neither changes nor removes rows. */
function inRunText(expression: string): string[] {
  const isTemplate = /"query":"(format\()?(\s|\\n)*['$]/.test(expression);
  return isTemplate && !/\b(update|delete|merge)\b/i.test(expression) ? [] : ["EXECUTE of a text"];
}

/** An expression is no statement of its own, and an assignment is none either; both can hold no change but in a query. */
function inStatement(text: string): string[] {
  let tree: unknown;
  for (const form of [text, `select ${text}`, `select ${text.replace(/^[^:=]*:?=/, "")}`]) {
    try {
      tree = parseSync(form);
      break;
    } catch {}
  }
  if (tree === undefined) return [`cannot be read: ${text}`];
  return [...nodes(tree)].flatMap(({ kind, node }) =>
    (kind === "UpdateStmt" || kind === "DeleteStmt") && node.whereClause === undefined
      ? [`${kind === "UpdateStmt" ? "UPDATE" : "DELETE"} requires a WHERE clause`]
      : [],
  );
}

interface TreeNode {
  kind: string;
  node: Record<string, unknown>;
}

function* nodes(tree: unknown): Generator<TreeNode> {
  if (typeof tree !== "object" || tree === null) return;
  for (const [kind, node] of Object.entries(tree)) {
    if (!Array.isArray(tree) && typeof node === "object" && node !== null) {
      yield { kind, node: node as Record<string, unknown> };
    }
    yield* nodes(node);
  }
}

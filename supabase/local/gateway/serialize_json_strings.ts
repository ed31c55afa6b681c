import type { AnyAST, IntrospectResult, RpcAST } from "@supabase/lite";

const jsonTypes = new Set(["json", "jsonb"]);

/**
 * Lite serializes a call's JSON arguments unless they are strings, so `"5"` and `5` would reach the
 * database as the same text. Here strings are serialized first, and text is all that is left.
 */
export function serializeJsonStrings(ast: AnyAST, catalog: IntrospectResult): void {
  if (!isCall(ast) || ast.args === undefined || Array.isArray(ast.args)) return;
  const args = ast.args as Record<string, unknown>;
  const named = catalog.functions?.find(
    (one) =>
      one.schema === ast.schema &&
      one.name === ast.function &&
      Object.keys(args).every((name) => one.arg_names.includes(name)),
  );
  for (const [name, value] of Object.entries(args)) {
    const type = named?.arg_types[named.arg_names.indexOf(name)];
    if (typeof value === "string" && type !== undefined && jsonTypes.has(type)) {
      args[name] = JSON.stringify(value);
    }
  }
}

function isCall(ast: AnyAST): ast is RpcAST {
  return ast.type === "rpc";
}

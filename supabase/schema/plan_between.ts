import { extract } from "@supabase/pg-delta/extract";
import { renderPlanFiles } from "@supabase/pg-delta/frontends";
import { plan } from "@supabase/pg-delta/plan";
import { formatSqlStatements } from "@supabase/pg-delta/sql-format";
import pg from "pg";
import { Failure } from "../failure.ts";
import { planLogging } from "./plan_logging.ts";
import { planViewComments } from "./plan_view_comments.ts";

/** The SQL that brings the schema of one database to that of another; empty when they are equal. */
export async function planBetween(currentUrl: string, wantedUrl: string): Promise<string> {
  const current = new pg.Pool({ connectionString: currentUrl, max: 1 });
  const wanted = new pg.Pool({ connectionString: wantedUrl, max: 1 });
  try {
    const [before, after] = await Promise.all([extract(current), extract(wanted)]);
    // A rename is told from a drop and a create by a person, in the migration that this writes.
    const planned = plan(before.factBase, after.factBase, { renames: "off" });
    // An extension's own comment belongs to its owner, who is not `postgres` on a hosted project.
    const statements = planned.actions
      .map(({ sql }) => sql)
      .filter((sql) => !/^COMMENT ON EXTENSION/i.test(sql));
    if (
      statements.length > 0 &&
      renderPlanFiles(planned, { allowDrops: true }).files?.length !== 1
    ) {
      throw new Failure("the change needs more than one transaction; write its migration by hand");
    }
    statements.push(...(await planLogging(current, wanted)));
    statements.push(...(await planViewComments(current, wanted)));
    return statements.length === 0 ? "" : layOut(statements);
  } finally {
    await Promise.all([current.end(), wanted.end()]);
  }
}

function layOut(statements: string[]): string {
  const formatted = formatSqlStatements(
    // A hosted project may have the extension already.
    statements.map((sql) =>
      sql.replace(/^CREATE EXTENSION (?!IF)/, "CREATE EXTENSION IF NOT EXISTS "),
    ),
    { keywordCase: "lower", maxWidth: 100, preserveRoutineBodies: true, preserveViewBodies: true },
  );
  return `set local check_function_bodies = off;\n\n${formatted
    .map((sql) => (sql.trimEnd().endsWith(";") ? sql.trim() : `${sql.trim()};`))
    .join("\n\n")}\n`;
}

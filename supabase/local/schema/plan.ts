import { extract } from "@supabase/pg-delta/extract";
import { renderPlanFiles } from "@supabase/pg-delta/frontends";
import { plan } from "@supabase/pg-delta/plan";
import { formatSqlStatements } from "@supabase/pg-delta/sql-format";
import pg from "pg";
import { Failure } from "../failure.ts";

/** The SQL that brings the schema of one database to that of another; empty when they are equal. */
export async function planBetween(currentUrl: string, wantedUrl: string): Promise<string> {
  const [current, wanted] = await Promise.all([readCatalog(currentUrl), readCatalog(wantedUrl)]);
  // A rename is told from a drop and a create by a person, in the migration that this writes.
  const planned = plan(current, wanted, { renames: "off" });
  if (planned.actions.length === 0) return "";
  const rendered = renderPlanFiles(planned, { allowDrops: true });
  if (rendered.files?.length !== 1) {
    throw new Failure("the change needs more than one transaction; write its migration by hand");
  }
  const statements = planned.actions.map(({ sql }) => sql);
  return layOut(statements);
}

async function readCatalog(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    return (await extract(pool)).factBase;
  } finally {
    await pool.end();
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

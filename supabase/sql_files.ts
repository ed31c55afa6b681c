import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import postgres from "postgres";
import { Failure } from "./failure.ts";

/** The repository. */
export const root = resolve(import.meta.dirname, "..");
/** Where production's migrations are. */
export const migrationsDirectory = join(root, "supabase", "migrations");
const sqlDirectory = join(root, "sql");

/** Where a database's schema is taken from; the drift check proves that both are the same. */
export type SchemaSource = "migrations" | "sql" | "nothing";

/** The SQL files of a source in the order they are run, as absolute paths. */
export function schemaFiles(source: SchemaSource): string[] {
  if (source === "nothing") return [];
  const directory = source === "migrations" ? migrationsDirectory : sqlDirectory;
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sql"))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((file) => join(directory, file));
}

/** Runs all files of a source on a database that has had its bootstrap. */
export async function loadSchema(url: string, source: SchemaSource): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    // Functions may name what a later file creates.
    await sql.unsafe("set check_function_bodies = off");
    for (const file of schemaFiles(source)) await runFile(sql, file);
  } finally {
    await sql.end();
  }
}

/** The text of one file. */
export function readSql(path: string): string {
  return readFileSync(path, "utf8");
}

/** Runs files in one transaction; an error names file and line. */
export async function runFiles(sql: postgres.Sql, paths: readonly string[]): Promise<void> {
  await sql.unsafe("begin");
  for (const path of paths) {
    const text = readSql(path);
    try {
      await sql.unsafe(text);
    } catch (error) {
      await sql.unsafe("rollback").catch(() => {});
      if (!(error instanceof postgres.PostgresError)) throw error;
      const before = text.slice(0, Math.max(0, Number(error.position ?? 1) - 1));
      const place = `${relative(root, path)}:${before.split("\n").length}`;
      const detail = [error.detail, error.hint, error.where].filter(Boolean).join(" | ");
      throw new Failure(`${place}: ${error.message}${detail ? ` (${detail})` : ""}`);
    }
  }
  await sql.unsafe("commit");
}

/** Runs one file in one transaction. */
export async function runFile(sql: postgres.Sql, path: string): Promise<void> {
  await runFiles(sql, [path]);
}

/** Runs generated SQL in one transaction. */
export async function runText(url: string, text: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`begin;${text};commit;`);
  } finally {
    await sql.end();
  }
}

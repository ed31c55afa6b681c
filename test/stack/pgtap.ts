import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import postgres from "postgres";

/** How one pgTAP file went. */
export interface TapReport {
  passed: string[];
  failed: { name: string; diagnostics: string }[];
  planned: number | undefined;
}

const root = join(import.meta.dirname, "..", "db");

/**
 * The pgTAP files below test/db as `supabase test db test/db` finds and runs them: every .sql file of every folder, in the
 * order of their paths. The first one makes and commits the schema `tests`, which the others need.
 */
export function tapFiles(): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => join(root, file));
}

/** The name of a file in reports. */
export function tapName(path: string): string {
  return relative(root, path);
}

/** Runs one file on a database that has pgTAP. All but the first file roll their work back themselves. */
export async function runTap(url: string, path: string): Promise<TapReport> {
  const text = readFileSync(path, "utf8");
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { TimeZone: "UTC" } });
  try {
    const results = (await sql.unsafe(text)) as unknown as postgres.RowList<postgres.Row[]>[];
    const lines = results.flatMap((rows) => rows.flatMap((row) => Object.values(row).map(String)));
    return parseTap(lines.flatMap((line) => line.split("\n")));
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    const before = text.slice(0, Math.max(0, Number(error.position ?? 1) - 1));
    const details = [error.detail, error.hint, error.where].filter(Boolean).join("\n");
    throw new Error(`line ${before.split("\n").length}: ${error.message}\n${details}`);
  } finally {
    await sql.end();
  }
}

/** Reads the lines of the Test Anything Protocol. */
export function parseTap(lines: readonly string[]): TapReport {
  const report: TapReport = { passed: [], failed: [], planned: undefined };
  for (const line of lines) {
    const plan = /^1\.\.(\d+)/.exec(line);
    const result = /^(not )?ok \d+(?: - (.*))?$/.exec(line);
    if (plan) report.planned = Number(plan[1]);
    else if (result?.[1]) report.failed.push({ name: result[2] ?? "unnamed", diagnostics: "" });
    else if (result) report.passed.push(result[2] ?? "unnamed");
    else if (line.startsWith("#")) {
      const last = report.failed.at(-1);
      if (last) last.diagnostics += `${line}\n`;
    }
  }
  return report;
}

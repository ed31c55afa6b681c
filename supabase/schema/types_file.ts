import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure } from "../failure.ts";
import { runSupabase } from "../local/run_supabase.ts";

const root = resolve(import.meta.dirname, "..", "..");
const path = join(root, "types", "database.ts");

/** The TypeScript types of a database, formatted as the file in the repository is. */
export async function generateTypes(databaseUrl: string): Promise<string> {
  const generated = await runSupabase([
    "gen",
    "types",
    "--lang=typescript",
    "--schema=api",
    "--schema=public",
    `--remote=${databaseUrl}`,
  ]);
  const biome = join(root, "node_modules", ".bin", "biome");
  const formatted = spawnSync(biome, ["format", "--stdin-file-path=types/database.ts"], {
    cwd: root,
    input: generated,
    encoding: "utf8",
  });
  if (formatted.status !== 0) throw new Failure(`types cannot be formatted: ${formatted.stderr}`);
  return formatted.stdout;
}

/** The types in the repository, or nothing before they were made. */
export function readTypes(): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Replaces the types in the repository. */
export function writeTypes(text: string): void {
  writeFileSync(path, text);
}

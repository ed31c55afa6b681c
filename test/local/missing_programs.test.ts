import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { freePort } from "../../supabase/local/ports.ts";

const root = resolve(import.meta.dirname, "..", "..");
const directory = mkdtempSync(join(tmpdir(), "corredor-missing-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The project in another folder, where a package of node_modules is left out, or lacks its part for this machine. */
function projectWith(name: string, { without = "", bare = "" }): string {
  const project = join(directory, name);
  for (const part of ["package.json", "supabase", "functions", "types"]) {
    cpSync(join(root, part), join(project, part), { recursive: true });
  }
  mkdirSync(join(project, "node_modules"));
  for (const entry of readdirSync(join(root, "node_modules"))) {
    const [from, to] = [join(root, "node_modules", entry), join(project, "node_modules", entry)];
    if (entry === bare) cpSync(from, to, { recursive: true });
    // The programs in .bin lead to the packages beside it.
    else if (entry === ".bin") cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    else if (entry !== without && entry !== `@${bare}`) symlinkSync(from, to);
  }
  // What a package is made of beside its part for this machine stays.
  if (bare) {
    mkdirSync(join(project, "node_modules", `@${bare}`));
    for (const entry of readdirSync(join(root, "node_modules", `@${bare}`))) {
      if (entry.startsWith("cli-")) continue;
      const scoped = join("node_modules", `@${bare}`, entry);
      symlinkSync(join(root, scoped), join(project, scoped));
    }
  }
  return project;
}

describe("npm start says in one line that a program is missing", () => {
  test.each([
    ["Deno", { without: "deno" }, "Deno is missing: the package deno is not installed (npm ci)"],
    [
      "the Supabase CLI for this machine",
      { bare: "supabase" },
      "the Supabase CLI is missing: the package supabase, or its part for this machine, is not installed (npm ci)",
    ],
  ])("%s", { timeout: 60_000 }, async (name, left, line) => {
    const project = projectWith(name, left);
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(project, "supabase/local/start.ts")],
      {
        encoding: "utf8",
        env: {
          ...process.env,
          PORT: String(await freePort()),
          DB_PORT: String(await freePort()),
          STUDIO_PORT: String(await freePort()),
          DATA_DIR: join(project, "data"),
        },
      },
    );
    expect(stderr).toBe(`corredor: ${line}\n`);
    expect(status).toBe(1);
  });
});

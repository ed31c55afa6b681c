import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { findDeno } from "../../supabase/local/functions/deno.ts";

const config = join(import.meta.dirname, "..", "..", "functions", "deno.json");

/** Runs a script of this folder in the runtime of the functions and returns what it printed. */
export async function runInDeno(
  script: string,
  options: { args?: string[]; input?: unknown; environment?: Record<string, string> } = {},
): Promise<unknown> {
  const child = spawn(
    findDeno(),
    [
      ...[
        "run",
        "--quiet",
        "--no-lock",
        "--no-remote",
        "--cached-only",
        "--node-modules-dir=manual",
      ],
      ...[`--config=${config}`, "--allow-net", "--allow-env", join(import.meta.dirname, script)],
      ...(options.args ?? []),
    ],
    { env: { ...process.env, ...options.environment }, stdio: ["pipe", "pipe", "inherit"] },
  );
  child.stdin.end(JSON.stringify(options.input ?? null));
  return JSON.parse(await text(child.stdout));
}

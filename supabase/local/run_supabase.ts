import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Failure } from "../failure.ts";

const root = resolve(import.meta.dirname, "..", "..");
const MISSING =
  "the Supabase CLI is missing: the package supabase, or its part for this machine, is not installed (npm ci)";

/** Runs the Supabase CLI that `npm ci` installed and gives what it printed. */
export async function runSupabase(args: readonly string[]): Promise<string> {
  const program = join(root, "node_modules", ".bin", "supabase");
  if (!existsSync(program)) throw new Failure(MISSING);
  const child = spawn(program, [...args, "--yes"], {
    cwd: root,
    env: {
      ...process.env,
      // The command stays on this machine: no news about it, and no questions.
      SUPABASE_TELEMETRY_DISABLED: "1",
      DO_NOT_TRACK: "1",
      CI: "1",
      // The server listens on the loopback interface alone and has no certificate.
      PGSSLMODE: "disable",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const code = await new Promise<number | null>((done, failed) => {
    child.once("error", failed);
    child.once("close", done);
  });
  if (code === 0) return output;
  if (errors.includes("No matching Supabase CLI binary")) throw new Failure(MISSING);
  throw new Failure(
    `supabase ${args.slice(0, 2).join(" ")} failed: ${lastLines(errors || output)}`,
  );
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-15).join("\n");
}

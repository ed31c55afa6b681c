import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FunctionConfig } from "../../supabase/local/functions/config.ts";

/** A small function in a folder of its own. */
export function fixtureFunction(name: string, code: string): FunctionConfig & { remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), "function-"));
  const entrypoint = join(directory, "index.ts");
  writeFileSync(entrypoint, code);
  return {
    name,
    entrypoint,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Waits until `probe` gives something, and fails after the deadline. */
export async function eventually<T>(
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  deadline_ms = 15_000,
): Promise<T> {
  const end = Date.now() + deadline_ms;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`nothing happened within ${deadline_ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

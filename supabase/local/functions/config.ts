import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readConfig, supabaseDirectory } from "../config.ts";

/** A function as `supabase/config.toml` declares it. */
export interface FunctionConfig {
  name: string;
  /** Absolute path of its entry file. */
  entrypoint: string;
}

/** The functions that `supabase/config.toml` names, entry points as absolute paths. */
export function readFunctions(directory = supabaseDirectory): FunctionConfig[] {
  return Object.entries(readConfig(directory).functions ?? {})
    .filter(([, settings]) => settings.enabled !== false)
    .map(([name, settings]) => ({
      name,
      entrypoint: resolve(directory, settings.entrypoint ?? `functions/${name}/index.ts`),
    }));
}

/** Whether the function is on disk. */
export function isOnDisk(config: FunctionConfig): boolean {
  return existsSync(config.entrypoint);
}

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "smol-toml";
import { Failure, messageOf } from "../failure.ts";

/** A function as `supabase/config.toml` declares it. */
export interface FunctionConfig {
  name: string;
  /** Absolute path of its entry file. */
  entrypoint: string;
}

const supabaseDirectory = resolve(import.meta.dirname, "..", "..");

/** The functions that `supabase/config.toml` names, entry points as absolute paths. */
export function readFunctions(directory = supabaseDirectory): FunctionConfig[] {
  const path = resolve(directory, "config.toml");
  let config: { functions?: Record<string, { entrypoint?: string; enabled?: boolean }> };
  try {
    config = parse(readFileSync(path, "utf8")) as typeof config;
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${messageOf(error).split("\n")[0]}`);
  }
  return Object.entries(config.functions ?? {})
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

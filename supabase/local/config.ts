import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "smol-toml";
import { Failure, messageOf } from "../failure.ts";

/** The directory of `config.toml`, from which its paths count. */
export const supabaseDirectory = resolve(import.meta.dirname, "..");

/** What the stack reads of `supabase/config.toml`; the Supabase CLI reads the rest. */
export interface Config {
  db?: { seed?: { sql_paths?: string[] } };
  auth?: { site_url?: string };
  functions?: Record<string, { entrypoint?: string; enabled?: boolean }>;
}

/** Reads `config.toml`. */
export function readConfig(directory = supabaseDirectory): Config {
  const path = resolve(directory, "config.toml");
  try {
    return parse(readFileSync(path, "utf8")) as Config;
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${messageOf(error).split("\n")[0]}`);
  }
}

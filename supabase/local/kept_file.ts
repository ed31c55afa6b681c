import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../failure.ts";

/** Reads a JSON file in the data folder; undefined when there is none yet. */
export function readKept<Content>(
  path: string,
  isWhole: (content: unknown) => content is Content,
): Content | undefined {
  if (!existsSync(path)) return undefined;
  const content = parsed(readFileSync(path, "utf8"));
  if (!isWhole(content))
    throw new Failure(`${path} is broken; remove it, and the next start makes a new one`);
  return content;
}

/** Writes a file for the next start that only its owner may read. It is replaced as a whole, never half written. */
export function keep(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.new`;
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** Whether something is an object with these members, all of them strings. */
export function hasTexts<Name extends string>(
  content: unknown,
  names: readonly Name[],
): content is Record<Name, string> {
  if (typeof content !== "object" || content === null) return false;
  return names.every((name) => typeof (content as Record<string, unknown>)[name] === "string");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

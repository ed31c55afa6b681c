import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { isAlive } from "./postgres/postmaster.ts";

/** Keeps a second stack off a data folder; returns how to release it. */
export function lockDirectory(dataDirectory: string): () => void {
  mkdirSync(dataDirectory, { recursive: true });
  const path = join(dataDirectory, "stack.pid");
  const holder = existsSync(path) ? Number.parseInt(readFileSync(path, "utf8"), 10) : Number.NaN;
  if (Number.isInteger(holder) && holder !== process.pid && isAlive(holder) && isStack(holder)) {
    throw new Failure(`a stack is already running on ${dataDirectory} (pid ${holder})`);
  }
  writeFileSync(path, `${process.pid}\n`);
  return () => rmSync(path, { force: true });
}

/** Process ids are reused, so the one in the file may belong to another program by now. */
function isStack(pid: number): boolean {
  const path = `/proc/${pid}/cmdline`;
  return !existsSync(path) || readFileSync(path, "utf8").includes("start.ts");
}

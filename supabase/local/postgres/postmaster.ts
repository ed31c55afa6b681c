import { existsSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../failure.ts";

/** A fast shutdown writes a checkpoint; on a slow disk that takes a while. */
export const FAST_SHUTDOWN_MS = 10_000;
const IMMEDIATE_SHUTDOWN_MS = 5000;

/** What a running server writes about itself into `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  port: number;
  ready: boolean;
}

/** Reads `postmaster.pid`; nothing when the folder has no server. */
export function readPostmaster(dataDirectory: string): Postmaster | undefined {
  const path = join(dataDirectory, "postmaster.pid");
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").split("\n");
  const pid = Number.parseInt(lines[0] ?? "", 10);
  if (!Number.isInteger(pid)) return undefined;
  return {
    pid,
    port: Number.parseInt(lines[3] ?? "", 10),
    ready: lines[7]?.trim() === "ready",
  };
}

/** Whether a process with this id runs. One that has ended and was not yet collected does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  try {
    // The state follows the program's name, which is in brackets and may hold any character.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

/** Whether the process really is a Postgres: after a reboot the id may be somebody else's. */
function isPostgres(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).includes("postgres");
  } catch {
    // Without /proc, or when the process is another user's, its working folder tells nothing either.
    return isAlive(pid);
  }
}

/**
 * Frees a data folder that a killed stack left behind: a server that still runs there is ours by
 * its pid file and is stopped in order; a pid file whose process is gone is removed.
 */
export async function releaseDataDirectory(dataDirectory: string): Promise<void> {
  const left = readPostmaster(dataDirectory);
  if (left === undefined) return;
  if (isAlive(left.pid) && isPostgres(left.pid)) {
    try {
      process.kill(left.pid, "SIGINT");
    } catch {
      throw new Failure(`another user's Postgres (pid ${left.pid}) runs on ${dataDirectory}`);
    }
    if (await isGone(left.pid, FAST_SHUTDOWN_MS)) return;
    // A server that was told to stop while it recovered can stay for ever. This ends it as a crash would.
    process.kill(left.pid, "SIGQUIT");
    if (await isGone(left.pid, IMMEDIATE_SHUTDOWN_MS)) return;
    throw new Failure(
      `Postgres (pid ${left.pid}) does not stop; end it with kill -KILL ${left.pid}`,
    );
  }
  rmSync(join(dataDirectory, "postmaster.pid"), { force: true });
}

/** Waits for a process to end. False when it has not in time. */
async function isGone(pid: number, timeout_ms: number): Promise<boolean> {
  const deadline = Date.now() + timeout_ms;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await delay(20);
  }
  return true;
}

import { readFileSync } from "node:fs";

/** What a process has used, as the kernel counts it. */
export interface Usage {
  /** Of all its threads, in user mode and in the kernel. */
  cpu_ms: number;
  /**
   * Memory that belongs to it alone. The hosted runtime counts V8's heap and what hangs on it; here that and some 10 MB
   * of Deno's own are the anonymous memory of the process. The rest of what it holds is the Deno program itself, 30 to
   * 50 MB that the file cache shares between processes.
   */
  memory_bytes: number;
}

/** The kernel tells processes of a hundredth of a second as its tick, whatever its own is. */
export const TICK_MS = 10;

/** Reads what a process has used; nothing when it is gone. */
export function usageOf(pid: number): Usage | undefined {
  try {
    // The name in parentheses may hold anything, so the fields are counted from its end: utime and stime are 14 and 15.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const anonymous_kB = /^RssAnon:\s+(\d+)/m.exec(status)?.[1];
    return {
      cpu_ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      // A process that has ended and was not waited for has no memory.
      memory_bytes: Number(anonymous_kB ?? 0) * 1024,
    };
  } catch {
    return undefined;
  }
}

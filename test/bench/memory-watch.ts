import { readFileSync } from "node:fs";

/** Watches how much memory processes have (resident set size). */
export interface MemoryWatch {
  /** Ends the watch. The most that each had, in MB, by name. */
  end(): Map<string, number>;
}

/** Looks ten times a second; a process that was started again goes on under its name. */
export function watchMemory(pids: ReadonlyMap<string, () => number | undefined>): MemoryWatch {
  const most = new Map<string, number>();
  const look = () => {
    for (const [name, pid] of pids) {
      most.set(name, Math.max(most.get(name) ?? 0, residentMegabytes(pid())));
    }
  };
  const timer = setInterval(look, 100);
  return {
    end() {
      clearInterval(timer);
      look();
      return most;
    },
  };
}

/** What Linux says, which is what the figure is about; elsewhere there is nothing to read. */
function residentMegabytes(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

import { readFileSync } from "node:fs";

/** Watches how much memory processes have at most (peak of the resident set size, since they began). */
export interface MemoryWatch {
  /** Ends the watch. The most that each had, in MB, by name. */
  end(): Map<string, number>;
}

/** Looks ten times a second, as a process that is started again begins anew, but goes on under its name. */
export function watchMemory(pids: ReadonlyMap<string, () => number | undefined>): MemoryWatch {
  const most = new Map<string, number>();
  const look = () => {
    for (const [name, pid] of pids) {
      most.set(name, Math.max(most.get(name) ?? 0, peakMegabytes(pid())));
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
function peakMegabytes(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

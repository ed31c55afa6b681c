import { type DenoProcess, stopProcess } from "./deno.ts";
import {
  type EdgeLimits,
  MAX_START_CPU_MS,
  POLL_INTERVAL_MS,
  RETIRES_AT,
  type Resource,
  WARNED_AT,
} from "./limits.ts";
import type { Turn } from "./running.ts";
import { TICK_MS, type Usage, usageOf } from "./usage.ts";

/** How a worker ended, and in words what it had used. */
export interface End {
  kind: "in order" | "killed" | "died";
  used: string;
}

/** A Deno that runs a function within the limits of the hosted runtime: those hold for its life, not for a request. */
export class Worker {
  readonly ended: Promise<End>;
  readonly #process: DenoProcess;
  readonly #limits: EdgeLimits;
  readonly #onRetired: (used: string) => void;
  readonly #startedAt = performance.now();
  readonly #warned = new Set<Resource>();
  #usage: Usage = { cpu_ms: 0, memory_bytes: 0 };
  /** CPU time of the start that does not count. */
  #uncounted_ms = 0;
  #lookedAt = 0;
  #port: number | undefined;
  #requests = 0;
  #wasUsed = false;
  #retired = false;
  #endsByItself = false;
  #killedFor: Resource | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(deno: DenoProcess, limits: EdgeLimits, onRetired: (used: string) => void) {
    this.#process = deno;
    this.#limits = limits;
    this.#onRetired = onRetired;
    this.ended = deno.exited.then((reason) => this.#end(reason));
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** How long it has lived. */
  get age_ms(): number {
    return performance.now() - this.#startedAt;
  }

  /** Whether it was ever sent a request. */
  get wasUsed(): boolean {
    return this.#wasUsed;
  }

  /** Resolves to whether it listens, or has ended before it did. */
  async open(): Promise<boolean> {
    this.#port = await this.#process.listening;
    if (this.#port === undefined) return false;
    const start_ms = usageOf(this.pid as number)?.cpu_ms ?? 0;
    this.#uncounted_ms = Math.max(0, start_ms - MAX_START_CPU_MS);
    // Not looked at yet: whatever the start used, a worker is started for a request, and takes that one.
    this.#lookedAt = performance.now();
    this.#lookAgainIn(POLL_INTERVAL_MS.busy);
    return true;
  }

  /** A turn for one request, unless the worker has used too much for another one. */
  take(): Turn | undefined {
    // What it has used since it was last looked at counts too; the kernel tells no less than a tick.
    if (performance.now() - this.#lookedAt >= TICK_MS) this.#look();
    if (this.#retired || this.#port === undefined) return undefined;
    this.#requests += 1;
    this.#wasUsed = true;
    this.#lookAgainIn(POLL_INTERVAL_MS.busy);
    return {
      port: this.#port,
      killed: () => this.#killedFor !== undefined,
      over: () => {
        this.#requests -= 1;
        this.#endIfDone();
      },
    };
  }

  async stop(): Promise<void> {
    this.#retired = true;
    await stopProcess(this.#process);
  }

  /** Measures, and acts on what it finds. */
  #look(): void {
    const usage = usageOf(this.pid as number);
    if (usage === undefined || this.#killedFor !== undefined) return;
    const worked = usage.cpu_ms > this.#usage.cpu_ms || this.#requests > 0;
    this.#usage = usage;
    this.#lookedAt = performance.now();
    for (const [resource, share] of this.#shares()) {
      if (share >= 1) {
        this.#killedFor = resource;
        this.#process.child.kill("SIGKILL");
        return;
      }
      if (share >= RETIRES_AT) this.#retire(resource);
      if (share >= WARNED_AT && !this.#warned.has(resource)) {
        this.#warned.add(resource);
        this.#order(resource);
      }
    }
    this.#lookAgainIn(worked ? POLL_INTERVAL_MS.busy : POLL_INTERVAL_MS.idle);
  }

  #shares(): [Resource, number][] {
    const { cpu_ms, wall_clock_ms, memory_bytes } = this.#limits;
    return [
      ["cpu", (this.#usage.cpu_ms - this.#uncounted_ms) / cpu_ms],
      ["wall_clock", this.age_ms / wall_clock_ms],
      ["memory", this.#usage.memory_bytes / memory_bytes],
    ];
  }

  #lookAgainIn(delay_ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), delay_ms);
  }

  #retire(resource: Resource): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#onRetired(this.#used(resource));
    this.#endIfDone();
  }

  /** A worker that gets no more requests and has none is to end as soon as it has done what it does behind them. */
  #endIfDone(): void {
    if (!this.#retired || this.#requests > 0 || this.#endsByItself) return;
    this.#endsByItself = true;
    this.#order("end");
  }

  #order(line: string): void {
    this.#process.child.stdin?.write(`${line}\n`);
  }

  #end(reason: string): End {
    clearTimeout(this.#timer);
    this.#retired = true;
    if (this.#killedFor !== undefined) {
      return { kind: "killed", used: this.#used(this.#killedFor) };
    }
    if (this.#endsByItself && reason === "code 0") {
      return { kind: "in order", used: `${this.#used("cpu")} in ${this.#used("wall_clock")}` };
    }
    return { kind: "died", used: reason };
  }

  #used(resource: Resource): string {
    if (resource === "memory")
      return `${Math.round(this.#usage.memory_bytes / 2 ** 20)} MB of memory`;
    if (resource === "wall_clock") return `${(this.age_ms / 1000).toFixed(1)} s of wall clock`;
    return `${((this.#usage.cpu_ms - this.#uncounted_ms) / 1000).toFixed(1)} s of CPU`;
  }
}

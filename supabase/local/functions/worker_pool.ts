import { setTimeout as delay } from "node:timers/promises";
import type { FunctionConfig } from "./config.ts";
import { type FunctionSettings, findDeno, spawnFunction } from "./deno.ts";
import { type EdgeLimits, requireProc } from "./limits.ts";
import { Pauses } from "./pauses.ts";
import type { RunningFunction, Turn } from "./running.ts";
import { type End, Worker } from "./worker.ts";

/** Runs a function as the hosted runtime does: one worker takes requests, those before it finish what they have. */
export function runWorkers(
  config: FunctionConfig,
  settings: FunctionSettings,
  limits: EdgeLimits,
): RunningFunction {
  requireProc();
  return new WorkerPool(config, settings, limits);
}

class WorkerPool implements RunningFunction {
  readonly #config: FunctionConfig;
  readonly #settings: FunctionSettings;
  readonly #limits: EdgeLimits;
  readonly #deno = findDeno();
  readonly #stopping = new AbortController();
  readonly #pauses = new Pauses();
  readonly #workers = new Set<Worker>();
  readonly #firstStart: Promise<unknown>;
  #count = 0;
  /** The worker that takes requests. */
  #current: Worker | undefined;
  #starting: Promise<boolean> | undefined;
  #pausing = false;

  constructor(config: FunctionConfig, settings: FunctionSettings, limits: EdgeLimits) {
    this.#config = config;
    this.#limits = limits;
    // As on the hosted runtime V8 knows of the limit, and collects garbage before it gets there.
    const heap = `--max-old-space-size=${Math.ceil(limits.memory_bytes / 2 ** 20)}`;
    this.#settings = { ...settings, v8Flags: [heap] };
    this.#firstStart = this.#start();
  }

  get pid(): number | undefined {
    return this.#current?.pid;
  }

  get pids(): number[] {
    return [...this.#workers].flatMap(({ pid }) => pid ?? []);
  }

  async ready(): Promise<void> {
    await this.#firstStart;
  }

  take(): Turn | undefined | Promise<Turn | undefined> {
    return this.#current?.take() ?? this.#takeFromNext();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
  }

  /** Waits for a worker that takes requests. There is none while a function that died is not yet started again. */
  async #takeFromNext(): Promise<Turn | undefined> {
    while (!this.#pausing && !this.#stopping.signal.aborted) {
      if (!(await this.#start())) return undefined;
      const turn = this.#current?.take();
      if (turn !== undefined) return turn;
    }
    return undefined;
  }

  /** Starts the worker that takes the next requests, or waits for the one that is being started. */
  #start(): Promise<boolean> {
    this.#starting ??= this.#startWorker().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #startWorker(): Promise<boolean> {
    if (this.#stopping.signal.aborted) return false;
    this.#count += 1;
    const name = `worker ${this.#count}`;
    const deno = spawnFunction(this.#deno, this.#config, this.#settings);
    const worker: Worker = new Worker(deno, this.#limits, (used) =>
      this.#retired(worker, name, used),
    );
    this.#workers.add(worker);
    void worker.ended.then((end) => this.#ended(worker, name, end));
    this.#current = worker;
    return worker.open();
  }

  #retired(worker: Worker, name: string, used: string): void {
    this.#log(`${name} retires: ${used}`);
    if (this.#current !== worker) return;
    this.#current = undefined;
    // One that nobody called in its life is not replaced before somebody does.
    if (worker.wasUsed) void this.#start();
  }

  #ended(worker: Worker, name: string, { kind, used }: End): void {
    this.#workers.delete(worker);
    const tookRequests = this.#current === worker;
    if (tookRequests) this.#current = undefined;
    if (this.#stopping.signal.aborted) return;
    if (kind !== "died") {
      this.#log(`${name} ${kind === "killed" ? "killed" : "ended in order"}: ${used}`);
      if (tookRequests) void this.#start();
    } else if (tookRequests) {
      void this.#startAgain(worker.age_ms, `${name} ended (${used})`);
    } else {
      this.#log(`${name} ended (${used})`);
    }
  }

  async #startAgain(life_ms: number, what: string): Promise<void> {
    const pause_ms = this.#pauses.after(life_ms);
    this.#log(`${what}, starts again in ${pause_ms} ms`);
    this.#pausing = true;
    await delay(pause_ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
    this.#pausing = false;
    if (!this.#stopping.signal.aborted) await this.#start();
  }

  #log(what: string): void {
    this.#settings.log(`[${this.#config.name}] ${what}`);
  }
}

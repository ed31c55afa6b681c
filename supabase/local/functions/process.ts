import { setTimeout as delay } from "node:timers/promises";
import type { FunctionConfig } from "./config.ts";
import {
  type DenoProcess,
  type FunctionSettings,
  findDeno,
  spawnFunction,
  stopProcess,
} from "./deno.ts";
import { Pauses } from "./pauses.ts";
import type { RunningFunction, Turn } from "./running.ts";

/** Runs a function in one Deno and starts it again, with back-off, when it dies. */
export function keepRunning(config: FunctionConfig, settings: FunctionSettings): RunningFunction {
  return new KeptFunction(config, settings);
}

class KeptFunction implements RunningFunction {
  readonly #config: FunctionConfig;
  readonly #settings: FunctionSettings;
  /** Looked for at once: a stack that cannot run its functions says so and does not start. */
  readonly #deno = findDeno();
  readonly #stopping = new AbortController();
  readonly #firstReady = Promise.withResolvers<void>();
  readonly #loop: Promise<void>;
  #process: DenoProcess | undefined;
  #turn: Turn | undefined;

  constructor(config: FunctionConfig, settings: FunctionSettings) {
    this.#config = config;
    this.#settings = settings;
    this.#loop = this.#keepRunning();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get pids(): number[] {
    return this.pid === undefined ? [] : [this.pid];
  }

  ready(): Promise<void> {
    return this.#firstReady.promise;
  }

  take(): Turn | undefined {
    return this.#turn;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#process !== undefined) await stopProcess(this.#process);
    await this.#loop;
  }

  async #keepRunning(): Promise<void> {
    const pauses = new Pauses();
    while (!this.#stopping.signal.aborted) {
      const startedAt = Date.now();
      this.#process = spawnFunction(this.#deno, this.#config, this.#settings);
      const port = await this.#process.listening;
      if (port !== undefined) this.#turn = { port, killed: () => false, over() {} };
      this.#firstReady.resolve();
      const reason = await this.#process.exited;
      this.#turn = undefined;
      this.#process = undefined;
      if (this.#stopping.signal.aborted) return;
      const pause_ms = pauses.after(Date.now() - startedAt);
      this.#settings.log(
        `[${this.#config.name}] ended (${reason}), starts again in ${pause_ms} ms`,
      );
      await delay(pause_ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }
}

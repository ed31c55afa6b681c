import type { Run, Summary } from "./run.ts";

/**
 * Runs one after the other. Every new lead asks for one, so while one is at work, all callers share a single next one,
 * which sees what came too late for the first.
 */
export class Line {
  readonly #newRun: () => Run;
  #running: Run | undefined;
  #current: Promise<Summary> | undefined;
  #next: Promise<Summary> | undefined;

  constructor(newRun: () => Run) {
    this.#newRun = newRun;
  }

  ask(): Promise<Summary> {
    if (this.#current === undefined) {
      this.#running = this.#newRun();
      this.#current = this.#running.work().finally(() => {
        this.#current = undefined;
      });
      return this.#current;
    }
    this.#next ??= this.#current
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.ask();
      });
    return this.#next;
  }

  stop(): void {
    this.#running?.stop();
  }
}

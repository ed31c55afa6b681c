import type { Run, Summary } from "./run.ts";

/**
 * Runs that follow each other. Each new lead asks for one, so while one is at work a single next one is lined up for all
 * who ask: it sees what the first came too early for.
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

  /** The run that is at work begins nothing more. */
  stop(): void {
    this.#running?.stop();
  }
}

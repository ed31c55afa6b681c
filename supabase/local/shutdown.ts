/** Something that was started and has to be stopped. */
type Stop = () => Promise<void> | void;

/** Thrown to end a start that was told to stop. */
class Stopped extends Error {}

/** Stops what was started, in reverse order, once. */
export class Shutdown {
  readonly #stops: Stop[] = [];
  readonly #abort = new AbortController();
  #step: Promise<unknown> | undefined;
  #stopping: Promise<void> | undefined;

  get begun(): boolean {
    return this.#stopping !== undefined;
  }

  /** Tells a long step to give up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Runs one step of the start. Stopping waits for the current step, so that whatever it starts is stopped as well, and
   * no further step begins.
   */
  async step<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.begun) throw new Stopped();
    const step = Promise.resolve().then(work);
    this.#step = step.catch(() => {});
    const result = await step;
    if (this.begun) throw new Stopped();
    return result;
  }

  /** Remembers how to stop a part that has just been started. */
  add(stop: Stop): void {
    this.#stops.push(stop);
  }

  run(): Promise<void> {
    this.#stopping ??= this.#run();
    return this.#stopping;
  }

  async #run(): Promise<void> {
    this.#abort.abort();
    await this.#step;
    for (const stop of [...this.#stops].reverse()) {
      // A part that fails to stop must not keep the others running.
      await Promise.resolve()
        .then(stop)
        .catch((error) => console.error(error));
    }
  }
}

/** Calls `stop` on a signal that asks to end; a second one ends the process at once. */
export function onSignal(stop: () => void): void {
  let signalled = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // Ctrl-C arrives twice: from the terminal, and passed on by npm.
      if (signalled && signal !== "SIGINT") process.exit(1);
      signalled = true;
      stop();
    });
  }
}

const PARENT_POLL_INTERVAL_MS = 500;

/** Calls `stop` when `npm start` itself was killed: npm does not pass a SIGTERM on to what it runs. */
export function onParentGone(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_POLL_INTERVAL_MS);
  timer.unref();
}

/** Something that was started and has to be stopped. */
type Stop = () => Promise<void> | void;

/** Stops what was started, in reverse order, once. */
export class Shutdown {
  readonly #stops: Stop[] = [];
  #stopping: Promise<void> | undefined;

  get begun(): boolean {
    return this.#stopping !== undefined;
  }

  /** Remembers how to stop a part that has just been started. */
  async add(stop: Stop): Promise<void> {
    this.#stops.push(stop);
    // A part that came up after the signal has to go as well.
    if (this.#stopping !== undefined) await stop();
  }

  run(): Promise<void> {
    this.#stopping ??= this.#run();
    return this.#stopping;
  }

  async #run(): Promise<void> {
    for (const stop of [...this.#stops].reverse()) {
      await Promise.resolve(stop()).catch((error) => console.error(error));
    }
  }
}

/** Calls `stop` on Ctrl-C and the like; a second signal ends the process at once. */
export function onSignal(stop: () => void): void {
  let signalled = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      // npm passes Ctrl-C on to a process that the terminal has told already.
      if (signalled && signal !== "SIGINT") process.exit(1);
      signalled = true;
      stop();
    });
  }
}

const LOOK_FOR_PARENT_EVERY_MS = 500;

/** Calls `stop` when `npm start` itself was killed: npm does not pass a SIGTERM on to what it runs. */
export function onParentGone(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, LOOK_FOR_PARENT_EVERY_MS);
  timer.unref();
}

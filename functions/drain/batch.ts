/**
 * Collects items and sends them together, one batch at a time: what is added while a batch is being sent goes with the
 * next.
 */
export class Batch<T> {
  readonly #send: (items: T[]) => Promise<void>;
  readonly #max: number;
  readonly #after_ms: number;
  #items: T[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending = false;
  #emptied: (() => void)[] = [];

  /** Sends when `max` items wait, or `after_ms` after the first of them. `send` must not throw. */
  constructor(limits: { max: number; after_ms: number }, send: (items: T[]) => Promise<void>) {
    this.#max = limits.max;
    this.#after_ms = limits.after_ms;
    this.#send = send;
  }

  add(...items: T[]): void {
    this.#items.push(...items);
    this.#schedule();
  }

  /** Sends what waits at once, and resolves when everything added has been sent. */
  async empty(): Promise<void> {
    if (!this.#sending && this.#items.length > 0) this.#flush();
    while (this.#sending || this.#items.length > 0) {
      await new Promise<void>((resolve) => this.#emptied.push(resolve));
    }
  }

  #schedule(): void {
    if (this.#sending || this.#items.length === 0) return;
    if (this.#items.length >= this.#max) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#after_ms);
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#items.splice(0, this.#max);
    this.#sending = true;
    await this.#send(items);
    this.#sending = false;
    this.#schedule();
    if (this.#items.length > 0) return;
    for (const resolve of this.#emptied.splice(0)) resolve();
  }
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;

/** The back-off before a process that died is started again; it begins anew after one that lived long enough. */
export class Pauses {
  #next_ms = FIRST_PAUSE_MS;

  after(life_ms: number): number {
    if (life_ms > MAX_PAUSE_MS) this.#next_ms = FIRST_PAUSE_MS;
    const pause_ms = this.#next_ms;
    this.#next_ms = Math.min(pause_ms * 2, MAX_PAUSE_MS);
    return pause_ms;
  }
}

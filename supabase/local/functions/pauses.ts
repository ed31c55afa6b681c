const first_ms = 100;
const longest_ms = 10_000;

/** How long to wait before a process that died is started again: longer each time, and anew after one that lived. */
export class Pauses {
  #next_ms = first_ms;

  after(life_ms: number): number {
    if (life_ms > longest_ms) this.#next_ms = first_ms;
    const pause_ms = this.#next_ms;
    this.#next_ms = Math.min(pause_ms * 2, longest_ms);
    return pause_ms;
  }
}

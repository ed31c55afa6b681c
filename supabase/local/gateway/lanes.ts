import type postgres from "postgres";
import { Lane } from "./lane.ts";

/** A fixed number of lanes; a request that finds none free waits its turn. */
export class Lanes {
  readonly #lanes: Lane[];
  readonly #idle: Lane[];
  readonly #waiting: ((lane: Lane) => void)[] = [];

  constructor(
    url: string,
    count: number,
    options: postgres.Options<Record<string, postgres.PostgresType>>,
  ) {
    this.#lanes = Array.from({ length: count }, () => new Lane(url, options));
    this.#idle = [...this.#lanes];
  }

  /** Runs `work` on a lane of its own. */
  async use<T>(work: (lane: Lane) => Promise<T>): Promise<T> {
    // The lane used last is the warmest: its statements are prepared and its plans are cached.
    const lane = this.#idle.pop() ?? (await new Promise<Lane>((go) => this.#waiting.push(go)));
    try {
      return await work(lane);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(lane);
      else next(lane);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.end()));
  }
}

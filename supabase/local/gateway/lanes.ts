import { availableParallelism } from "node:os";
import { Lane } from "./lane.ts";
import type { SessionOptions } from "./session.ts";

/** One lane a core. More would only take turns on the cores, each with cold caches. */
const BUSY = availableParallelism();

/** As many as the Data API of a hosted project has, for when those wait for something else: a lock, a long query. */
const MOST = Math.max(10, BUSY);

/** Time enough for many short requests; who has waited this long stands behind a long one. */
const PATIENCE_MS = 20;

/** Lanes to the database. A request that finds none free waits its turn. */
export class Lanes {
  readonly #lanes: Lane[];
  readonly #idle: Lane[];
  readonly #waiting: Waiting[] = [];
  #inUse = 0;

  constructor(options: SessionOptions) {
    this.#lanes = Array.from({ length: MOST }, () => new Lane(options));
    this.#idle = [...this.#lanes];
  }

  /** Runs `work` on a lane of its own. */
  async use<T>(work: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = this.#take(BUSY) ?? (await this.#turn());
    try {
      return await work(lane);
    } finally {
      this.#inUse--;
      this.#idle.push(lane);
      this.#admit();
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.end()));
  }

  /** The lane used last is the warmest: its statements are prepared and its plans are cached. */
  #take(limit: number): Lane | undefined {
    if (this.#inUse >= limit) return undefined;
    const lane = this.#idle.pop();
    if (lane !== undefined) this.#inUse++;
    return lane;
  }

  #turn(): Promise<Lane> {
    return new Promise((go) => {
      const waiting: Waiting = { go, limit: BUSY };
      waiting.timer = setTimeout(() => {
        waiting.limit = MOST;
        this.#admit();
      }, PATIENCE_MS);
      this.#waiting.push(waiting);
    });
  }

  #admit(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    const lane = this.#take(next.limit);
    if (lane === undefined) return;
    this.#waiting.shift();
    clearTimeout(next.timer);
    next.go(lane);
  }
}

interface Waiting {
  go: (lane: Lane) => void;
  /** How many lanes may be in use for this one to get another. */
  limit: number;
  timer?: NodeJS.Timeout;
}

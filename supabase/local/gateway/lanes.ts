import { availableParallelism } from "node:os";
import { Lane } from "./lane.ts";
import type { SessionOptions } from "./session.ts";

/** One for each core. More would only take turns on the cores, each with cold caches. */
const LANES_IN_USE = availableParallelism();

/** As many as a hosted Data API has, for when the others wait for a lock or a long query. */
const MAX_LANES = Math.max(10, LANES_IN_USE);

/** Many short requests are served in this time, so one that has waited longer is stuck behind a long one. */
const LONG_WAIT_MS = 20;

/** Connections to the database, one request on each. A request that finds none free waits its turn. */
export class Lanes {
  readonly #lanes: Lane[];
  readonly #idle: Lane[];
  readonly #waiting: Waiting[] = [];
  #inUse = 0;

  constructor(options: SessionOptions) {
    this.#lanes = Array.from({ length: MAX_LANES }, () => new Lane(options));
    this.#idle = [...this.#lanes];
  }

  /** Runs `work` on a lane of its own. */
  async use<T>(work: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = this.#take(LANES_IN_USE) ?? (await this.#turn());
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
      const waiting: Waiting = { go, limit: LANES_IN_USE };
      waiting.timer = setTimeout(() => {
        waiting.limit = MAX_LANES;
        this.#admit();
      }, LONG_WAIT_MS);
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
  /** It gets a lane while fewer than this are in use. */
  limit: number;
  timer?: NodeJS.Timeout;
}

import { availableParallelism } from "node:os";
import type postgres from "postgres";
import { Lane } from "./lane.ts";

/** Lanes that compute at a time. More would only take turns on the cores, each with cold caches. */
const BUSY = availableParallelism() + 1;

/** As many as the Data API of a hosted project has, for when those wait for something else: a lock, a long query. */
const MOST = Math.max(10, BUSY);

/** Time enough for many short requests; who has waited this long stands behind a long one. */
const PATIENCE_MS = 20;

/** Lanes to the database. A request that finds none free waits its turn. */
export class Lanes {
  readonly #lanes: Lane[];
  readonly #idle: Lane[];
  readonly #waiting: Waiting[] = [];
  #busy = 0;

  constructor(url: string, options: postgres.Options<Record<string, postgres.PostgresType>>) {
    this.#lanes = Array.from({ length: MOST }, () => new Lane(url, options));
    this.#idle = [...this.#lanes];
  }

  /**
   * Runs `work` on a lane of its own. Once it has called `computed`, what is left for the lane is to wait for the disk,
   * and another may compute.
   */
  async use<T>(work: (lane: Lane, computed: () => void) => Promise<T>): Promise<T> {
    const lane = this.#take(BUSY) ?? (await this.#turn());
    let counted = true;
    const computed = () => {
      if (counted) this.#busy--;
      counted = false;
      this.#admit();
    };
    try {
      return await work(lane, computed);
    } finally {
      this.#idle.push(lane);
      computed();
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.end()));
  }

  /** The lane used last is the warmest: its statements are prepared and its plans are cached. */
  #take(limit: number): Lane | undefined {
    if (this.#busy >= limit) return undefined;
    const lane = this.#idle.pop();
    if (lane !== undefined) this.#busy++;
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
  /** Below how many busy lanes this one gets another. */
  limit: number;
  timer?: NodeJS.Timeout;
}

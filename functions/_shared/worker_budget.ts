/**
 * What a worker may use, of the 2 s of CPU and the 150 s of time that the platform gives it at least, and then kills
 * it. CPU is in the time of the machine on which it was measured (two busy cores); one half as fast uses twice as much.
 */
const LIMITS = {
  life_ms: 150_000,
  /** What a worker has used before it does anything of use: 210 ms to load and 150 ms for what is slow once. */
  start_cpu_ms: 360,
  /** What a new worker may use, the start included: on a machine half as fast 1.8 s. */
  first_cpu_ms: 900,
  /** What may lie ahead of a worker that got a request, so used less than 1 s: on a machine half as fast 0.8 s. */
  next_cpu_ms: 400,
};

/**
 * What one worker still may begin, over all requests that it serves in its life.
 *
 * How much is used cannot be read where a function runs: in the edge runtime `process.cpuUsage()` is always 0, and
 * nothing tells which plan's 150 s or 400 s are meant. So CPU is the sum of what was begun, at costs that were measured.
 * And a request says something too: the platform gives none to a worker that has used half of either, so from there the
 * other half is left, on a machine of any speed. Whoever has begun what he may lets himself be called again: the call
 * comes back here as long as the platform finds this worker good enough, and else goes to a new one.
 */
export class WorkerBudget {
  readonly #unlimited: boolean;
  readonly #age_ms: () => number;
  #begun_cpu_ms = LIMITS.start_cpu_ms;
  #ended_cpu_ms = LIMITS.start_cpu_ms;
  #max_cpu_ms = LIMITS.first_cpu_ms;
  #killed_at_ms = LIMITS.life_ms;

  /** The clock of `performance` starts with the worker. */
  constructor({ unlimited = false, age_ms = () => performance.now() } = {}) {
    this.#unlimited = unlimited;
    this.#age_ms = age_ms;
  }

  /** A request has come. */
  requestCame(): void {
    this.#max_cpu_ms = Math.max(this.#max_cpu_ms, this.#ended_cpu_ms + LIMITS.next_cpu_ms);
    this.#killed_at_ms = Math.max(this.#killed_at_ms, 2 * this.#age_ms());
  }

  /** CPU of what may still be begun. */
  get cpu_ms(): number {
    return this.#unlimited ? Number.POSITIVE_INFINITY : this.#max_cpu_ms - this.#begun_cpu_ms;
  }

  /** For how long work may still be begun that takes so long at most. */
  timeFor(longest_ms: number): number {
    if (this.#unlimited) return Number.POSITIVE_INFINITY;
    return this.#killed_at_ms - this.#age_ms() - longest_ms;
  }

  /** Counts work that begins. It is told of its end as well. */
  begin(cpu_ms: number): void {
    this.#begun_cpu_ms += cpu_ms;
  }

  end(cpu_ms: number): void {
    this.#ended_cpu_ms += cpu_ms;
  }

  /** Counts work that is done at once. */
  spend(cpu_ms: number): void {
    this.begin(cpu_ms);
    this.end(cpu_ms);
  }
}

/**
 * What a worker may use of the platform's minimum of 2 s of CPU and 150 s of time, after which it is killed. CPU is
 * measured on a machine with two busy cores; one half as fast uses twice as much.
 */
const LIMITS = {
  life_ms: 150_000,
  /** Used before any real work: 210 ms to load and 150 ms for what is slow the first time. */
  start_cpu_ms: 360,
  /** What a new worker may use, including the start: 1.8 s on a machine half as fast. */
  first_cpu_ms: 900,
  /** What a worker that is given a request may still use, having used less than 1 s: 0.8 s on one half as fast. */
  next_cpu_ms: 400,
};

/**
 * What one worker may still begin, over all the requests of its life.
 *
 * A function cannot read its own usage: in the edge runtime `process.cpuUsage()` is always 0, and nothing tells whether
 * the plan allows 150 s or 400 s. So CPU is the sum of what was begun, at measured costs. A request is information too:
 * the platform sends none to a worker that has used half of either limit, so the other half is left, on a machine of
 * any speed. A run that has begun all it may asks to be called again: the call comes back here while the platform
 * considers this worker fit, and otherwise goes to a new one.
 */
export class WorkerBudget {
  readonly #unlimited: boolean;
  readonly #age_ms: () => number;
  #begun_cpu_ms = LIMITS.start_cpu_ms;
  #ended_cpu_ms = LIMITS.start_cpu_ms;
  #max_cpu_ms = LIMITS.first_cpu_ms;
  #killed_at_ms = LIMITS.life_ms;

  /** `performance.now()` counts from the start of the worker. */
  constructor({ unlimited = false, age_ms = () => performance.now() } = {}) {
    this.#unlimited = unlimited;
    this.#age_ms = age_ms;
  }

  /** A request has come. */
  requestCame(): void {
    this.#max_cpu_ms = Math.max(this.#max_cpu_ms, this.#ended_cpu_ms + LIMITS.next_cpu_ms);
    this.#killed_at_ms = Math.max(this.#killed_at_ms, 2 * this.#age_ms());
  }

  /** CPU that may still be begun. */
  get cpu_ms(): number {
    return this.#unlimited ? Number.POSITIVE_INFINITY : this.#max_cpu_ms - this.#begun_cpu_ms;
  }

  /** For how much longer work that takes up to `longest_ms` may be begun. */
  timeFor(longest_ms: number): number {
    if (this.#unlimited) return Number.POSITIVE_INFINITY;
    return this.#killed_at_ms - this.#age_ms() - longest_ms;
  }

  /** Counts work that begins; `end` counts its end. */
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

import { ANNOUNCED_AHEAD, AT_RISK_MS, EXCHANGES_WITH_A_HOST } from "./limits.ts";

/** What the end of a POST says about the pace of its host. */
export type PaceSignal = "answered" | "failed" | "timed_out";

/**
 * The deliveries to one host, and how many of them may run at once: more for a host that answers, few for one that
 * hangs, so that it does not take the places of others.
 */
export class Lane<T> {
  readonly waiting: T[] = [];
  /** How many are being announced. */
  announcing = 0;
  /** Announced, waiting for a free place. */
  readonly ready: T[] = [];
  underWay = 0;
  #max = EXCHANGES_WITH_A_HOST.first;
  /** Moving average of the time to answer; unknown before the first answer. */
  #answer_ms: number | undefined;
  #timedOut = false;

  /** Whether the host seems to hang. */
  get stuck(): boolean {
    return this.#timedOut;
  }

  get mayStart(): boolean {
    return this.ready.length > 0 && this.underWay < this.#max;
  }

  /**
   * Takes the deliveries to announce now. For a host that answers, some are announced ahead, so that it need not wait
   * for the database, and in larger batches, as each costs a round trip and a commit.
   */
  takeToAnnounce(): T[] {
    const ahead = this.#ahead();
    const begun = this.announcing + this.ready.length + this.underWay;
    const room = Math.floor(this.#max + ahead) - begun;
    if (room <= 0 || (begun >= this.#max && room < ahead / 2)) return [];
    const taken = this.waiting.splice(0, room);
    this.announcing += taken.length;
    return taken;
  }

  ended(signal: PaceSignal, took_ms: number): void {
    this.underWay -= 1;
    if (signal === "timed_out") {
      this.#timedOut = true;
      this.#answer_ms = undefined;
      this.#max = Math.max(EXCHANGES_WITH_A_HOST.min, Math.floor(this.#max / 2));
    } else if (signal === "answered") {
      this.#timedOut = false;
      this.#answer_ms = ((this.#answer_ms ?? took_ms) * 7 + took_ms) / 8;
      this.#max = Math.min(EXCHANGES_WITH_A_HOST.max, this.#max * 2);
    }
  }

  #ahead(): number {
    if (this.#answer_ms === undefined) return 0;
    return Math.min(ANNOUNCED_AHEAD, (this.#max * AT_RISK_MS) / Math.max(1, this.#answer_ms));
  }
}

import { ANNOUNCED_AHEAD, AT_RISK_MS, EXCHANGES_WITH_A_HOST } from "./limits.ts";

/** How one POST ended, as far as the pace of its host is concerned. */
export type PaceSignal = "answered" | "failed" | "timed_out";

/**
 * The deliveries to one host, and how many of them may go at once. A host that answers gets more, one that hangs
 * gets few, so that it cannot hold the places of the others.
 */
export class Lane<T> {
  /** Deliveries that wait. */
  readonly waiting: T[] = [];
  /** Deliveries that are being announced. */
  announcing = 0;
  /** Announced deliveries that wait for a free place. */
  readonly ready: T[] = [];
  underWay = 0;
  #max = EXCHANGES_WITH_A_HOST.first;
  /** How long an answer takes, on average of late; not known before the first one. */
  #answer_ms: number | undefined;
  #timedOut = false;

  /** Whether the host hangs as far as we know. */
  get stuck(): boolean {
    return this.#timedOut;
  }

  get mayStart(): boolean {
    return this.ready.length > 0 && this.underWay < this.#max;
  }

  /**
   * Takes the deliveries to announce now. For a host that answers some are announced ahead, so that it need not wait
   * for the database, and in good-sized lots, as each is a round trip and a commit.
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

  /** Learns from the end of an exchange. */
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

import { EXCHANGES_WITH_A_HOST } from "./limits.ts";

/** How one POST ended, as far as the pace of its host is concerned. */
export type Sign = "answered" | "failed" | "timed_out";

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
  #most = EXCHANGES_WITH_A_HOST.first;
  #proven = false;
  #timedOut = false;

  /** Whether the host hangs as far as we know. */
  get stuck(): boolean {
    return this.#timedOut;
  }

  get mayStart(): boolean {
    return this.ready.length > 0 && this.underWay < this.#most;
  }

  /**
   * Takes the deliveries to announce now. A host that has answered gets some announced ahead, so that it need not
   * wait for the database; few, because those announced are given up if the drain dies.
   */
  takeToAnnounce(): T[] {
    const ahead = this.#proven ? this.#most : 0;
    const begun = this.announcing + this.ready.length + this.underWay;
    const room = this.#most + ahead - begun;
    if (room <= 0 || (begun >= this.#most && room < ahead / 2)) return [];
    const taken = this.waiting.splice(0, room);
    this.announcing += taken.length;
    return taken;
  }

  /** Learns from the end of an exchange. */
  ended(sign: Sign): void {
    this.underWay -= 1;
    if (sign === "timed_out") {
      this.#timedOut = true;
      this.#proven = false;
      this.#most = Math.max(EXCHANGES_WITH_A_HOST.least, Math.floor(this.#most / 2));
    } else if (sign === "answered") {
      this.#timedOut = false;
      this.#proven = true;
      this.#most = Math.min(EXCHANGES_WITH_A_HOST.most, this.#most * 2);
    }
  }
}

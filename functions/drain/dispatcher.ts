import { Batch } from "./batch.ts";
import type { Delivery } from "./delivery.ts";
import { Lane, type PaceSignal } from "./lane.ts";
import { EXCHANGES_AT_ONCE, EXCHANGES_WITH_STUCK_HOSTS } from "./limits.ts";

/** What a dispatcher needs from its run. None of these may throw. */
interface DispatcherParts {
  /** Records the POSTs to be made and returns the ids of those that may be. */
  announce(deliveries: Delivery[]): Promise<Set<string>>;
  post(delivery: Delivery): Promise<{ signal: PaceSignal; took_ms: number }>;
  /** A delivery may not be made. */
  refused(delivery: Delivery): void;
  /** An announced delivery is not made after all. */
  dropped(delivery: Delivery): void;
  /** Something ended. */
  progressed(): void;
}

const ANNOUNCE = { max: 256, after_ms: 0 };

/** Sends deliveries by host, so that a slow host delays only its own. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #lanes = new Map<string, Lane<Delivery>>();
  readonly #unfilled = new Set<Lane<Delivery>>();
  readonly #announcements: Batch<{ lane: Lane<Delivery>; delivery: Delivery }>;
  #underWay = 0;
  #stopped = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#announcements = new Batch(ANNOUNCE, (items) => this.#announce(items));
  }

  add(delivery: Delivery): void {
    // An invalid URL is reported when it is posted to.
    const host = URL.canParse(delivery.url) ? new URL(delivery.url).host : delivery.url;
    let lane = this.#lanes.get(host);
    if (lane === undefined) {
      lane = new Lane();
      this.#lanes.set(host, lane);
    }
    lane.waiting.push(delivery);
  }

  go(): void {
    for (const lane of this.#lanes.values()) this.#pump(lane);
  }

  /**
   * Announces nothing more and drops what waits. What was announced is still sent, except to a host that hangs, which
   * could take longer than the worker lives.
   */
  stop(): void {
    this.#stopped = true;
    for (const lane of this.#lanes.values()) {
      lane.waiting.length = 0;
      this.#pump(lane);
    }
  }

  /** Whether nothing waits and nothing is under way. */
  get idle(): boolean {
    if (this.#underWay > 0) return false;
    return [...this.#lanes.values()].every(
      ({ waiting, announcing, ready }) => waiting.length + announcing + ready.length === 0,
    );
  }

  #pump(lane: Lane<Delivery>): void {
    if (this.#stopped && lane.stuck) {
      for (const delivery of lane.ready.splice(0)) this.#parts.dropped(delivery);
    }
    const taken = lane.takeToAnnounce();
    if (taken.length > 0) this.#announcements.add(...taken.map((delivery) => ({ lane, delivery })));
    while (lane.mayStart && this.#hasPlaceFor(lane)) this.#start(lane);
    if (lane.mayStart) this.#unfilled.add(lane);
    else this.#unfilled.delete(lane);
  }

  #hasPlaceFor(lane: Lane<Delivery>): boolean {
    if (this.#underWay >= EXCHANGES_AT_ONCE) return false;
    return !lane.stuck || this.#underWayWithStuckHosts() < EXCHANGES_WITH_STUCK_HOSTS;
  }

  #underWayWithStuckHosts(): number {
    let count = 0;
    for (const lane of this.#lanes.values()) if (lane.stuck) count += lane.underWay;
    return count;
  }

  async #start(lane: Lane<Delivery>): Promise<void> {
    const delivery = lane.ready.shift();
    if (delivery === undefined) return;
    lane.underWay += 1;
    this.#underWay += 1;
    const { signal, took_ms } = await this.#parts.post(delivery);
    this.#underWay -= 1;
    lane.ended(signal, took_ms);
    this.#pump(lane);
    // Hosts take turns for the free place, so that none waits for ever.
    for (const next of [...this.#unfilled]) {
      if (this.#underWay >= EXCHANGES_AT_ONCE) break;
      this.#unfilled.delete(next);
      this.#pump(next);
    }
    this.#parts.progressed();
  }

  async #announce(items: { lane: Lane<Delivery>; delivery: Delivery }[]): Promise<void> {
    const granted = await this.#parts.announce(items.map(({ delivery }) => delivery));
    const lanes = new Set<Lane<Delivery>>();
    for (const { lane, delivery } of items) {
      lane.announcing -= 1;
      if (granted.has(delivery.id)) lane.ready.push(delivery);
      else this.#parts.refused(delivery);
      lanes.add(lane);
    }
    for (const lane of lanes) this.#pump(lane);
    this.#parts.progressed();
  }
}

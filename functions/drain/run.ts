import type { WorkerBudget } from "../_shared/worker_budget.ts";
import { Backlog } from "./backlog.ts";
import { Batch } from "./batch.ts";
import { type Delivery, deliver, OpenEvent, Resolver } from "./delivery.ts";
import { Dispatcher } from "./dispatcher.ts";
import type {
  ClaimedEvent,
  DeliveryResult,
  DoneEvent,
  EventQueue,
  RunOrder,
} from "./event_queue.ts";
import type { PaceSignal } from "./lane.ts";
import { AT_RISK_MS, CLAIM, CPU, END_MS, RECORD_AT_ONCE, RUN_MS } from "./limits.ts";

/** What a run did, as `public.drain_runs` shows it. */
export type Summary = Record<string, unknown>;

/**
 * One run of the drain: claims the events that were due when it began, announces each POST before making it, and
 * records the outcome. When it has begun all that its worker may, another run continues.
 */
export class Run {
  readonly #queue: EventQueue;
  readonly #budget: WorkerBudget;
  readonly id: string;
  readonly #resolver = new Resolver();
  readonly #backlog = new Backlog();
  readonly #secrets = new Map<string, string | undefined>();
  readonly #records: Batch<DeliveryResult | DoneEvent>;
  readonly #dispatcher: Dispatcher;
  readonly #counts = {
    claimed: 0,
    posted: 0,
    accepted: 0,
    failed: 0,
    delivered: 0,
    to_retry: 0,
  };
  readonly #begun = new Set<OpenEvent>();
  /** Whether it has begun anything since it was last called. */
  #hasBegun = false;
  #claimSize: number = CLAIM.first;
  #stopping = false;
  /** Whether another run was asked to continue, and whether that call came back here. */
  #handedOver = false;
  #cameBack = false;
  #ending = false;
  #error: string | undefined;

  private constructor(queue: EventQueue, budget: WorkerBudget, id: string) {
    this.#queue = queue;
    this.#budget = budget;
    this.id = id;
    this.#records = new Batch({ max: RECORD_AT_ONCE, after_ms: AT_RISK_MS }, (items) =>
      this.#record(items),
    );
    this.#dispatcher = new Dispatcher({
      announce: (deliveries) => this.#announce(deliveries),
      post: (delivery) => this.#post(delivery),
      refused: (delivery) => this.#targetDone(delivery.event),
      dropped: (delivery) => this.#drop(delivery),
      progressed: () => this.#backlog.touch(),
    });
  }

  static async begin(queue: EventQueue, budget: WorkerBudget, order: RunOrder): Promise<Run> {
    budget.spend(CPU.run_ms);
    const { run_id } = await queue.begin(order);
    return new Run(queue, budget, run_id);
  }

  /** Works until nothing is left, the budget or the time is used up, or `stop` is called. */
  async work(run_ms = RUN_MS): Promise<Summary> {
    const time_ms = Math.min(run_ms, RUN_MS, this.#budget.timeFor(END_MS));
    const timer = setTimeout(() => this.stop(), time_ms);
    do {
      this.#cameBack = false;
      this.#hasBegun = false;
      await this.#claimAll().catch((error) => this.#fail(error));
      while (!this.#dispatcher.idle && !this.#cameBack) await this.#backlog.changed();
    } while (this.#cameBack && !this.#stopping);
    this.#ending = true;
    clearTimeout(timer);
    for (const event of this.#begun) this.#end(event);
    await this.#records.empty();
    return this.#queue.finish(this.id, {
      ...this.#counts,
      handed_over: this.#handedOver,
      error: this.#error,
    });
  }

  /** The call to continue has come back to the same worker. Returns whether this run continues. */
  goOn(): boolean {
    if (this.#stopping || this.#ending || !this.#handedOver) return false;
    this.#handedOver = false;
    this.#cameBack = true;
    this.#backlog.touch();
    return true;
  }

  /** Begins nothing more and releases what was not begun. */
  stop(): void {
    this.#stopping = true;
    this.#dispatcher.stop();
    this.#backlog.touch();
  }

  async #claimAll(): Promise<void> {
    // Agencies that may have more events; unknown at first.
    let open: string[] | undefined;
    while (!this.#stopping) {
      if (this.#backlog.full || open?.every((agency) => this.#backlog.isBusy(agency))) {
        await this.#backlog.changed();
        continue;
      }
      const affordable = Math.floor(this.#budget.cpu_ms / CPU.post_ms);
      if (affordable < 1) return this.#handOver([]);
      const busy = this.#backlog.busyAgencies();
      const max_events = Math.min(this.#claimSize, affordable);
      const { events, without_post } = await this.#queue.claim(this.id, max_events, busy);
      this.#counts.claimed += events.length + without_post;
      const notBegun = await this.#accept(events);
      if (notBegun.length > 0) return this.#handOver(notBegun);
      if (events.length >= max_events / 2) this.#claimSize = Math.min(CLAIM.max, max_events * 2);
      if (events.length + without_post > 0) continue;
      // A run only takes what was due when it began, so an agency without more will not get any.
      if (busy.length === 0) return;
      open = busy;
    }
  }

  /** Begins what the budget allows. Returns the rest. */
  async #accept(claimed: ClaimedEvent[]): Promise<ClaimedEvent[]> {
    const unknown = new Set(claimed.map((event) => event.agency_id));
    for (const agency of unknown) if (this.#secrets.has(agency)) unknown.delete(agency);
    if (unknown.size > 0) {
      const secrets = await this.#queue.signingSecrets([...unknown]);
      for (const agency of unknown) this.#secrets.set(agency, secrets[agency]);
    }
    if (this.#stopping) return [];
    const queue = [...claimed];
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const event = new OpenEvent(one, this.#secrets.get(one.agency_id));
      // The first is always begun: an event with more targets than any budget allows would wait for ever.
      if (event.cpu_ms > this.#budget.cpu_ms && this.#hasBegun) {
        queue.unshift(one);
        break;
      }
      this.#hasBegun = true;
      this.#begun.add(event);
      this.#budget.begin(event.cpu_ms);
      this.#backlog.took(event.agencyId);
      for (const { subscription_id, url } of one.targets) {
        const id = crypto.randomUUID();
        this.#dispatcher.add({ id, event, subscriptionId: subscription_id, url });
      }
    }
    this.#dispatcher.go();
    return queue;
  }

  /** Claims nothing more. What was begun may take its time while another run continues. */
  async #handOver(notBegun: ClaimedEvent[]): Promise<void> {
    if (!this.#hasBegun) return;
    // The call may come back before the database's answer does.
    this.#handedOver = true;
    const ids = notBegun.map(({ id }) => id);
    if (!(await this.#queue.handOver(this.id, ids))) this.#handedOver = false;
  }

  async #announce(deliveries: Delivery[]): Promise<Set<string>> {
    try {
      const announcements = deliveries.map(({ id, event, subscriptionId }) => ({
        id,
        agency_id: event.agencyId,
        event_id: event.id,
        subscription_id: subscriptionId,
      }));
      return new Set(await this.#queue.announce(this.id, announcements));
    } catch (error) {
      this.#fail(error);
      return new Set();
    }
  }

  async #post(delivery: Delivery): Promise<{ signal: PaceSignal; took_ms: number }> {
    const { result, signal, took_ms } = await deliver(delivery, this.#resolver);
    this.#counts.posted += 1;
    this.#counts[result.state] += 1;
    this.#records.add(result);
    this.#targetDone(delivery.event);
    return { signal, took_ms };
  }

  #drop({ id, event }: Delivery): void {
    this.#counts.failed += 1;
    this.#records.add({
      id,
      agency_id: event.agencyId,
      state: "failed",
      status_code: null,
      error: "not_sent",
      error_detail: "The host did not answer before the run had to end.",
      duration_ms: null,
    });
    this.#targetDone(event);
  }

  #targetDone(event: OpenEvent): void {
    event.open -= 1;
    if (event.open > 0) return;
    this.#end(event);
    this.#records.add({ agency_id: event.agencyId, event_id: event.id });
    this.#backlog.finished(event.agencyId);
  }

  #end(event: OpenEvent): void {
    if (this.#begun.delete(event)) this.#budget.end(event.cpu_ms);
  }

  async #record(items: (DeliveryResult | DoneEvent)[]): Promise<void> {
    const results = items.filter((item) => "id" in item);
    const done = items.filter((item) => "event_id" in item);
    try {
      const { delivered, to_retry } = await this.#queue.record(this.id, results, done);
      this.#counts.delivered += delivered;
      this.#counts.to_retry += to_retry;
    } catch (error) {
      // Without a record nothing may be posted again: these deliveries stay announced and become unknown.
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    console.error(JSON.stringify({ level: "error", run_id: this.id, cause: message }));
    this.#error ??= message;
    this.#handedOver = false;
    this.stop();
  }
}

import { ServiceRpc } from "../_shared/service_rpc.ts";

interface Target {
  subscription_id: string;
  url: string;
}

export interface ClaimedEvent {
  agency_id: string;
  id: string;
  event_type: string;
  /** The exact text to sign and post. */
  body: string;
  targets: Target[];
}

/** A POST that is about to be made. Its id is made here, so that announcing it twice changes nothing. */
interface Announcement {
  id: string;
  agency_id: string;
  event_id: string;
  subscription_id: string;
}

/** The outcome of an announced POST. */
export interface DeliveryResult {
  id: string;
  agency_id: string;
  state: "accepted" | "failed";
  status_code: number | null;
  error: string | null;
  error_detail: string | null;
  duration_ms: number | null;
}

export interface DoneEvent {
  agency_id: string;
  event_id: string;
}

/** What a run is asked to do: by the minute job, a share of the agencies; by another run, to continue it. */
export interface RunOrder {
  continues: string | undefined;
  share: number;
  shares: number;
  /** Whether it asks to be called again while events are due. */
  calls_again: boolean;
}

interface Settled {
  delivered: number;
  to_retry: number;
}

const ANSWER_WITHIN_MS = 15_000;

/** The drain's RPCs. All are safe to repeat, so failed calls are retried. */
export class EventQueue {
  readonly #rpc = new ServiceRpc(ANSWER_WITHIN_MS);

  begin(order: RunOrder): Promise<{ run_id: string; reclaimed: number }> {
    return this.#rpc.call("drain_begin", { ...order });
  }

  /** Claims events of agencies that are not busy. Events claimed in a lost answer are released when the run ends. */
  claim(
    run_id: string,
    max_events: number,
    busy_agencies: string[],
  ): Promise<{ events: ClaimedEvent[]; without_post: number }> {
    return this.#rpc.call("drain_claim", { run_id, max_events, busy_agencies });
  }

  /** Returns the ids of the POSTs that may be made. */
  announce(run_id: string, deliveries: Announcement[]): Promise<string[]> {
    return this.#rpc.call("drain_announce", { run_id, deliveries });
  }

  record(run_id: string, results: DeliveryResult[], done: DoneEvent[]): Promise<Settled> {
    return this.#rpc.call("drain_record", { run_id, results, done });
  }

  /** The signing secrets of those agencies that have one. */
  signingSecrets(agency_ids: string[]): Promise<Record<string, string>> {
    return this.#rpc.call("drain_signing_secrets", { agency_ids });
  }

  /** Releases claimed events that were not begun, and asks for another run to continue this one. */
  handOver(run_id: string, not_begun: string[]): Promise<boolean> {
    return this.#rpc.call("drain_hand_over", { run_id, not_begun });
  }

  finish(run_id: string, summary: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.#rpc.call("drain_finish", { run_id, summary });
  }
}

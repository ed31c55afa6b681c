import {
  type CheckedTarget,
  checkUrl,
  resolveTarget,
  type TargetError,
} from "../_shared/target.ts";
import type { ClaimedEvent, DeliveryResult } from "./event_queue.ts";
import { exchange, type Outcome } from "./exchange.ts";
import type { PaceSignal } from "./lane.ts";
import { CPU, EXCHANGE_MS } from "./limits.ts";
import { signature } from "./sign.ts";

const encoder = new TextEncoder();
const RESOLVED_FOR_MS = 5000;

/** What is posted for an event, the same to all targets. */
interface Message {
  headers: Record<string, string>;
  body: Uint8Array;
}

/** An event that a run works on. Its bytes and their signature are made once for all targets. */
export class OpenEvent {
  readonly agencyId: string;
  readonly id: string;
  /** How many targets are not done yet. */
  open: number;
  /** What it costs of the worker's budget. */
  readonly cpu_ms: number;
  readonly #claimed: ClaimedEvent;
  readonly #secret: string | undefined;
  #message: Message | undefined;

  constructor(claimed: ClaimedEvent, secret: string | undefined) {
    this.agencyId = claimed.agency_id;
    this.id = claimed.id;
    this.open = claimed.targets.length;
    const { post_ms, body_ms_per_kib } = CPU;
    this.cpu_ms = this.open * (post_ms + (claimed.body.length / 1024) * body_ms_per_kib);
    this.#claimed = claimed;
    this.#secret = secret;
  }

  get message(): Message {
    this.#message ??= this.#write();
    return this.#message;
  }

  #write(): Message {
    const body = encoder.encode(this.#claimed.body);
    const secret = this.#secret;
    const headers = {
      "content-type": "application/json",
      "x-service-event": this.#claimed.event_type,
      "x-service-delivery": this.id,
      ...(secret === undefined ? {} : { "x-service-signature": signature(secret, body) }),
      "user-agent": "corredor",
      accept: "*/*",
    };
    return { headers, body };
  }
}

/** One POST of an event to one subscription. */
export interface Delivery {
  id: string;
  event: OpenEvent;
  subscriptionId: string;
  url: string;
}

/** Looks up a run's targets: each host once in a few seconds, however many events it gets. */
export class Resolver {
  readonly #known = new Map<string, { until: number; target: ReturnType<typeof resolveTarget> }>();

  async resolve(url: URL): Promise<CheckedTarget | TargetError> {
    const now = performance.now();
    let known = this.#known.get(url.hostname);
    if (known === undefined || known.until < now) {
      known = { until: now + RESOLVED_FOR_MS, target: resolveTarget(url) };
      this.#known.set(url.hostname, known);
    }
    const target = await known.target;
    return "code" in target ? target : { url, addresses: target.addresses };
  }
}

/** Posts once and reports the outcome. Never throws, so that every announced delivery gets an outcome. */
export async function deliver(
  delivery: Delivery,
  resolver: Resolver,
): Promise<{ result: DeliveryResult; signal: PaceSignal; took_ms: number }> {
  const startedAt = performance.now();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), EXCHANGE_MS);
  let outcome: Outcome;
  try {
    outcome = await post(delivery, resolver, deadline.signal);
  } catch (error) {
    outcome = { error: "not_sent", detail: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
  const { status, error, detail } = outcome;
  const took_ms = Math.round(performance.now() - startedAt);
  return {
    took_ms,
    signal: status !== undefined ? "answered" : error === "timeout" ? "timed_out" : "failed",
    result: {
      id: delivery.id,
      agency_id: delivery.event.agencyId,
      state: error === undefined ? "accepted" : "failed",
      status_code: status ?? null,
      error: error ?? null,
      error_detail: detail ?? null,
      duration_ms: took_ms,
    },
  };
}

async function post(
  delivery: Delivery,
  resolver: Resolver,
  deadline: AbortSignal,
): Promise<Outcome> {
  const url = checkUrl(delivery.url);
  if ("code" in url) return { error: url.code, detail: url.reason };
  const { headers, body } = delivery.event.message;
  const target = await before(deadline, resolver.resolve(url));
  if (target === undefined) return { error: "timeout", detail: "The DNS lookup took too long." };
  if ("code" in target) return { error: target.code, detail: target.reason };
  return await exchange(target, headers, body, deadline);
}

/** The result of `work`, or undefined if the deadline comes first. */
function before<T>(deadline: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    deadline.addEventListener("abort", () => resolve(undefined), { once: true });
    work.then(resolve, reject);
  });
}

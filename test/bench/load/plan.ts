/** What a load generator does. Plain data: it runs on a thread of its own. */
export interface Plan {
  baseUrl: string;
  headers: Record<string, string>;
  connections: number;
  /** The requests, made in this order by whichever connection is free; from the start again at the end. */
  requests: PlannedRequest[];
  /** False refuses to start again, for requests that only work once. */
  repeat: boolean;
}

/** One request of a plan. */
export interface PlannedRequest {
  method: string;
  path: string;
  body?: string;
  /** Headers of this request alone. */
  headers?: Record<string, string>;
  /** Any other status is a failure of the bench. */
  status: number;
}

/** What a turn of load reached. */
export interface Load {
  requests: number;
  requests_per_second: number;
  /** Milliseconds from sending a request to having its whole answer. */
  latency_ms: { median: number; p95: number };
  /** The generator's share of one core: near 1, it would be what is measured. */
  client_cpu: number;
}

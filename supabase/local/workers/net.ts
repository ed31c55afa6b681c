import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { messageOf } from "../failure.ts";
import type { Worker } from "./cron.ts";

interface QueuedRequest {
  id: string;
  method: string;
  url: string;
  headers: Record<string, string> | null;
  body: Uint8Array | null;
  timeout_milliseconds: number;
}

interface Outcome {
  status_code: number | null;
  content_type: string | null;
  headers: Record<string, string> | null;
  content: string | null;
  timed_out: boolean;
  error_msg: string | null;
}

const batch = 200;
const poll_ms = 1000;

/**
 * Sends the requests that `net.http_*` queued, once they are committed, as pg_net's worker does: a batch at once, and
 * the next when the last of it has been answered or given up.
 */
export function startNetWorker(databaseUrl: string, log: (line: string) => void): Worker {
  const sql = postgres(databaseUrl, {
    max: 2,
    onnotice: () => {},
    connection: { application_name: "pg_net" },
  });
  const stopping = new AbortController();
  let wake = () => {};

  async function sendAndRecord(request: QueuedRequest): Promise<void> {
    try {
      await recordOutcome(sql, request.id, await send(request, stopping.signal));
    } catch (error) {
      log(`[net] ${messageOf(error)}`);
    }
  }

  async function sendQueued(): Promise<void> {
    for (let taken = batch; taken === batch && !stopping.signal.aborted; ) {
      const requests = await takeRequests(sql);
      taken = requests.length;
      await Promise.all(requests.map(sendAndRecord));
    }
  }

  const loop = (async () => {
    const listening = sql.listen("net_request_queued", () => wake()).catch(() => {});
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await sendQueued().catch((error) => log(`[net] ${messageOf(error)}`));
      const pause = delay(poll_ms, undefined, { signal: stopping.signal }).catch(() => {});
      await Promise.race([woken, pause]);
    }
    await listening;
  })();

  return {
    async stop() {
      stopping.abort();
      await loop;
      await sql.end({ timeout: 1 });
    },
  };
}

/** Takes requests off the queue; none before a migration has created the extension. */
async function takeRequests(sql: postgres.Sql): Promise<QueuedRequest[]> {
  const [row] = await sql<
    { known: boolean }[]
  >`select to_regclass('net.http_request_queue') is not null as known`;
  if (!row?.known) return [];
  return sql<QueuedRequest[]>`
    delete from net.http_request_queue
    where ctid = any (array(
      select ctid from net.http_request_queue order by id limit ${batch} for update skip locked))
    returning id::text, method, url, headers, body, timeout_milliseconds`;
}

async function send(request: QueuedRequest, stopping: AbortSignal): Promise<Outcome> {
  const limit = AbortSignal.timeout(request.timeout_milliseconds);
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers ?? {},
      body: request.body === null ? null : new Uint8Array(request.body),
      signal: AbortSignal.any([limit, stopping]),
    });
    return {
      status_code: response.status,
      content_type: response.headers.get("content-type"),
      headers: Object.fromEntries(response.headers),
      content: await response.text(),
      timed_out: false,
      error_msg: null,
    };
  } catch (error) {
    const timedOut = limit.aborted;
    const cause = (error as { cause?: unknown }).cause ?? error;
    return {
      status_code: null,
      content_type: null,
      headers: null,
      content: null,
      timed_out: timedOut,
      error_msg: timedOut
        ? `Timeout of ${request.timeout_milliseconds} ms reached`
        : messageOf(cause),
    };
  }
}

/** Answers are kept for six hours, pg_net's default. */
async function recordOutcome(sql: postgres.Sql, id: string, outcome: Outcome): Promise<void> {
  await sql`
    with expired as (
      delete from net._http_response where created < now() - interval '6 hours'
    )
    insert into net._http_response ${sql({
      id,
      ...outcome,
      headers: outcome.headers === null ? null : sql.json(outcome.headers),
    })}`;
}

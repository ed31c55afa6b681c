import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { messageOf } from "../../failure.ts";
import { openDatabase } from "../postgres/pool.ts";
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

const BATCH_SIZE = 200;
const POLL_INTERVAL_MS = 1000;

/**
 * Sends the requests that `net.http_*` queued, once they are committed, as pg_net's worker does: a batch at once, and
 * the next when the last of it has been answered or given up.
 */
export function startNetWorker(databaseUrl: string, log: (line: string) => void): Worker {
  const database = openDatabase(databaseUrl, { max: 2, applicationName: "pg_net" });
  const stopping = new AbortController();
  let wake = () => {};

  async function sendAndRecord(request: QueuedRequest): Promise<void> {
    try {
      await recordOutcome(database.pool, request.id, await send(request, stopping.signal));
    } catch (error) {
      log(`[net] ${messageOf(error)}`);
    }
  }

  async function sendQueued(): Promise<void> {
    for (let taken = BATCH_SIZE; taken === BATCH_SIZE && !stopping.signal.aborted; ) {
      const requests = await takeRequests(database.pool);
      taken = requests.length;
      await Promise.all(requests.map(sendAndRecord));
    }
  }

  const loop = (async () => {
    let listener: pg.Client | undefined;
    const forget = () => {
      listener = undefined;
    };
    while (!stopping.signal.aborted) {
      // Nothing depends on the listener: without it, requests wait for the next poll.
      listener ??= await listen(databaseUrl, () => wake(), forget);
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await sendQueued().catch((error) => log(`[net] ${messageOf(error)}`));
      const pause = delay(POLL_INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
      await Promise.race([woken, pause]);
    }
    await listener?.end();
  })();

  return {
    async stop() {
      stopping.abort();
      await loop;
      await database.close();
    },
  };
}

/** Listens for queued requests until the connection is lost. */
async function listen(
  url: string,
  heard: () => void,
  lost: () => void,
): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString: url, application_name: "pg_net" });
  client.on("notification", heard);
  client.on("error", () => {});
  client.on("end", lost);
  try {
    await client.connect();
    await client.query("listen net_request_queued");
    return client;
  } catch {
    await client.end();
    return undefined;
  }
}

/** Takes requests off the queue; none before a migration has created the extension. */
async function takeRequests(pool: pg.Pool): Promise<QueuedRequest[]> {
  const known = await pool.query(
    "select to_regclass('net.http_request_queue') is not null as known",
  );
  if (!known.rows[0]?.known) return [];
  const taken = await pool.query<QueuedRequest>(
    `delete from net.http_request_queue
     where ctid = any (array(
       select ctid from net.http_request_queue order by id limit $1 for update skip locked))
     returning id::text, method, url, headers, body, timeout_milliseconds`,
    [BATCH_SIZE],
  );
  return taken.rows;
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
async function recordOutcome(pool: pg.Pool, id: string, outcome: Outcome): Promise<void> {
  const { status_code, content_type, headers, content, timed_out, error_msg } = outcome;
  await pool.query(
    `with expired as (
       delete from net._http_response where created < now() - interval '6 hours'
     )
     insert into net._http_response
       (id, status_code, content_type, headers, content, timed_out, error_msg)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, status_code, content_type, headers, content, timed_out, error_msg],
  );
}

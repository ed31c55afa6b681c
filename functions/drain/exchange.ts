import { Buffer } from "node:buffer";
import { connect, type TLSSocket } from "node:tls";
import { isAddress } from "../_shared/addresses.ts";
import { type CheckedTarget, hostOf } from "../_shared/target.ts";
import { type AnswerHead, isWhole, LAST_CHUNK_BYTES, parseHead } from "./http_response.ts";

/** The outcome of one POST: the target's status, if it answered, and the error, unless it succeeded. */
export interface Outcome {
  status?: number;
  error?: string;
  detail?: string;
}

const MAX_READ_BYTES = 64 * 1024;
const MAX_HEAD_BYTES = 16 * 1024;
const encoder = new TextEncoder();

/**
 * Posts once, over a new connection, to a checked address.
 *
 * This speaks HTTP/1.1 over `node:tls` because nothing else on the edge runtime guarantees what a delivery needs.
 * `fetch` looks the name up again, so it may call an unchecked address, and it resends a POST when a kept-alive
 * connection is reset; `node:https` there refuses the option `lookup`; and Deno's own TLS connections are closed on 32
 * threads that sleep 100 ms each, so a fast run would exhaust its file descriptors and its DNS lookups would queue
 * behind them. Connections are never reused: if a target closed one while we write, we could not tell whether it got
 * the event.
 */
export async function exchange(
  target: CheckedTarget,
  headers: Record<string, string>,
  body: Uint8Array,
  deadline: AbortSignal,
): Promise<Outcome> {
  const request = requestBytes(target.url, headers, body);
  let outcome = timedOut();
  for (const address of target.addresses) {
    if (deadline.aborted) break;
    outcome = await post(target.url, address, request, deadline);
    // An unreachable address was sent nothing, so the next one may be tried.
    if (!UNREACHED.has(outcome.error ?? "")) break;
  }
  return outcome;
}

const UNREACHED = new Set(["connection_refused", "connect_failed"]);

/** Sends nothing before the certificate has been verified. Never rejects. */
function post(
  url: URL,
  address: string,
  request: Uint8Array,
  deadline: AbortSignal,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const answer = new Answer();
    const socket = openSocket(url, address);
    let phase: Phase = "connecting";
    let finished = false;
    const finish = (otherwise: Outcome) => {
      if (finished) return;
      finished = true;
      deadline.removeEventListener("abort", giveUp);
      socket.destroy();
      resolve(answer.outcome ?? otherwise);
    };
    const giveUp = () => finish(timedOut());

    deadline.addEventListener("abort", giveUp);
    socket.on("connect", () => {
      // Deno 2.1, which the edge runtime is built from, emits this after `secureConnect`.
      if (phase === "connecting") phase = "handshaking";
    });
    socket.on("secureConnect", () => {
      // There it is also emitted, before the error, when the handshake fails. Only a successful one sets the protocol,
      // if only to `false`.
      phase = socket.alpnProtocol === null ? "handshaking" : "open";
      if (phase !== "open") return;
      socket.write(request);
    });
    socket.on("data", (chunk: Uint8Array) => {
      if (!finished && answer.add(chunk)) finish(NO_ANSWER);
    });
    const closed = () => finish(phase === "open" ? NO_ANSWER : NOT_SECURED);
    socket.on("end", closed);
    socket.on("close", closed);
    socket.on("error", (error: NodeJS.ErrnoException) => finish(failureOf(error, phase)));
  });
}

type Phase = "connecting" | "handshaking" | "open";

const NO_ANSWER: Outcome = {
  error: "connection_lost",
  detail: "The connection was closed without an answer.",
};

const NOT_SECURED: Outcome = {
  error: "tls_failed",
  detail: "The connection was closed before it was secured.",
};

function failureOf({ code, message: detail }: NodeJS.ErrnoException, phase: Phase): Outcome {
  if (phase === "open") return { error: "connection_lost", detail };
  if (phase === "handshaking") return { error: "tls_failed", detail };
  return { error: code === "ECONNREFUSED" ? "connection_refused" : "connect_failed", detail };
}

function openSocket(url: URL, address: string): TLSSocket {
  const host = hostOf(url);
  const socket = connect({
    host: address,
    port: Number(url.port || 443),
    // The name that the certificate must match; an address is verified as such.
    ...(isAddress(host) ? {} : { servername: host }),
    ALPNProtocols: ["http/1.1"],
  });
  // Otherwise the request waits 40 ms for our last handshake message to be acknowledged.
  socket.setNoDelay(true);
  return socket;
}

function requestBytes(url: URL, headers: Record<string, string>, body: Uint8Array): Uint8Array {
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    "connection: close",
  ];
  const head = encoder.encode(`${lines.join("\r\n")}\r\n\r\n`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

/** Only the status counts. The body is read so that the target is not cut off while writing. */
class Answer {
  /** All bytes until the head is complete, then only what could be the end of the body. */
  #kept: Uint8Array = new Uint8Array();
  #received_bytes = 0;
  #head: AnswerHead | "malformed" | undefined;

  /** Known as soon as the head is complete: the target then has the event, however the connection ends. */
  get outcome(): Outcome | undefined {
    if (this.#head === undefined) return undefined;
    if (this.#head !== "malformed") return judge(this.#head.status);
    return { error: "bad_response", detail: "The answer is not HTTP/1.1." };
  }

  /** Returns whether no more is needed. */
  add(chunk: Uint8Array): boolean {
    this.#received_bytes += chunk.length;
    this.#kept = Buffer.concat([this.#kept, chunk]);
    this.#head ??= parseHead(this.#kept);
    if (this.#head === undefined && this.#kept.length > MAX_HEAD_BYTES) {
      this.#head = "malformed";
    }
    if (this.#head === undefined) return false;
    this.#kept = this.#kept.subarray(-LAST_CHUNK_BYTES);
    return (
      this.#head === "malformed" ||
      this.#received_bytes >= MAX_READ_BYTES ||
      isWhole(this.#head, this.#received_bytes, this.#kept)
    );
  }
}

function judge(status: number): Outcome {
  if (status >= 200 && status < 300) return { status };
  if (status >= 300 && status < 400) {
    return { status, error: "redirect", detail: `Answered ${status}; redirects are not followed.` };
  }
  return { status, error: "http_status", detail: `Answered ${status}.` };
}

function timedOut(): Outcome {
  return { error: "timeout", detail: "The exchange took longer than 10 s." };
}

import { type CheckedTarget, hostOf } from "../_shared/target.ts";
import { type AnswerHead, isWhole, parseHead } from "./answer.ts";

/** What came of one POST. `status` is what the target answered, if it did; `error` is why that is not a success. */
export interface Outcome {
  status?: number;
  error?: string;
  detail?: string;
}

/** The longest answer that is read; the rest is of no use to us. */
const READ_AT_MOST_BYTES = 64 * 1024;
const HEAD_AT_MOST_BYTES = 16 * 1024;
const encoder = new TextEncoder();
/** Buffers for answers, used again: there are never more than there were exchanges at once. */
const spareBuffers: Uint8Array<ArrayBuffer>[] = [];

/**
 * Posts once, over a connection of its own, to an address that was checked.
 *
 * This speaks HTTP/1.1 over `Deno.connect` and `Deno.startTls` because nothing else on the edge runtime can promise
 * what a delivery needs. `fetch` looks the name up again, so the address checked is not the one called, and sends a
 * POST twice when a kept connection is reset; `node:https` there refuses the option `lookup`. A connection is never
 * kept: on a kept one, a target that closes it while we write cannot be told from one that got the event.
 */
export async function exchange(
  target: CheckedTarget,
  headers: Record<string, string>,
  body: Uint8Array,
  deadline: AbortSignal,
): Promise<Outcome> {
  let connection: Deno.TlsConn;
  try {
    connection = await connect(target, deadline);
  } catch (error) {
    return failureToConnect(error, deadline);
  }
  const close = () => closeQuietly(connection);
  deadline.addEventListener("abort", close);
  const buffer = spareBuffers.pop() ?? new Uint8Array(READ_AT_MOST_BYTES);
  try {
    await writeAll(connection, requestBytes(target.url, headers, body));
    return await readAnswer(connection, buffer);
  } catch (error) {
    return deadline.aborted ? timedOut() : { error: "connection_lost", detail: messageOf(error) };
  } finally {
    deadline.removeEventListener("abort", close);
    close();
    spareBuffers.push(buffer);
  }
}

/** Tries the addresses in turn. Nothing of the event is sent before the certificate has been verified. */
async function connect(target: CheckedTarget, deadline: AbortSignal): Promise<Deno.TlsConn> {
  const port = Number(target.url.port || 443);
  let tcp: Deno.TcpConn | undefined;
  let failure: unknown;
  for (const hostname of target.addresses) {
    try {
      tcp = await orAbort(Deno.connect({ hostname, port }), deadline);
      break;
    } catch (error) {
      failure = error;
      if (deadline.aborted) break;
    }
  }
  if (tcp === undefined) throw failure;
  // Otherwise our last handshake message waits for an acknowledgement, 40 ms, before the request follows it.
  tcp.setNoDelay(true);
  const closeTcp = () => closeQuietly(tcp);
  deadline.addEventListener("abort", closeTcp);
  let tls: Deno.TlsConn | undefined;
  try {
    tls = await Deno.startTls(tcp, { hostname: hostOf(target.url), alpnProtocols: ["http/1.1"] });
    await orAbort(tls.handshake(), deadline);
    return tls;
  } catch (error) {
    closeQuietly(tls ?? tcp);
    throw new HandshakeFailure(messageOf(error));
  } finally {
    deadline.removeEventListener("abort", closeTcp);
  }
}

class HandshakeFailure extends Error {}

function failureToConnect(error: unknown, deadline: AbortSignal): Outcome {
  if (deadline.aborted) return timedOut();
  const detail = messageOf(error);
  if (error instanceof HandshakeFailure) return { error: "tls_failed", detail };
  if (error instanceof Deno.errors.ConnectionRefused)
    return { error: "connection_refused", detail };
  return { error: "connect_failed", detail };
}

function timedOut(): Outcome {
  return { error: "timeout", detail: "The exchange took longer than 10 s." };
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

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length; ) sent += await connection.write(bytes.subarray(sent));
}

/** The status decides. The body is only read so that the target is not cut off while it writes. */
async function readAnswer(connection: Deno.Conn, buffer: Uint8Array): Promise<Outcome> {
  let filled = 0;
  let head: AnswerHead | undefined;
  while (filled < buffer.length) {
    let count: number | null;
    try {
      count = await connection.read(buffer.subarray(filled));
    } catch (error) {
      // The target has answered, so it has the event, however the connection ends.
      if (head !== undefined) break;
      throw error;
    }
    if (count === null) break;
    filled += count;
    const read = buffer.subarray(0, filled);
    if (head === undefined) {
      const parsed = parseHead(read);
      if (parsed === "malformed" || (parsed === undefined && filled > HEAD_AT_MOST_BYTES)) {
        return { error: "bad_response", detail: "The answer is not HTTP/1.1." };
      }
      head = parsed;
    }
    if (head !== undefined && isWhole(head, read)) break;
  }
  if (head === undefined) {
    return { error: "connection_lost", detail: "The connection was closed without an answer." };
  }
  return judge(head.status);
}

function judge(status: number): Outcome {
  if (status >= 200 && status < 300) return { status };
  if (status >= 300 && status < 400) {
    return { status, error: "redirect", detail: `Answered ${status}; redirects are not followed.` };
  }
  return { status, error: "http_status", detail: `Answered ${status}.` };
}

/** Waits no longer than the deadline. A connection that comes too late is closed. */
async function orAbort<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error("aborted"));
    deadline.addEventListener("abort", stop);
    if (deadline.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    work.then(closeQuietly, () => {});
    throw error;
  } finally {
    deadline.removeEventListener("abort", stop);
  }
}

function closeQuietly(connection: unknown): void {
  try {
    (connection as Deno.Conn).close();
  } catch {
    // It is closed already.
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

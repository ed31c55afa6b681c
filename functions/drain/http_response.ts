/** What the head of an HTTP/1.1 response says about where the response ends. */
export interface AnswerHead {
  status: number;
  /** Where the body begins. */
  bodyAt: number;
  /** The length of the body, if known. */
  length: number | undefined;
  chunked: boolean;
}

const decoder = new TextDecoder("latin1");
const CR = 13;
const LF = 10;
const LAST_CHUNK = "0\r\n\r\n";
export const LAST_CHUNK_BYTES = LAST_CHUNK.length;

/** Reads the head of the final response, skipping interim 1xx ones; undefined until it is complete. */
export function parseHead(bytes: Uint8Array, from = 0): AnswerHead | "malformed" | undefined {
  const end = endOfHead(bytes, from);
  if (end === undefined) return undefined;
  const [statusLine = "", ...lines] = decoder.decode(bytes.subarray(from, end)).split("\r\n");
  const status = Number(/^HTTP\/1\.[01] ([1-9]\d\d)(?: |$)/.exec(statusLine)?.[1]);
  if (!status) return "malformed";
  const bodyAt = end + 4;
  if (status < 200) return parseHead(bytes, bodyAt);
  const fields = lines.map((line) => line.toLowerCase());
  const chunked = fields.some((field) => /^transfer-encoding:.*\bchunked\b/.test(field));
  const length = fields
    .map((field) => /^content-length:\s*(\d+)\s*$/.exec(field)?.[1])
    .find(Boolean);
  const bodiless = status === 204 || status === 304;
  return {
    status,
    bodyAt,
    chunked,
    length: bodiless ? 0 : length === undefined || chunked ? undefined : Number(length),
  };
}

/**
 * Whether the body is complete, given how many bytes have come and the last of them. A body of unknown length ends with
 * the connection.
 */
export function isWhole(head: AnswerHead, received_bytes: number, last: Uint8Array): boolean {
  const body_bytes = received_bytes - head.bodyAt;
  if (head.length !== undefined) return body_bytes >= head.length;
  // Data that happens to look like the last chunk ends our reading early; no harm, since the body is not used.
  return head.chunked && body_bytes >= LAST_CHUNK_BYTES && decoder.decode(last) === LAST_CHUNK;
}

function endOfHead(bytes: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(CR, from); at !== -1; at = bytes.indexOf(CR, at + 1)) {
    if (bytes[at + 1] === LF && bytes[at + 2] === CR && bytes[at + 3] === LF) return at;
  }
  return undefined;
}

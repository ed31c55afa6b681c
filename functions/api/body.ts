import {
  invalid,
  payloadTooLarge,
  type RequestError,
  unsupportedMediaType,
} from "../_shared/errors.ts";

export const MAX_BODY_BYTES = 1024 * 1024;
/** How much of a refused body is still read, so that the client sees the answer instead of a broken connection. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;
const READ_WITHIN_MS = 30_000;
const JSON_MEDIA_TYPE = /^application\/json *(;|$)/i;

/** Reads a JSON body of bounded size in bounded time. Undefined when there is none. */
export async function readJson(request: Request): Promise<unknown> {
  if (!request.body) return undefined;
  const reader = request.body.getReader();
  const timer = setTimeout(() => reader.cancel("too slow").catch(() => {}), READ_WITHIN_MS);
  const startedAt = Date.now();
  try {
    const bytes = await readBytes(
      reader,
      JSON_MEDIA_TYPE.test(request.headers.get("content-type") ?? ""),
    );
    if (Date.now() - startedAt >= READ_WITHIN_MS) throw malformed("did not arrive in time");
    return bytes.byteLength === 0 ? undefined : parse(bytes);
  } finally {
    clearTimeout(timer);
  }
}

async function readBytes(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  isJson: boolean,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      // The client went away: nobody will see the answer, and it is not our fault.
      throw malformed("did not arrive whole");
    });
    if (done) break;
    size += value.byteLength;
    if (size > 0 && !isJson) {
      await discard(reader);
      throw unsupportedMediaType();
    }
    if (size > MAX_BODY_BYTES) {
      await discard(reader);
      throw payloadTooLarge(MAX_BODY_BYTES);
    }
    chunks.push(value);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : concatenate(chunks, size);
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  let size = 0;
  while (size < MAX_DISCARDED_BYTES) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.byteLength;
  }
  await reader.cancel("too large");
}

function concatenate(chunks: Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw malformed("must be JSON in UTF-8");
  }
}

function malformed(message: string): RequestError {
  return invalid("invalid_json", [{ path: "body", message }]);
}

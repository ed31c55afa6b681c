import { createHash, timingSafeEqual } from "node:crypto";
import { secretKeys } from "./environment.ts";
import { VERSION } from "./version.ts";

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void };

const ours = secretKeys().map(digestOf);

/** What a caller may ask of a job; the minute jobs send nothing. */
export interface Order {
  /** Whether to answer only when the work is done. */
  wait?: boolean;
  [member: string]: unknown;
}

/**
 * Answers a call by a database job, which sends a secret key of the project. The work continues after the answer,
 * because pg_net must not be kept waiting.
 */
export async function answerJob(
  worker: string,
  request: Request,
  start: (order: Order) => Promise<unknown>,
): Promise<Response> {
  const shown = digestOf(request.headers.get("apikey") ?? "");
  if (!ours.some((key) => timingSafeEqual(shown, key))) {
    return errorResponse(401, "unauthorized", `The ${worker} needs a secret key of the project.`);
  }
  if (request.method !== "POST") {
    return errorResponse(405, "method_not_allowed", `The ${worker} supports POST only.`, {
      allow: "POST",
    });
  }
  const order: Order = (await request.json().catch(() => null)) ?? {};
  const work = start(order);
  if (order.wait !== true) {
    EdgeRuntime.waitUntil(work);
    return Response.json({ status: "started" }, { status: 202 });
  }
  try {
    return Response.json(await work);
  } catch (error) {
    console.error(error);
    return errorResponse(503, "unavailable", "The database does not answer.");
  }
}

/** Comparing digests reveals nothing about the key through timing. */
function digestOf(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}

function errorResponse(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json(
    { error: { code, message, details: {} } },
    { status, headers: { ...headers, "x-corredor-version": VERSION } },
  );
}

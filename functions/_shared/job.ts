import { createHash, timingSafeEqual } from "node:crypto";
import { secretKeys } from "./environment.ts";
import { VERSION } from "./version.ts";

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void };

const ours = secretKeys().map(digestOf);

/** What a job may order besides the work itself. The minute jobs order nothing. */
export interface Order {
  /** Answer when the work is done. */
  wait?: boolean;
  [member: string]: unknown;
}

/**
 * Answers a call of the database's jobs, which show a secret key of the project. The work goes on behind the answer, because
 * who calls must not be held, and because it outlives its request.
 */
export async function answerJob(
  worker: string,
  request: Request,
  start: (order: Order) => Promise<unknown>,
): Promise<Response> {
  const shown = digestOf(request.headers.get("apikey") ?? "");
  if (!ours.some((key) => timingSafeEqual(shown, key))) {
    return errorResponse(
      401,
      "unauthorized",
      `The ${worker} is called with a secret key of the project.`,
    );
  }
  if (request.method !== "POST") {
    return errorResponse(405, "method_not_allowed", `The ${worker} takes POST.`, { allow: "POST" });
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

/** Digests are compared, so that the time taken tells nothing about the key. */
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

import { routePath } from "hono/route";
import { authenticate } from "../_shared/agency.ts";
import { type ApiError, RequestError, toApiError } from "../_shared/errors.ts";
import { logError } from "../_shared/log.ts";
import { type ApiContext, callerOf, showRateLimit } from "./context.ts";
import { tooManyStrangers } from "./strangers.ts";

const TRY_AGAIN_AFTER_SECONDS = 5;

/** Answers whatever was thrown, in the one error shape. */
export async function sendError(thrown: unknown, c: ApiContext): Promise<Response> {
  const error = await orTooManyRequests(await afterAuthentication(toApiError(thrown), c), c);
  if (error.code === "unauthorized") c.header("WWW-Authenticate", challenge(c));
  showWhenToRetry(c, error);
  logApiError(c, error);
  return c.json(error, error.status);
}

/** Says how much of the caller's budget is left, and how long to wait where waiting helps. */
export function showWhenToRetry(c: ApiContext, error: ApiError): void {
  showRateLimit(c, error.rateLimit);
  if (error.code === "rate_limited") c.header("Retry-After", retryAfter(error));
  if (error.code === "unavailable") c.header("Retry-After", String(TRY_AGAIN_AFTER_SECONDS));
}

/** Logs what really happened, unless the error is part of the contract. */
export function logApiError(c: ApiContext, { status, code, cause }: ApiError): void {
  if (cause === undefined) return;
  logError({
    request_id: c.get("requestId"),
    method: c.req.method,
    // The route and not the path, which of a public link is the credential itself.
    path: routePath(c, -1),
    status,
    code,
    cause,
  });
}

/**
 * A request that the function refuses by itself has not been seen by the database yet. It is counted there, and a
 * caller who may not call at all learns that first.
 */
async function afterAuthentication(error: ApiError, c: ApiContext): Promise<ApiError> {
  if (!(error instanceof RequestError) || !c.get("credential")) return error;
  try {
    const { rateLimit } = await authenticate(callerOf(c), c.get("permission"));
    showRateLimit(c, rateLimit);
    return error;
  } catch (thrown) {
    return toApiError(thrown);
  }
}

/** A caller whose credential was refused is told 429 instead, when that was once too often. */
export async function orTooManyRequests(error: ApiError, c: ApiContext): Promise<ApiError> {
  return (
    (error.code === "unauthorized" && (await tooManyStrangers(c, c.get("credential")))) || error
  );
}

function challenge(c: ApiContext): string {
  const sentToken = c.get("credential") !== undefined;
  return `Bearer realm="corredor"${sentToken ? ', error="invalid_token"' : ""}`;
}

function retryAfter(error: ApiError): string {
  const seconds = Number(error.details.retry_after_seconds);
  return String(Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : 1);
}

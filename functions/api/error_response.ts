import { routePath } from "hono/route";
import { authenticate } from "../_shared/agency.ts";
import { type ApiError, RequestError, toApiError } from "../_shared/errors.ts";
import { logError } from "../_shared/log.ts";
import { type ApiContext, callerOf, showRateLimit } from "./context.ts";
import { tooManyStrangers } from "./strangers.ts";

const TRY_AGAIN_AFTER_SECONDS = 5;

/** Answers anything thrown, in the API's error shape. */
export async function sendError(thrown: unknown, c: ApiContext): Promise<Response> {
  const error = await orTooManyRequests(await afterAuthentication(toApiError(thrown), c), c);
  if (error.code === "unauthorized") c.header("WWW-Authenticate", challenge(c));
  showWhenToRetry(c, error);
  logApiError(c, error);
  return c.json(error, error.status);
}

/** Adds the RateLimit headers, and Retry-After where waiting helps. */
export function showWhenToRetry(c: ApiContext, error: ApiError): void {
  showRateLimit(c, error.rateLimit);
  if (error.code === "rate_limited") c.header("Retry-After", retryAfter(error));
  if (error.code === "unavailable") c.header("Retry-After", String(TRY_AGAIN_AFTER_SECONDS));
}

/** Logs what really happened, unless the error was expected. */
export function logApiError(c: ApiContext, { status, code, cause }: ApiError): void {
  if (cause === undefined) return;
  logError({
    request_id: c.get("requestId"),
    method: c.req.method,
    // The route and not the path: a public link's path contains the credential.
    path: routePath(c, -1),
    status,
    code,
    cause,
  });
}

/**
 * A request that the function itself refuses has not reached the database yet. It is counted there now, and a caller
 * who may not call at all is told that instead.
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

/** A caller whose credential was refused too often is answered 429 instead. */
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

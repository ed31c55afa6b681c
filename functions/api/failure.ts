import { authenticate } from "../_shared/agency.ts";
import { type ApiError, Refusal, toApiError } from "../_shared/errors.ts";
import { logProblem } from "../_shared/log.ts";
import { type ApiContext, callerOf, showRateLimit } from "./context.ts";

const TRY_AGAIN_AFTER_SECONDS = 5;

/** Answers whatever was thrown, in the one error shape. */
export async function answerError(thrown: unknown, c: ApiContext): Promise<Response> {
  const error = await judged(toApiError(thrown), c);
  showRateLimit(c, error.rateLimit);
  if (error.code === "unauthorized") c.header("WWW-Authenticate", challenge(c));
  if (error.code === "rate_limited") c.header("Retry-After", retryAfter(error));
  if (error.code === "unavailable") c.header("Retry-After", String(TRY_AGAIN_AFTER_SECONDS));
  if (error.cause !== undefined) {
    logProblem({
      request_id: c.get("requestId"),
      method: c.req.method,
      path: c.req.path,
      status: error.status,
      code: error.code,
      cause: error.cause,
    });
  }
  return c.json(error, error.status);
}

/**
 * A request that the function refuses by itself has not been seen by the database yet. It is counted there, and a
 * caller who may not call at all learns that first.
 */
async function judged(error: ApiError, c: ApiContext): Promise<ApiError> {
  if (!(error instanceof Refusal) || !c.get("credential")) return error;
  try {
    const { rateLimit } = await authenticate(callerOf(c), c.get("permission"));
    showRateLimit(c, rateLimit);
    return error;
  } catch (thrown) {
    return toApiError(thrown);
  }
}

function challenge(c: ApiContext): string {
  const sentToken = c.get("credential") !== undefined;
  return `Bearer realm="corredor"${sentToken ? ', error="invalid_token"' : ""}`;
}

function retryAfter(error: ApiError): string {
  const seconds = Number(error.details.retry_after_seconds);
  return String(Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : 1);
}

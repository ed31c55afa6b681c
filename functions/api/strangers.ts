import type { Credential } from "../_shared/credential.ts";
import { ApiError, type RateLimit } from "../_shared/errors.ts";
import { logError } from "../_shared/log.ts";
import { ServiceRpc } from "../_shared/service_rpc.ts";
import { clientAddress } from "./client_address.ts";
import { type ApiContext, showRateLimit } from "./context.ts";

/** What api.count_stranger answers. */
interface Budget {
  requests_per_minute: number;
  allowed: boolean;
  remaining: number;
  reset_seconds: number;
  retry_after_seconds: number | null;
}

const ANSWER_WITHIN_MS = 2000;
const MAX_SPENT = 1000;
/** Who must wait until when. It spares the database the requests of callers who do not wait. */
const spent = new Map<string, { until: number; error: ApiError }>();
let service: ServiceRpc | undefined;

/**
 * Counts a request without a valid credential, by its address and by the refused key, and returns an error if it was
 * one too many. It only runs after a credential was refused, so valid ones are not affected by others at the same
 * address. If counting fails, the request passes.
 */
export async function tooManyStrangers(
  c: ApiContext,
  refused: Credential | undefined,
): Promise<ApiError | undefined> {
  const address = clientAddress(c.req.raw.headers);
  const key_prefix = refused?.kind === "api_key" ? refused.token.split("_")[1] : undefined;
  const who = `${address} ${key_prefix ?? ""}`;
  const known = spent.get(who);
  if (known && known.until > Date.now()) return known.error;
  let budget: Budget;
  try {
    service ??= new ServiceRpc(ANSWER_WITHIN_MS);
    budget = await service.once("count_stranger", { address, key_prefix });
  } catch (cause) {
    logError({
      request_id: c.get("requestId"),
      method: c.req.method,
      path: "count_stranger",
      status: 200,
      code: "not_counted",
      cause,
    });
    return undefined;
  }
  showRateLimit(c, rateLimitOf(budget));
  if (budget.allowed) return undefined;
  return remember(who, budget);
}

function remember(who: string, budget: Budget): ApiError {
  const retry_after_seconds = budget.retry_after_seconds ?? 1;
  const error = new ApiError(
    "rate_limited",
    "Too many requests without a valid credential; try again later.",
    { details: { retry_after_seconds }, rateLimit: rateLimitOf(budget) },
  );
  // A Map keeps the order of insertion, so the first one is the oldest.
  const oldest = spent.keys().next().value;
  if (spent.size >= MAX_SPENT && oldest !== undefined) spent.delete(oldest);
  spent.set(who, { until: Date.now() + retry_after_seconds * 1000, error });
  return error;
}

function rateLimitOf(budget: Budget): RateLimit {
  return {
    limit: String(budget.requests_per_minute),
    remaining: String(budget.remaining),
    reset: String(budget.reset_seconds),
  };
}

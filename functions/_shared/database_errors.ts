import { type ErrorCode, STATUS_OF_CODE } from "../../types/contracts/errors.ts";
import {
  ApiError,
  type RateLimit,
  type RuleIssue,
  toApiError,
  unauthorized,
  unavailable,
} from "./errors.ts";

/** The Data API's body of a failed call. */
interface FailedCall {
  code?: string;
  message?: string;
  details?: string | null;
}

/** What private.raise_error puts into DETAIL. */
interface Raised {
  code: ErrorCode;
  details: Record<string, unknown>;
  issue?: RuleIssue;
  hints?: Record<string, string[]>;
  rate_limit?: { limit: number; remaining: number; reset: number };
}

const INVALID_VALUES = new Set(["22P02", "22003", "22021", "22P05", "23514", "23502"]);
const TRANSIENT = new Set(["40001", "40P01", "55P03", "57014", "57P01", "57P02", "57P03"]);
const GATEWAY_DOWN = new Set([502, 503, 504, 520, 521, 522, 523, 524]);

/**
 * Translates a failed call of the Data API. An error that the database raised on purpose carries its answer; of any
 * other only the kind is told, never the database's text, which may quote another agency's data.
 */
export function fromDatabase(status: number, body: string, sentAccessToken: boolean): ApiError {
  const failed = parse<FailedCall>(body) ?? {};
  const cause = { status, ...(failed.code ? failed : { body: body.slice(0, 2000) }) };
  const code = failed.code ?? "";

  if (/^PT\d{3}$/.test(code)) return fromRaised(failed) ?? toApiError(cause);
  if (INVALID_VALUES.has(code)) {
    return new ApiError("validation_error", "A value is not valid.", {
      details: { reason: "invalid_value" },
      cause,
    });
  }
  if (code === "23503") {
    return new ApiError("validation_error", "The request names something that does not exist.", {
      details: { reason: "unknown_reference" },
      cause,
    });
  }
  if (code === "23505" || code === "23P01") {
    return new ApiError("conflict", "The request conflicts with what another one just stored.", {
      cause,
    });
  }
  if (TRANSIENT.has(code) || /^(08|53)/.test(code)) return unavailable(cause);
  // The Data API also answers an anonymous caller 401 for a missing grant (42501), which is our fault, not the
  // caller's.
  if (status === 401 && sentAccessToken && code !== "42501") return unauthorized();
  if (GATEWAY_DOWN.has(status)) return unavailable(cause);
  return toApiError(cause);
}

/** A refusal by a rule is not a fault, so there is no cause to log. */
function fromRaised(failed: FailedCall): ApiError | undefined {
  const raised = parse<Raised>(failed.details ?? "");
  if (!raised || !Object.hasOwn(STATUS_OF_CODE, raised.code)) return undefined;
  return new ApiError(raised.code, failed.message ?? "The request was refused.", {
    details: raised.details ?? {},
    closedBy: raised.hints,
    rateLimit: raised.rate_limit && asText(raised.rate_limit),
    issue: raised.issue,
  });
}

function asText(budget: NonNullable<Raised["rate_limit"]>): RateLimit {
  return {
    limit: String(budget.limit),
    remaining: String(budget.remaining),
    reset: String(budget.reset),
  };
}

function parse<T>(text: string): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

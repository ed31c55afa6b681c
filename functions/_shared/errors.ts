import {
  type ErrorAnswer,
  type ErrorCode,
  type Issue,
  STATUS_OF_CODE,
  type ValidationReason,
} from "../../types/contracts/errors.ts";
import type { IssueCode, IssueValues } from "../../types/contracts/issues.ts";
import { REASONS } from "../../types/contracts/reasons.ts";

/** What is left of a credential's request budget, as in the RateLimit headers. */
export interface RateLimit {
  limit: string;
  remaining: string;
  reset: string;
}

/** What a rule in SQL found wrong with the member that `details.issues` names. */
export interface RuleIssue {
  code: IssueCode;
  values?: IssueValues;
}

interface ApiErrorOptions {
  details?: Record<string, unknown>;
  rateLimit?: RateLimit | undefined;
  issue?: RuleIssue | undefined;
  /** What closes each step of the gate; only the connector tells it. */
  closedBy?: Record<string, string[]> | undefined;
  /** What really happened, for the log. Expected errors have none. */
  cause?: unknown;
}

/** An answer that is not a success. All of them are made here, so all have the same shape. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: (typeof STATUS_OF_CODE)[ErrorCode];
  readonly details: Record<string, unknown>;
  readonly rateLimit: RateLimit | undefined;
  readonly issue: RuleIssue | undefined;
  readonly closedBy: Record<string, string[]>;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = STATUS_OF_CODE[code];
    this.details = options.details ?? {};
    this.rateLimit = options.rateLimit;
    this.issue = options.issue;
    this.closedBy = options.closedBy ?? {};
  }

  /** The body of the answer. */
  toJSON(): ErrorAnswer {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }
}

/** What the function itself finds wrong with a request, before the database has seen the caller. */
export class RequestError extends ApiError {}

/** There is nothing here that this caller may see. */
export function notFound(): RequestError {
  return new RequestError("not_found", "There is nothing here with that path or id.");
}

export function methodNotAllowed(allowed_methods: string[]): RequestError {
  return new RequestError("method_not_allowed", "This path does not support that method.", {
    details: { allowed_methods },
  });
}

export function payloadTooLarge(max_bytes: number): RequestError {
  return new RequestError("payload_too_large", "The body is larger than 1 MiB.", {
    details: { max_bytes },
  });
}

export function unsupportedMediaType(): RequestError {
  return new RequestError("unsupported_media_type", "The body must be sent as application/json.");
}

/** Refuses a request whose body, query or header breaks its contract. */
export function invalid(reason: ValidationReason, issues: Issue[]): RequestError {
  const { message } = REASONS[reason];
  return new RequestError("validation_error", message, { details: { reason, issues } });
}

/** The caller sent no usable credential, or an unknown one. */
export function unauthorized(): ApiError {
  return new ApiError(
    "unauthorized",
    "The credential is missing, unknown, expired or revoked. Send it as Authorization: Bearer <key>.",
  );
}

/** A passing problem: the database is down, busy or too slow. */
export function unavailable(cause: unknown): ApiError {
  return new ApiError("unavailable", "The service cannot answer right now; try again shortly.", {
    cause,
  });
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError("internal_error", "Something went wrong on our side.", { cause: error });
}

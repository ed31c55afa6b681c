import type { ZodOpenApiResponseObject } from "zod-openapi";
import { ErrorAnswer, type ValidationReason } from "../../../types/contracts/errors.ts";
import { REASONS, type Reason } from "../../../types/contracts/reasons.ts";
import {
  ApiError,
  methodNotAllowed,
  notFound,
  payloadTooLarge,
  toApiError,
  unauthorized,
  unavailable,
  unsupportedMediaType,
} from "../../_shared/errors.ts";
import { MAX_BODY_BYTES } from "../body.ts";
import { permissionOf } from "../endpoint.ts";
import { answered } from "./headers.ts";
import type { Described } from "./prose.ts";

type Responses = Record<string, ZodOpenApiResponseObject>;
type Headers = NonNullable<ZodOpenApiResponseObject["headers"]>;

/** An answer that is not a success, with the error as its example. */
function errorResponse(
  error: ApiError,
  headers: Headers,
  description: string,
): ZodOpenApiResponseObject {
  return responseWith({ [error.code]: { value: error.toJSON() } }, headers, description);
}

function responseWith(
  examples: Record<string, object>,
  headers: Headers,
  description: string,
): ZodOpenApiResponseObject {
  return {
    description,
    headers,
    content: { "application/json": { schema: ErrorAnswer, examples } },
  };
}

function missing(description: string): ZodOpenApiResponseObject {
  return errorResponse(notFound(), answered.counted, description);
}

function rateLimited(description: string): ZodOpenApiResponseObject {
  const error = new ApiError("rate_limited", "Too many requests; try again later.", {
    details: { retry_after_seconds: 1 },
  });
  return errorResponse(error, answered.limited, description);
}

// Those that mean the same everywhere have a name, and are written once.
const UNAUTHORIZED = {
  id: "Unauthorized",
  ...errorResponse(
    unauthorized(),
    answered.challenged,
    "The credential is missing, unknown, expired or revoked.",
  ),
};
const NOT_FOUND = {
  id: "NotFound",
  ...missing("Your agency has nothing with that id."),
};
const METHOD_NOT_ALLOWED = {
  id: "MethodNotAllowed",
  ...errorResponse(
    methodNotAllowed(["GET", "HEAD", "POST"]),
    answered.allowing,
    "The path does not support the method. The credential was not checked.",
  ),
};
const PAYLOAD_TOO_LARGE = {
  id: "PayloadTooLarge",
  ...errorResponse(
    payloadTooLarge(MAX_BODY_BYTES),
    answered.counted,
    "The body is larger than 1 MiB.",
  ),
};
const UNSUPPORTED_MEDIA_TYPE = {
  id: "UnsupportedMediaType",
  ...errorResponse(
    unsupportedMediaType(),
    answered.counted,
    "There is a body, and its Content-Type is not application/json.",
  ),
};
const RATE_LIMITED = {
  id: "RateLimited",
  ...rateLimited(
    "The credential has used up its requests, by default 120 a minute. Refused and failed requests count too.",
  ),
};
const INTERNAL_ERROR = {
  id: "InternalError",
  ...errorResponse(
    toApiError(undefined),
    answered.plain,
    "A fault of ours. Quote the X-Request-Id when you report it.",
  ),
};
const UNAVAILABLE = {
  id: "Unavailable",
  ...errorResponse(
    unavailable(undefined),
    answered.passing,
    "The database is down, busy or too slow. A POST is safe to repeat with the same Idempotency-Key.",
  ),
};

/** Every answer of an endpoint that is not a success. What follows from its contract is not repeated in its prose. */
export function errorResponsesOf({ method, path, endpoint, prose }: Described): Responses {
  const { access, body, answers } = endpoint;
  const needsCredential = access !== "anybody";
  // A deletion gets the same answer whether or not there was something to delete.
  const canMiss = path.includes("{") && answers[204] === undefined;
  return {
    ...(needsCredential ? { 401: UNAUTHORIZED } : {}),
    ...forbidden(access),
    ...(canMiss ? { 404: prose.missing ? missing(prose.missing) : NOT_FOUND } : {}),
    405: METHOD_NOT_ALLOWED,
    ...(prose.conflicts ? { 409: conflict(...prose.conflicts) } : {}),
    ...(body ? { 413: PAYLOAD_TOO_LARGE, 415: UNSUPPORTED_MEDIA_TYPE } : {}),
    422: responseWith(
      examplesOf({
        invalid_query: "page",
        ...(body ? { invalid_json: "body", invalid_body: "colour" } : {}),
        ...(method === "post"
          ? { invalid_header: "Idempotency-Key", idempotency_key_reused: "Idempotency-Key" }
          : {}),
        ...prose.refuses,
      }),
      answered.counted,
      "The request is not valid, or a rule refuses it; `error.details.reason` says which. Nothing was changed.",
    ),
    ...(needsCredential ? { 429: RATE_LIMITED } : {}),
    ...(prose.limited ? { 429: rateLimited(prose.limited) } : {}),
    500: INTERNAL_ERROR,
    ...(prose.standsAlone ? {} : { 503: UNAVAILABLE }),
  };
}

/** The example of a 422 for each reason, named after it; the member is the one that issues blame. */
function examplesOf(memberOfReason: { [Reason in ValidationReason]?: string }) {
  const members = Object.entries(memberOfReason) as [ValidationReason, string][];
  return Object.fromEntries(
    members.map(([reason, path]) => {
      const { meaning, message, issue, details: more }: Reason = REASONS[reason];
      const details = { reason, ...(issue ? { issues: [{ path, message: issue }] } : {}), ...more };
      const error = new ApiError("validation_error", message, { details });
      return [reason, { summary: meaning, value: error.toJSON() }];
    }),
  );
}

function forbidden(access: Described["endpoint"]["access"]): Responses {
  const permission = access === "readers of the event" ? "operations:read" : permissionOf(access);
  if (!permission) return {};
  const error = new ApiError(
    "forbidden",
    `The credential does not have the permission ${permission}.`,
    { details: { required_permission: permission } },
  );
  const description =
    "The credential lacks a permission; `error.details.required_permission` names it.";
  return { 403: errorResponse(error, answered.counted, description) };
}

function conflict(means: string, details: object): ZodOpenApiResponseObject {
  const error = new ApiError("conflict", means, { details: { ...details } });
  return errorResponse(error, answered.counted, means);
}

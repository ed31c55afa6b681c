import type { ZodOpenApiResponseObject } from "zod-openapi";
import { ErrorAnswer, type ErrorCode } from "../../../types/contracts/errors.ts";
import { permissionOf } from "../endpoint.ts";
import { errorExamplesOf } from "./error_examples.ts";
import { answered } from "./headers.ts";
import type { Described } from "./prose.ts";

type Responses = Record<string, ZodOpenApiResponseObject>;
type Headers = NonNullable<ZodOpenApiResponseObject["headers"]>;

/** An answer that is not a success. */
function errorResponse(
  code: ErrorCode,
  description: string,
  headers: Headers,
  message: string,
  details: object = {},
): ZodOpenApiResponseObject {
  const value = { error: { code, message, details } };
  return answering(description, headers, { [code]: { value } });
}

function answering(
  description: string,
  headers: Headers,
  examples: Record<string, object>,
): ZodOpenApiResponseObject {
  return {
    description,
    headers,
    content: { "application/json": { schema: ErrorAnswer, examples } },
  };
}

function notFound(description: string): ZodOpenApiResponseObject {
  return errorResponse("not_found", description, answered.counted, "There is no such thing here.");
}

function rateLimited(description: string): ZodOpenApiResponseObject {
  return errorResponse(
    "rate_limited",
    description,
    answered.limited,
    "Too many requests; try again later.",
    { retry_after_seconds: 1 },
  );
}

// Those that mean the same everywhere have a name, and are written once.
const UNAUTHORIZED = {
  id: "Unauthorized",
  ...errorResponse(
    "unauthorized",
    "The credential is missing, unknown, expired or revoked.",
    answered.challenged,
    "The credential is missing, unknown, expired or revoked. Send it as Authorization: Bearer <key>.",
  ),
};
const NOT_FOUND = {
  id: "NotFound",
  ...notFound("Your agency has nothing with that id."),
};
const METHOD_NOT_ALLOWED = {
  id: "MethodNotAllowed",
  ...errorResponse(
    "method_not_allowed",
    "The path was called with a method that it does not take. A credential is not looked at.",
    answered.allowing,
    "This path does not take that method.",
    { allowed_methods: ["GET", "HEAD", "POST"] },
  ),
};
const PAYLOAD_TOO_LARGE = {
  id: "PayloadTooLarge",
  ...errorResponse(
    "payload_too_large",
    "The body is larger than 1 MiB.",
    answered.counted,
    "The body is larger than 1 MiB.",
    { max_bytes: 1_048_576 },
  ),
};
const UNSUPPORTED_MEDIA_TYPE = {
  id: "UnsupportedMediaType",
  ...errorResponse(
    "unsupported_media_type",
    "There is a body, and its Content-Type is not application/json.",
    answered.counted,
    "The body must be sent as application/json.",
  ),
};
const RATE_LIMITED = {
  id: "RateLimited",
  ...rateLimited(
    "The credential's requests are spent; by default it has 120 a minute. Refused and failed requests count too.",
  ),
};
const INTERNAL_ERROR = {
  id: "InternalError",
  ...errorResponse(
    "internal_error",
    "A mistake of ours. Quote the X-Request-Id when you report it.",
    answered.plain,
    "Something went wrong on our side.",
  ),
};
const UNAVAILABLE = {
  id: "Unavailable",
  ...errorResponse(
    "unavailable",
    "The database is away, busy or too slow. A POST is safe to repeat with the same Idempotency-Key.",
    answered.passing,
    "The service cannot answer right now; try again shortly.",
  ),
};

/** Every answer of an endpoint that is not a success. What follows from its contract is not repeated in its prose. */
export function errorResponsesOf({ method, path, endpoint, prose }: Described): Responses {
  const { access, body, answers } = endpoint;
  const hasCredential = access !== "anybody";
  // What deletes answers the same, whether or not there was something to delete.
  const canMiss = path.includes("{") && answers[204] === undefined;
  return {
    ...(hasCredential ? { 401: UNAUTHORIZED } : {}),
    ...forbidden(endpoint.access),
    ...(canMiss ? { 404: prose.missing ? notFound(prose.missing) : NOT_FOUND } : {}),
    405: METHOD_NOT_ALLOWED,
    ...(prose.conflicts ? { 409: conflict(...prose.conflicts) } : {}),
    ...(body ? { 413: PAYLOAD_TOO_LARGE, 415: UNSUPPORTED_MEDIA_TYPE } : {}),
    422: answering(
      "The request does not fit, or a rule refuses it; `error.details.reason` says which. Nothing was changed.",
      answered.counted,
      errorExamplesOf({
        invalid_query: "page",
        ...(body ? { invalid_json: "body", invalid_body: "colour" } : {}),
        ...(method === "post"
          ? { invalid_header: "Idempotency-Key", idempotency_key_reused: "Idempotency-Key" }
          : {}),
        ...prose.refuses,
      }),
    ),
    ...(hasCredential ? { 429: RATE_LIMITED } : {}),
    ...(prose.limited ? { 429: rateLimited(prose.limited) } : {}),
    500: INTERNAL_ERROR,
    ...(prose.standsAlone ? {} : { 503: UNAVAILABLE }),
  };
}

function forbidden(access: Described["endpoint"]["access"]): Responses {
  const permission = access === "readers of the event" ? "operations:read" : permissionOf(access);
  if (!permission) return {};
  return {
    403: errorResponse(
      "forbidden",
      "The credential lacks a permission; `error.details.required_permission` names it.",
      answered.counted,
      `The credential does not have the permission ${permission}.`,
      { required_permission: permission },
    ),
  };
}

function conflict(means: string, details: object): ZodOpenApiResponseObject {
  return errorResponse("conflict", means, answered.counted, means, details);
}

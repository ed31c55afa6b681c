import { z } from "zod";

/**
 * Postman puts a new UUID into each request for this, and so does our own page. Without an example, or with a pattern,
 * Postman would make up one text on import and send it every time.
 */
const NEW_EACH_TIME = "{{$guid}}";

/** Request headers. */
export const sent = {
  "X-Request-Id": sentHeader(
    "RequestId",
    128,
    "Your own id for the request, for example import-2026-05-04-0017: letters, digits and . _ : -. It is returned in the answer and written to our log.",
  ),
  "Idempotency-Key": sentHeader(
    "IdempotencyKey",
    255,
    "Makes a POST safe to repeat: any printable ASCII text of your own, for example lead-carmen-ruiz-1. For 24 hours, the same key with the same body returns the first answer again, and nothing is done twice. Use one key per request; keys of different credentials never clash.",
  ),
};

function sentHeader(id: string, max_characters: number, description: string) {
  return z
    .string()
    .min(1)
    .max(max_characters)
    .optional()
    .meta({ description, param: { id, example: NEW_EACH_TIME } });
}

function header(schema: z.ZodType, id: string, example: string, description: string) {
  return schema.meta({ description, examples: [example], header: { id } });
}

const text = z.string();
const number = text.regex(/^\d+$/);

const plain = {
  "X-Request-Id": header(
    text,
    "RequestId",
    "0198b1c2-6f0e-7a63-9d5a-1f4f6f0c2b11",
    "The request's id: the one you sent if it is valid, otherwise a new UUID.",
  ),
};

/** With the request budget, on every answer to a valid credential. */
const counted = {
  ...plain,
  "RateLimit-Limit": header(
    number.optional(),
    "RateLimitLimit",
    "120",
    "How many requests a minute this credential may make; on a 401, how many may be made without a valid one.",
  ),
  "RateLimit-Remaining": header(
    number.optional(),
    "RateLimitRemaining",
    "119",
    "How many of them are left now; they are refilled continuously.",
  ),
  "RateLimit-Reset": header(
    number.optional(),
    "RateLimitReset",
    "1",
    "In how many seconds all of them will be available again.",
  ),
};

const retryAfter = {
  "Retry-After": header(number, "RetryAfter", "5", "How many seconds to wait before trying again."),
};

/** Response headers, by kind of answer. */
export const answered = {
  plain: z.object(plain),
  counted: z.object(counted),
  /** To a POST, which may be a repeated one. */
  repeatable: z.object({
    ...counted,
    "Idempotent-Replayed": z
      .literal("true")
      .optional()
      .meta({
        description: "Present when this is the stored answer to an earlier request with the key.",
        header: { id: "IdempotentReplayed" },
      }),
  }),
  challenged: z.object({
    ...counted,
    "WWW-Authenticate": header(
      text.regex(/^Bearer realm="corredor"/),
      "Challenge",
      'Bearer realm="corredor", error="invalid_token"',
      'How to authenticate; contains error="invalid_token" if a credential was sent.',
    ),
  }),
  allowing: z.object({
    ...plain,
    Allow: header(text, "Allow", "GET, HEAD, POST", "The methods that the path supports."),
  }),
  limited: z.object({ ...counted, ...retryAfter }),
  passing: z.object({ ...plain, ...retryAfter }),
  cached: z.object({
    ...plain,
    ETag: header(
      text,
      "ETag",
      '"5b2f0c6f9a1e4d7c8b3a2f1e0d9c8b7a6f5e4d3c"',
      "Identifies this version of the document; send it back as If-None-Match.",
    ),
  }),
};

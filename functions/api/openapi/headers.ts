import { z } from "zod";

/**
 * For which Postman puts a new UUID into each request, and our own page too. Were there no example, or a pattern, Postman
 * would make one text up when it imports the description, and send that for ever.
 */
const NEW_EACH_TIME = "{{$guid}}";

/** Headers that a request may have. */
export const sent = {
  "X-Request-Id": z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({
      description:
        "An id of yours for the request, such as import-2026-05-04-0017: letters, digits and . _ : -. The answer has it, and so has our log.",
      param: { id: "RequestId", example: NEW_EACH_TIME },
    }),
  "Idempotency-Key": z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({
      description:
        "Makes a POST safe to repeat: a text of your own for the request, of printable ASCII, such as lead-carmen-ruiz-1. For 24 hours the same key with the same body gets the first answer again, and nothing is done twice. One key for one request; the keys of other credentials do not meet yours.",
      param: { id: "IdempotencyKey", example: NEW_EACH_TIME },
    }),
};

const requestId = z.string().meta({
  description: "The request's id: yours when you sent a sane one, else a new UUID.",
  examples: ["0198b1c2-6f0e-7a63-9d5a-1f4f6f0c2b11"],
  header: { id: "RequestId" },
});

/** The request budget, on every answer to a valid credential. */
const budget = {
  "RateLimit-Limit": z
    .string()
    .regex(/^\d+$/)
    .optional()
    .meta({
      description:
        "How many requests a minute the credential has; with 401, how many that show none that is valid.",
      examples: ["120"],
      header: { id: "RateLimitLimit" },
    }),
  "RateLimit-Remaining": z
    .string()
    .regex(/^\d+$/)
    .optional()
    .meta({
      description: "How many of them are left now; they come back one by one.",
      examples: ["119"],
      header: { id: "RateLimitRemaining" },
    }),
  "RateLimit-Reset": z
    .string()
    .regex(/^\d+$/)
    .optional()
    .meta({
      description: "In how many seconds all of them are back.",
      examples: ["1"],
      header: { id: "RateLimitReset" },
    }),
};

const retryAfter = z
  .string()
  .regex(/^\d+$/)
  .meta({
    description: "After how many seconds to try again.",
    examples: ["5"],
    header: { id: "RetryAfter" },
  });

/** Headers that answers have, by kind of answer. */
export const answered = {
  plain: z.object({ "X-Request-Id": requestId }),
  counted: z.object({ "X-Request-Id": requestId, ...budget }),
  /** To a POST, which may be a repeated one. */
  repeatable: z.object({
    "X-Request-Id": requestId,
    ...budget,
    "Idempotent-Replayed": z
      .literal("true")
      .optional()
      .meta({
        description: "There when the answer is the one of an earlier request with the same key.",
        header: { id: "IdempotentReplayed" },
      }),
  }),
  challenged: z.object({
    "X-Request-Id": requestId,
    ...budget,
    "WWW-Authenticate": z
      .string()
      .regex(/^Bearer realm="corredor"/)
      .meta({
        description: 'How to authenticate; with error="invalid_token" when a credential was sent.',
        examples: ['Bearer realm="corredor", error="invalid_token"'],
        header: { id: "Challenge" },
      }),
  }),
  allowing: z.object({
    "X-Request-Id": requestId,
    Allow: z.string().meta({
      description: "The methods that the path takes.",
      examples: ["GET, HEAD, POST"],
      header: { id: "Allow" },
    }),
  }),
  limited: z.object({ "X-Request-Id": requestId, ...budget, "Retry-After": retryAfter }),
  passing: z.object({ "X-Request-Id": requestId, "Retry-After": retryAfter }),
  cached: z.object({
    "X-Request-Id": requestId,
    ETag: z.string().meta({
      description: "Names this state of the document; send it back as If-None-Match.",
      examples: ['"5b2f0c6f9a1e4d7c8b3a2f1e0d9c8b7a6f5e4d3c"'],
      header: { id: "ETag" },
    }),
  }),
};

import { z } from "zod";

/** The codes of the errors, each with its one status. */
export const STATUS_OF_CODE = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_error: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;

export const ErrorCode = z
  .enum(Object.keys(STATUS_OF_CODE) as [keyof typeof STATUS_OF_CODE])
  .describe("What kind of error it is; each code has one HTTP status.");
export type ErrorCode = z.output<typeof ErrorCode>;

/** Everything that details.reason of a validation_error can say. */
export const ValidationReason = z
  .enum([
    "stage_gate_blocked",
    "invalid_transition",
    "invalid_stage",
    "operation_closed",
    "lost_reason_required",
    "db_gate_blocked",
    "property_required",
    "operation_type_not_allowed",
    "unknown_reference",
    "offer_required",
    "amount_required",
    "nothing_to_change",
    "invalid_cursor",
    "idempotency_key_reused",
    "invalid_json",
    "invalid_body",
    "invalid_query",
    "invalid_header",
    "invalid_target",
    "invalid_value",
    "invalid_time",
  ])
  .describe("Which rule refused the request.");
export type ValidationReason = z.output<typeof ValidationReason>;

export const Issue = z.strictObject({
  path: z.string().max(200).describe("The member, query parameter or header that is wrong."),
  message: z.string().max(500).describe("What is wrong with it, for people."),
});
export type Issue = z.output<typeof Issue>;

export const PendingAction = z.strictObject({
  id: z.string().describe("The gate step, for example propiedadesVisitadas."),
  label: z.string().describe("The gate step's name for people."),
});

export const ErrorDetails = z
  .looseObject({
    reason: z
      .string()
      .optional()
      .describe("Machine-readable variant; always there with validation_error."),
    issues: z.array(Issue).max(50).optional().describe("The members that are wrong."),
    pending_actions: z
      .array(PendingAction)
      .optional()
      .describe("With stage_gate_blocked: the gate steps that are still to do."),
    required_permission: z.string().optional().describe("With forbidden: the missing permission."),
    retry_after_seconds: z
      .number()
      .optional()
      .describe("With rate_limited: how long to wait before the next request."),
    viewing_id: z
      .string()
      .optional()
      .describe("With conflict about a viewing: the one that is in the way."),
    booked: z
      .enum(["agent", "property"])
      .optional()
      .describe("With conflict about a viewing: what has no time."),
    starts_at: z.string().optional().describe("When the viewing in the way starts."),
    ends_at: z.string().optional().describe("When it ends."),
  })
  .describe("What a program needs to act on the error.");

/** The body of every answer that is not a success. */
export const ErrorAnswer = z.strictObject({
  error: z.strictObject({
    code: ErrorCode,
    message: z.string().describe("What happened, for people."),
    details: ErrorDetails,
  }),
});
export type ErrorAnswer = z.output<typeof ErrorAnswer>;

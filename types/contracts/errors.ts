import { z } from "zod";
import { id, moment } from "./fields.ts";
import { Permission } from "./permissions.ts";
import { REASONS } from "./reasons.ts";

/** The error codes, each with its HTTP status. */
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
  .describe("What kind of error it is; each code has its own HTTP status.");
export type ErrorCode = z.output<typeof ErrorCode>;

export const ValidationReason = z
  .enum(Object.keys(REASONS) as [keyof typeof REASONS])
  .describe("Which rule refused the request.");
export type ValidationReason = z.output<typeof ValidationReason>;

export const Issue = z
  .strictObject({
    path: z.string().max(200).describe("The member, query parameter or header that is wrong."),
    message: z.string().max(500).describe("What is wrong with it, for people."),
  })
  .describe("One thing that is wrong with the request.");
export type Issue = z.output<typeof Issue>;

export const PendingAction = z
  .strictObject({
    id: z.string().describe("The gate step, for example propiedadesVisitadas."),
    label: z.string().describe("The gate step's name for people."),
  })
  .describe("A gate step that is still pending.");

export const ErrorDetails = z
  .strictObject({
    reason: ValidationReason.optional().describe(
      "Machine-readable reason; always present with validation_error.",
    ),
    issues: z.array(Issue).max(50).optional().describe("The members that are wrong."),
    pending_actions: z
      .array(PendingAction)
      .optional()
      .describe("With stage_gate_blocked: the gate steps that are still pending."),
    stages: z
      .array(z.string())
      .optional()
      .describe("With invalid_stage: the valid stages, in order."),
    required_permission: Permission.optional().describe("With forbidden: the missing permission."),
    allowed_methods: z
      .array(z.string())
      .optional()
      .describe("With method_not_allowed: the methods that the path supports."),
    max_bytes: z.int().optional().describe("With payload_too_large: the largest body accepted."),
    retry_after_seconds: z
      .number()
      .optional()
      .describe("With rate_limited: how long to wait before the next request."),
    max_hooks: z.int().optional().describe("With too_many_hooks: the maximum for an event."),
    viewing_id: id.optional().describe("With a viewing's conflict: the viewing it clashes with."),
    booked: z
      .enum(["agent", "property"])
      .optional()
      .describe("With a viewing's conflict: who or what is already booked."),
    starts_at: moment.optional().describe("When that viewing starts."),
    ends_at: moment.optional().describe("When it ends."),
  })
  .describe("What a program needs to act on the error.");

export const ErrorAnswer = z
  .strictObject({
    error: z
      .strictObject({
        code: ErrorCode,
        message: z.string().describe("What happened, for people."),
        details: ErrorDetails,
      })
      .describe("The error."),
  })
  .describe("The body of every answer that is not a success.");
export type ErrorAnswer = z.output<typeof ErrorAnswer>;

import { z } from "zod";
import { PendingAction } from "./errors.ts";
import {
  clearable,
  flag,
  id,
  moment,
  optional,
  stageName,
  text,
  textOrNull,
  wordsOrMissing,
} from "./fields.ts";
import { page } from "./pages.ts";

/** The built-in types. An agency's flows may add others, so the database checks the value. */
export const OperationType = text(100)
  .describe("What the lead wants to do: buy, rent or sell.")
  .meta({ enum: ["buy", "rent", "sell"] });

export const ListOperationsQuery = z
  .strictObject({
    stage: stageName.optional().describe("Only operations in this stage."),
    operation_type: OperationType.optional().describe("Only operations of this type."),
    lead_id: id.optional().describe("Only operations of this lead."),
    open_only: flag.optional().describe("true leaves out closed operations."),
    ...page,
  })
  .describe("Which operations to list.");

export const CreateOperation = z
  .strictObject({
    lead_id: id.describe("The lead it belongs to."),
    operation_type: OperationType,
    stage: optional(stageName).describe(
      "The active stage to start in, with no gate to pass; the flow's first by default.",
    ),
  })
  .describe("A new operation of a lead.");

export const UpdateOperation = z
  .strictObject({
    stage: stageName
      .optional()
      .describe(
        "The stage to move to: the next one or a closing state. The current stage's gate must be passed.",
      ),
    lost_reason: wordsOrMissing(1000).describe(
      "Why it was lost; required with stage lost, refused otherwise.",
    ),
    property_id: clearable(id).describe(
      "The property the lead has chosen; null undoes the choice.",
    ),
  })
  .refine((patch) => patch.lost_reason === undefined || patch.stage !== undefined, {
    path: ["lost_reason"],
    error: "is only allowed with stage lost",
  })
  .describe("A change to an operation: its stage, its property or both, all or nothing.");

export const Operation = z
  .strictObject({
    id: id.describe("Identifier of the operation."),
    lead_id: id.describe("The lead it belongs to."),
    property_id: id.nullable().describe("The property it is about; null until one is chosen."),
    operation_type: OperationType,
    flow: z.string().describe("The flow it follows."),
    stage: z.string().describe("The stage or closing state it is in."),
    stage_label: z.string().describe("The stage's name for people."),
    is_terminal: z.boolean().describe("Whether it is closed."),
    pending_actions: z
      .array(PendingAction)
      .describe("The gate steps of the current stage that are still pending."),
    lost_reason: textOrNull.describe("Why it was lost; null unless it was."),
    assigned_agent_id: id.nullable().describe("The agent who looks after it."),
    deposit_paid_at: moment.nullable().describe("When the deposit of a rental was paid."),
    won_at: moment.nullable().describe("When it was first won, sold or rented."),
    closed_at: moment.nullable().describe("When it was closed."),
    created_at: moment.describe("When it was opened."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("A lead's deal, which moves through the stages of its flow.");

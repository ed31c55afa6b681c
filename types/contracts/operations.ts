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

/** The types that come with the service. Which there are is known to the flows in the database, so it judges them. */
export const OperationType = text(100)
  .describe("What the lead wants to do: buy, rent or sell.")
  .meta({ enum: ["buy", "rent", "sell"] });

export const ListOperationsQuery = z
  .strictObject({
    stage: stageName.optional().describe("Only operations in this stage."),
    operation_type: OperationType.optional().describe("Only operations of this type."),
    lead_id: id.optional().describe("Only operations of this lead."),
    open_only: flag.optional().describe("true leaves out the closed operations."),
    ...page,
  })
  .describe("Which operations to list.");

export const CreateOperation = z
  .strictObject({
    lead_id: id.describe("The lead whose operation it is."),
    operation_type: OperationType,
    stage: optional(stageName).describe(
      "The active stage to start in, without gate; by default the first of the flow.",
    ),
  })
  .describe("A new operation of a lead.");

export const UpdateOperation = z
  .strictObject({
    stage: stageName
      .optional()
      .describe(
        "The stage to move to: the next one, or a closing state. Its gate has to be passed.",
      ),
    lost_reason: wordsOrMissing(1000).describe(
      "Why it was lost; required with stage lost, refused without.",
    ),
    property_id: clearable(id).describe(
      "The property that the lead chose as favourite; null takes the choice back.",
    ),
  })
  .refine((patch) => patch.lost_reason === undefined || patch.stage !== undefined, {
    path: ["lost_reason"],
    error: "goes only with stage lost",
  })
  .describe("A change of an operation: its stage, its property, or both, all of it or nothing.");

export const Operation = z
  .strictObject({
    id: id.describe("Identifier of the operation."),
    lead_id: id.describe("The lead whose operation it is."),
    property_id: id
      .nullable()
      .describe(
        "The property that it is about; null while none is chosen, and of a deal that was closed without one.",
      ),
    operation_type: OperationType,
    flow: z.string().describe("The journey of stages that it follows."),
    stage: z.string().describe("The stage, or closing state, that it is in."),
    stage_label: z.string().describe("The stage's name for people."),
    is_terminal: z.boolean().describe("Whether it is closed."),
    pending_actions: z
      .array(PendingAction)
      .describe("The steps of the current stage's gate that are still to do."),
    lost_reason: textOrNull.describe("Why it was lost; null unless it was."),
    assigned_agent_id: id.nullable().describe("The agent who looks after it."),
    deposit_paid_at: moment.nullable().describe("When the deposit of a rental was paid."),
    won_at: moment.nullable().describe("When it was first won, sold or rented."),
    closed_at: moment.nullable().describe("When it was closed."),
    created_at: moment.describe("When it was opened."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("A deal of a lead that walks through the stages of its flow.");

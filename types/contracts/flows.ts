import { z } from "zod";
import { PendingAction } from "./errors.ts";
import { OperationType } from "./operations.ts";

const Stage = z
  .strictObject({
    id: z.string().describe("The stage's name, as in stage of an operation."),
    label: z.string().describe("The stage's name for people."),
    position: z
      .int()
      .nullable()
      .describe("Its position among the active stages; null for a closing state."),
    is_terminal: z.boolean().describe("Whether it is a closing state."),
    outcome: z
      .enum(["success", "failure"])
      .nullable()
      .describe("How it closes the operation; null for an active stage."),
    gate_steps: z
      .array(PendingAction)
      .describe("What has to be done before moving on to the next stage."),
  })
  .describe("A stage of a flow.");

export const Flow = z
  .strictObject({
    id: z.string().describe("The flow's name, as in flow of an operation."),
    label: z.string().describe("The flow's name for people."),
    operation_type: OperationType,
    stages: z.array(Stage).describe("The active stages in order, then the closing states."),
  })
  .describe("The stages that operations of one type go through.");

export const ListOfFlows = z.strictObject({ data: z.array(Flow).describe("Every flow.") });

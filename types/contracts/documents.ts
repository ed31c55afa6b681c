import { z } from "zod";
import { id, moment } from "./fields.ts";

export const Document = z
  .strictObject({
    id: id.describe("Identifier of the document."),
    operation_id: id.nullable().describe("The operation that it belongs to."),
    lead_id: id.nullable().describe("The lead that it belongs to."),
    property_id: id.nullable().describe("The property that it belongs to."),
    kind: z.string().describe("What kind of document it is."),
    name: z.string().nullable().describe("Its name for people."),
    status: z
      .enum(["requested", "received", "verified", "rejected"])
      .describe("How far it is; received and verified emit document_completed."),
    completed_at: moment.nullable().describe("When it was first received or verified."),
    created_at: moment.describe("When it was recorded."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("A document of an operation, a lead or a property.");

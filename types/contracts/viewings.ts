import { z } from "zod";
import { id, moment } from "./fields.ts";
import { page } from "./pages.ts";
import { localTime } from "./times.ts";

export const ViewingStatus = z
  .enum(["scheduled", "done", "cancelled", "no_show"])
  .describe("What became of the viewing; done closes the step propiedadesVisitadas.");

export const ListViewingsQuery = z
  .strictObject({
    status: ViewingStatus.optional().describe("Only viewings in this status."),
    lead_id: id.optional().describe("Only viewings of this lead."),
    property_id: id.optional().describe("Only viewings of this property."),
    operation_id: id.optional().describe("Only viewings of this operation."),
    agent_id: id.optional().describe("Only viewings that this agent shows."),
    starts_from: localTime
      .optional()
      .describe("Only viewings that start then or later; without offset in the agency's zone."),
    starts_before: localTime
      .optional()
      .describe("Only viewings that start before then; without offset in the agency's zone."),
    ...page,
  })
  .describe("Which viewings to list.");

export const Viewing = z
  .strictObject({
    id: id.describe("Identifier of the viewing."),
    property_id: id.describe("The property that is seen."),
    lead_id: id.describe("Who sees it."),
    operation_id: id.nullable().describe("The operation that it is part of."),
    agent_id: id.nullable().describe("Who shows it."),
    starts_at: moment.describe("When it starts."),
    ends_at: moment.describe("When it ends."),
    status: ViewingStatus,
    notes: z.string().nullable().describe("Free text."),
    created_at: moment.describe("When it was arranged."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("An appointment to see a property.");

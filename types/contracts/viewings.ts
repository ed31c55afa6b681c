import { z } from "zod";
import { clearable, id, moment, optional, text, textOrNull } from "./fields.ts";
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

const starts = localTime.describe(
  "When it starts: ISO 8601 with an offset, or without one as the clock of the agency's zone shows it. A time that the clock skips is refused; of one that it shows twice the first is meant.",
);
const ends = localTime.describe("When it ends, in the same forms; after it starts, within a day.");
const duration = z
  .int()
  .min(5)
  .max(24 * 60);
const endsOnce = {
  path: ["duration_minutes"],
  error: "goes not together with ends_at",
};

export const CreateViewing = z
  .strictObject({
    lead_id: id.describe("Who sees the property."),
    property_id: id.describe("The property that is seen."),
    starts_at: starts,
    ends_at: optional(ends).describe("When it ends; instead of duration_minutes."),
    duration_minutes: optional(duration).describe("How long it takes: 5 to 1440, by default 45."),
    operation_id: optional(id).describe(
      "The operation that it is part of: an open one of the lead. Only then does it close propiedadesVisitadas.",
    ),
    agent_id: optional(id).describe("Who shows it; by default the lead's agent."),
    notes: optional(text(10_000)).describe("Free text."),
  })
  .refine((body) => body.ends_at === undefined || body.duration_minutes === undefined, endsOnce)
  .describe("A new viewing. It ends at ends_at or after duration_minutes, not both.");

export const UpdateViewing = z
  .strictObject({
    status: ViewingStatus.optional().describe(
      "What became of it: done, cancelled or no_show. It stays so. done may be said from 15 minutes before starts_at on, the others at any time.",
    ),
    starts_at: starts.optional().describe("When it starts now; it keeps its length."),
    ends_at: ends.optional().describe("When it ends now."),
    duration_minutes: duration.optional().describe("How long it takes now: 5 to 1440."),
    agent_id: clearable(id).describe("Who shows it; null for nobody yet."),
    notes: clearable(text(10_000)).describe("Free text; null clears it."),
  })
  .refine((patch) => patch.ends_at === undefined || patch.duration_minutes === undefined, endsOnce)
  .describe(
    "A change of a viewing; members left out stay as they are. Not both ends_at and duration_minutes.",
  );

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
    notes: textOrNull.describe("Free text."),
    created_at: moment.describe("When it was arranged."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("An appointment to see a property.");

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
    agent_id: id.optional().describe("Only viewings with this agent."),
    starts_from: localTime
      .optional()
      .describe(
        "Only viewings that start then or later; without an offset, in the agency's time zone.",
      ),
    starts_before: localTime
      .optional()
      .describe(
        "Only viewings that start before then; without an offset, in the agency's time zone.",
      ),
    ...page,
  })
  .describe("Which viewings to list.");

const starts = localTime.describe(
  "When it starts, in ISO 8601: with an offset, or without one in the agency's time zone. A time that the clock skips is refused; one that it repeats means the first.",
);
const ends = localTime.describe(
  "When it ends, in the same format: after the start and within a day of it.",
);
const duration = z
  .int()
  .min(5)
  .max(24 * 60);
const EITHER_END = {
  path: ["duration_minutes"],
  error: "cannot be combined with ends_at",
};

export const CreateViewing = z
  .strictObject({
    lead_id: id.describe("The lead who will see the property."),
    property_id: id.describe("The property to see."),
    starts_at: starts,
    ends_at: optional(ends).describe("When it ends, instead of duration_minutes."),
    duration_minutes: optional(duration).describe("How long it takes: 5 to 1440, 45 by default."),
    operation_id: optional(id).describe(
      "The lead's open operation that it is part of. Without one, it does not close propiedadesVisitadas.",
    ),
    agent_id: optional(id).describe(
      "The agent who shows the property; the lead's agent by default.",
    ),
    notes: optional(text(10_000)).describe("Free text."),
  })
  .refine((body) => body.ends_at === undefined || body.duration_minutes === undefined, EITHER_END)
  .describe("A new viewing. It ends at ends_at or after duration_minutes, not both.");

export const UpdateViewing = z
  .strictObject({
    status: ViewingStatus.optional().describe(
      "What became of it: done, cancelled or no_show, which are final. done is accepted from 15 minutes before starts_at, the others at any time.",
    ),
    starts_at: starts.optional().describe("The new start; the length stays the same."),
    ends_at: ends.optional().describe("The new end."),
    duration_minutes: duration.optional().describe("The new length: 5 to 1440."),
    agent_id: clearable(id).describe("The agent who shows the property; null for nobody yet."),
    notes: clearable(text(10_000)).describe("Free text; null clears it."),
  })
  .refine(
    (patch) => patch.ends_at === undefined || patch.duration_minutes === undefined,
    EITHER_END,
  )
  .describe(
    "A change to a viewing; members left out stay as they are. Send ends_at or duration_minutes, not both.",
  );

export const Viewing = z
  .strictObject({
    id: id.describe("Identifier of the viewing."),
    property_id: id.describe("The property to see."),
    lead_id: id.describe("The lead who sees it."),
    operation_id: id.nullable().describe("The operation it is part of."),
    agent_id: id.nullable().describe("The agent who shows it."),
    starts_at: moment.describe("When it starts."),
    ends_at: moment.describe("When it ends."),
    status: ViewingStatus,
    notes: textOrNull.describe("Free text."),
    created_at: moment.describe("When it was arranged."),
    updated_at: moment.describe("When it last changed."),
  })
  .describe("An appointment to see a property.");

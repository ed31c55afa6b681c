import { firstOf, viewing } from "../examples.ts";
import { type Chapter, describeGet, describeList } from "../prose.ts";

const booked = [
  "The agent or the property has another viewing at that time; `error.details` says which and when.",
  {
    viewing_id: "8c7b6a59-4837-4625-b413-02f1e0d9c8b7",
    booked: "agent",
    starts_at: "2026-05-07T15:00:00+00:00",
    ends_at: "2026-05-07T15:45:00+00:00",
  },
] as const;

export const viewings: Chapter = {
  listViewings: describeList(
    "viewings",
    "The agency's viewings, the most recently arranged first.",
    firstOf(viewing),
    { invalid_time: "starts_from" },
  ),
  getViewing: describeGet("a viewing", "One viewing.", viewing),
  createViewing: {
    summary: "Arrange a viewing",
    description:
      "Times without an offset are in the agency's time zone. An agent, and a property, can have only one viewing at a time.",
    sends: {
      "In the agency's time zone, for 45 minutes": {
        lead_id: viewing.lead_id,
        property_id: viewing.property_id,
        operation_id: viewing.operation_id,
        starts_at: "2026-05-07T17:30",
        notes: "Llaves en portería.",
      },
      "With an offset and an agent, for half an hour": {
        lead_id: viewing.lead_id,
        property_id: viewing.property_id,
        starts_at: "2026-05-08T17:30:00+02:00",
        duration_minutes: 30,
        agent_id: viewing.agent_id,
      },
    },
    gives: { 201: ["The new viewing.", { data: viewing }] },
    refuses: {
      unknown_reference: "lead_id",
      operation_closed: "operation_id",
      invalid_time: "starts_at",
    },
    conflicts: booked,
  },
  updateViewing: {
    summary: "Reschedule a viewing, or record its outcome",
    description:
      "A scheduled viewing can be moved, and keeps its length unless you send an end or a duration. Its outcome is final. `done`, accepted from 15 minutes before the start, closes the operation's gate step propiedadesVisitadas.",
    sends: {
      "It took place": { status: "done", notes: "Le encanta el balcón." },
      "An hour later": { starts_at: "2026-05-07T18:30" },
      "Another agent": { agent_id: viewing.agent_id },
    },
    gives: { 200: ["The changed viewing.", { data: { ...viewing, status: "done" } }] },
    refuses: {
      nothing_to_change: "body",
      invalid_transition: "status",
      unknown_reference: "agent_id",
      invalid_time: "starts_at",
    },
    conflicts: booked,
  },
};

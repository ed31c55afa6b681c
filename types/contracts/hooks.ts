import { z } from "zod";
import { id, moment, words } from "./fields.ts";
import { page } from "./pages.ts";
import type { Permission } from "./permissions.ts";

export const EventType = z
  .enum(["deal_won", "offer_accepted", "signature_signed", "document_completed"])
  .describe("An event that is pushed.");
export type EventType = z.output<typeof EventType>;

/** The permission that subscribing to an event, and sampling it, needs. */
export const PERMISSION_OF_EVENT: Record<EventType, Permission> = {
  deal_won: "operations:read",
  offer_accepted: "offers:read",
  signature_signed: "signatures:read",
  document_completed: "documents:read",
};

export const CreateHook = z
  .strictObject({
    event_type: EventType.describe("The event to be told of."),
    target_url: words(2000).describe("The https URL that the event is posted to."),
  })
  .describe("A subscription to an event.");

export const SampleHookQuery = z
  .strictObject({ event_type: EventType.describe("The event to sample."), ...page })
  .describe("Which event to sample.");

/** POST /hooks answers the identifier alone, without the data envelope. */
export const CreatedHook = z
  .strictObject({ id: id.describe("Identifier of the subscription.") })
  .describe("The subscription that now exists.");

export const Hook = z
  .strictObject({
    id: id.describe("Identifier of the subscription."),
    event_type: EventType,
    target_url: z.string().describe("The URL that the event is posted to."),
    created_at: moment.describe("When it was subscribed."),
  })
  .describe("A subscription to an event.");

import { z } from "zod";
import { Document } from "./documents.ts";
import { id, moment, words } from "./fields.ts";
import { Offer } from "./offers.ts";
import { Operation } from "./operations.ts";
import { listOf, page } from "./pages.ts";
import type { Permission } from "./permissions.ts";
import { Signature } from "./signatures.ts";

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

/** What an event carries: exactly the object that the list of its resource shows. */
export const PAYLOAD_OF_EVENT = {
  deal_won: Operation,
  offer_accepted: Offer,
  signature_signed: Signature,
  document_completed: Document,
} as const satisfies Record<EventType, z.ZodType>;

export const CreateHook = z
  .strictObject({
    event_type: EventType.describe("The event to be told of."),
    target_url: words(2000).describe("The https URL that the event is posted to."),
  })
  .describe("A subscription to an event.");

export const SampleHookQuery = z
  .strictObject({ event_type: EventType.describe("The event to sample."), ...page })
  .describe("Which event to sample.");

/** Rows that are in the state of the event that was asked for, each as the event would carry it. */
export const SampleOfEvent = listOf(
  z.union([Operation, Offer, Signature, Document]).describe("What the event would carry."),
).describe("A page of what an event carried, or would have, latest first.");

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

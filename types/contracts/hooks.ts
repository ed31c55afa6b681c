import { z } from "zod";
import { Document } from "./documents.ts";
import { id, moment, words } from "./fields.ts";
import { Offer } from "./offers.ts";
import { Operation } from "./operations.ts";
import { listOf, page } from "./pages.ts";
import type { Permission } from "./permissions.ts";
import { Signature } from "./signatures.ts";

interface Event {
  /** Needed to subscribe to it and to sample it. */
  permission: Permission;
  /** Exactly the object that its resource's list shows. */
  payload: z.ZodType;
  when: string;
}

export const EVENTS = {
  deal_won: {
    permission: "operations:read",
    payload: Operation,
    when: "An operation reaches won, sold or rented for the first time.",
  },
  offer_accepted: {
    permission: "offers:read",
    payload: Offer,
    when: "An offer is accepted for the first time.",
  },
  signature_signed: {
    permission: "signatures:read",
    payload: Signature,
    when: "A signature is signed for the first time.",
  },
  document_completed: {
    permission: "documents:read",
    payload: Document,
    when: "A document is received or verified for the first time.",
  },
} as const satisfies Record<string, Event>;

export const EventType = z
  .enum(Object.keys(EVENTS) as [keyof typeof EVENTS])
  .describe("An event that is posted to subscribers.");
export type EventType = z.output<typeof EventType>;

export const CreateHook = z
  .strictObject({
    event_type: EventType.describe("The event to subscribe to."),
    target_url: words(2000).describe("The https URL that the event is posted to."),
  })
  .describe("A subscription to an event.");

export const SampleHookQuery = z
  .strictObject({ event_type: EventType.describe("The event to sample."), ...page })
  .describe("Which event to sample.");

/** Rows that are already in the event's state, each as the event's body. */
export const SampleOfEvent = listOf(
  z.union([Operation, Offer, Signature, Document]).describe("The event's body."),
).describe("A page of event bodies, latest first.");

/** POST /hooks answers without the data envelope. */
export const CreatedHook = z
  .strictObject({ id: id.describe("Identifier of the subscription.") })
  .describe("The subscription that now exists.");

export const Hook = z
  .strictObject({
    id: id.describe("Identifier of the subscription."),
    event_type: EventType,
    target_url: z.string().describe("The URL that the event is posted to."),
    created_at: moment.describe("When the subscription was created."),
  })
  .describe("A subscription to an event.");

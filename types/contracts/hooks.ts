import { z } from "zod";
import { Document } from "./documents.ts";
import { id, moment, words } from "./fields.ts";
import { Offer } from "./offers.ts";
import { Operation } from "./operations.ts";
import { listOf, page } from "./pages.ts";
import type { Permission } from "./permissions.ts";
import { Signature } from "./signatures.ts";

interface Event {
  /** What subscribing to it, and sampling it, needs. */
  permission: Permission;
  /** What it carries: exactly the object that the list of its resource shows. */
  payload: z.ZodType;
  when: string;
}

/** The events that are pushed. */
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
  .describe("An event that is pushed.");
export type EventType = z.output<typeof EventType>;

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

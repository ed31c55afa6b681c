import { z } from "zod";
import type { ZodOpenApiPathItemObject } from "zod-openapi";
import { id } from "../../../types/contracts/fields.ts";
import { EVENTS, EventType } from "../../../types/contracts/hooks.ts";
import { acceptedOffer, receivedDocument, signedSignature, wonOperation } from "./examples.ts";

const EXAMPLES: Record<EventType, object> = {
  deal_won: wonOperation,
  offer_accepted: acceptedOffer,
  signature_signed: signedSignature,
  document_completed: receivedDocument,
};

/** What a target receives, by event: the object as its list shows it, without an envelope. */
export const webhooks: Record<string, ZodOpenApiPathItemObject> = Object.fromEntries(
  EventType.options.map((event) => [event, { post: webhook(event) }]),
);

function webhook(event: EventType): ZodOpenApiPathItemObject["post"] {
  const { when, permission, payload } = EVENTS[event];
  return {
    operationId: event,
    tags: ["Events"],
    summary: when,
    description: `Posted within a minute or so to every URL that was subscribed when it happened and still is. Subscribing needs \`${permission}\`. A target never gets an event again once it has accepted it: the event is posted up to 3 times in all, and only while no target has answered 2xx. A target has 10 seconds to answer; redirects are not followed.`,
    security: [],
    requestParams: {
      header: z.object({
        "x-service-event": z.literal(event).describe("The event."),
        "x-service-delivery": id.describe("The event's id, the same for every target and attempt."),
        "x-service-signature": z
          .string()
          .regex(/^sha256=[0-9a-f]{64}$/)
          .optional()
          .describe(
            "Hexadecimal HMAC-SHA256 of the exact bytes of the body, with the agency's signing secret. Compare it in constant time. Absent if the agency has no secret.",
          ),
      }),
    },
    requestBody: {
      required: true,
      content: { "application/json": { schema: payload, example: EXAMPLES[event] } },
    },
    responses: {
      "2XX": { description: "The target has accepted the event. The body is ignored." },
      410: { description: "The target is gone; its subscription is removed." },
      default: { description: "Anything else, or no answer in 10 seconds, is a failed attempt." },
    },
  };
}

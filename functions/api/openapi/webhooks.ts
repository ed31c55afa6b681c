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

/** What a target is sent, by event: the object that the list of the resource shows, and nothing around it. */
export const webhooks: Record<string, ZodOpenApiPathItemObject> = Object.fromEntries(
  EventType.options.map((event) => [event, { post: webhook(event) }]),
);

function webhook(event: EventType): ZodOpenApiPathItemObject["post"] {
  const { when, permission, payload } = EVENTS[event];
  return {
    operationId: event,
    tags: ["Events"],
    summary: when,
    description: `Posted within a minute or so to every target that was subscribed when it happened and still is. Subscribing takes \`${permission}\`. A target gets the event at most once: it is posted again, up to 3 times in all, only as long as no target has answered 2xx. A target has 10 seconds to answer; redirects are not followed.`,
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
            "HMAC-SHA256 over the exact bytes of the body with the agency's signing secret, in hexadecimal. Compare it in constant time. Left out while the agency has no secret.",
          ),
      }),
    },
    requestBody: {
      required: true,
      content: { "application/json": { schema: payload, example: EXAMPLES[event] } },
    },
    responses: {
      "2XX": { description: "The target has it. The body is not looked at." },
      410: { description: "The target is gone: its subscription is removed." },
      default: { description: "Anything else, or no answer in 10 seconds, is a failed attempt." },
    },
  };
}

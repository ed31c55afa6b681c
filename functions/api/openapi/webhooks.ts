import { z } from "zod";
import type { ZodOpenApiPathItemObject } from "zod-openapi";
import { id } from "../../../types/contracts/fields.ts";
import {
  type EventType,
  PAYLOAD_OF_EVENT,
  PERMISSION_OF_EVENT,
} from "../../../types/contracts/hooks.ts";
import { acceptedOffer, receivedDocument, signedSignature, wonOperation } from "./examples.ts";

const FIRES: Record<EventType, readonly [when: string, example: object]> = {
  deal_won: ["An operation reaches won, sold or rented for the first time.", wonOperation],
  offer_accepted: ["An offer is accepted for the first time.", acceptedOffer],
  signature_signed: ["A signature is signed for the first time.", signedSignature],
  document_completed: ["A document is received or verified for the first time.", receivedDocument],
};

/** What a target is sent, by event: the object that the list of the resource shows, and nothing around it. */
export const webhooks: Record<string, ZodOpenApiPathItemObject> = Object.fromEntries(
  (Object.keys(FIRES) as EventType[]).map((event) => [event, { post: webhook(event) }]),
);

function webhook(event: EventType): ZodOpenApiPathItemObject["post"] {
  const [when, example] = FIRES[event];
  return {
    operationId: event,
    tags: ["Events"],
    summary: when,
    description: `Posted within a minute or so to every target that was subscribed when it happened and still is. Subscribing takes \`${PERMISSION_OF_EVENT[event]}\`. A target gets the event at most once: it is posted again, up to 3 times in all, only as long as no target has answered 2xx. A target has 10 seconds to answer; redirects are not followed.`,
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
      content: { "application/json": { schema: PAYLOAD_OF_EVENT[event], example } },
    },
    responses: {
      "2XX": { description: "The target has it. The body is not looked at." },
      410: { description: "The target is gone: its subscription is removed." },
      default: { description: "Anything else, or no answer in 10 seconds, is a failed attempt." },
    },
  };
}

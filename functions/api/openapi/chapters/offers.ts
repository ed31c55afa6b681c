import { firstOf, offer, publicOffer } from "../examples.ts";
import { type Chapter, describeGet, describeList } from "../prose.ts";

export const offers: Chapter = {
  listOffers: describeList("offers", "The agency's offers, newest first.", firstOf(offer)),
  getOffer: describeGet("an offer", "One offer.", offer),
  createOffer: {
    summary: "Record an offer",
    description:
      "The offer is received: it is not accepted by this, and the stage of its operation does not move. It closes the gate step ofertaPreparada. An offer is accepted when precioAcordado is closed in the application, which emits offer_accepted.",
    sends: {
      "For the operation's property": {
        operation_id: offer.operation_id,
        amount: 280000,
        notes: "Sujeta a financiación.",
      },
      "For another property, in another currency": {
        operation_id: offer.operation_id,
        property_id: offer.property_id,
        amount: 305000.5,
        currency: "USD",
        offer_type: "sale",
      },
    },
    gives: { 201: ["The offer, with the token of its public link.", { data: offer }] },
    refuses: {
      unknown_reference: "operation_id",
      operation_closed: "operation_id",
      property_required: "property_id",
    },
  },
  createOfferLink: {
    summary: "Make a new public link",
    description: "The offer gets a new `public_token`; the link with the old one works no more.",
    sends: { Nothing: {} },
    gives: { 201: ["The offer, with the token of its new link.", { data: offer }] },
  },
  getPublicOffer: {
    summary: "Get an offer by its public link",
    description:
      "What a client who was given the link sees: no names of people, and the property without its street. The token is the credential.",
    gives: { 200: ["The offer.", { data: publicOffer }] },
    missing: "There is no such link, or it was replaced.",
    limited:
      "The link's requests are spent: 60 a minute a link, and 600 a minute for all links that do not exist.",
  },
};

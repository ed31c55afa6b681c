import { firstOf, offer, publicOffer } from "../examples.ts";
import { type Chapter, describeGet, describeList } from "../prose.ts";

export const offers: Chapter = {
  listOffers: describeList("offers", "The agency's offers, newest first.", firstOf(offer)),
  getOffer: describeGet("an offer", "One offer.", offer),
  createOffer: {
    summary: "Record an offer",
    description:
      "Records a received offer, which closes the gate step ofertaPreparada. This neither accepts the offer nor moves the operation's stage. The offer is accepted when precioAcordado is closed in the application, which emits offer_accepted.",
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
    description: "The offer gets a new `public_token`; the old link stops working.",
    sends: { Nothing: {} },
    gives: { 201: ["The offer, with the token of its new link.", { data: offer }] },
  },
  getPublicOffer: {
    summary: "Get an offer by its public link",
    description:
      "What a client with the link sees: no people's names, and the property without its street. The token is the credential.",
    gives: { 200: ["The offer.", { data: publicOffer }] },
    missing: "The link does not exist, or was replaced.",
    limited:
      "The link has used up its requests: 60 a minute for each link, and 600 a minute in total for links that do not exist.",
  },
};

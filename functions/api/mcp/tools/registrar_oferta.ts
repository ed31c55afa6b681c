import { z } from "zod";
import { amount, id, optional, text, textOrNull } from "../../../../types/contracts/fields.ts";
import { CreateOffer, Offer, OfferType } from "../../../../types/contracts/offers.ts";
import type { Created } from "../../response.ts";
import { leadId, operationId, propertyId } from "../fields.ts";
import { ADDS, defineTool } from "../tool.ts";

// The contract's description is in English, and an optional schema keeps it.
const offerType = OfferType.describe("sale o rent.");

/** The RPC is that of POST /offers. */
export const registrar_oferta = defineTool({
  name: "registrar_oferta",
  title: "Registrar una oferta recibida",
  description: [
    "Anota una oferta recibida en una operación. Ni la acepta ni mueve la etapa; sí completa el paso «Oferta preparada».",
    "El inmueble sale de la operación si no se indica property_id; si ninguno de los dos lo tiene, la oferta se rechaza (property_required).",
  ].join(" "),
  permission: "offers:write",
  annotations: ADDS,
  input: z.strictObject({
    operation_id: operationId.describe("La operación en la que se registra (UUID)."),
    amount: amount.describe(
      "Importe ofrecido, mayor que 0 y con dos decimales como mucho; la renta mensual si es de alquiler.",
    ),
    property_id: optional(propertyId).describe(
      "Inmueble por el que se hace la oferta; por defecto, el de la operación.",
    ),
    currency: CreateOffer.shape.currency.describe("Moneda (ISO 4217); por defecto EUR."),
    offer_type: optional(offerType).describe(
      "sale o rent; por defecto, según esté publicado el inmueble.",
    ),
    notes: optional(text(10_000)).describe("Condiciones o comentarios de la oferta."),
  }),
  output: z.object({
    offer_id: id.describe("Identificador de la oferta."),
    operation_id: operationId,
    lead_id: leadId,
    property_id: propertyId,
    amount: z.number().describe("Importe ofrecido."),
    currency: z.string().describe("Moneda (ISO 4217)."),
    offer_type: offerType,
    status: Offer.shape.status.describe("received: recibida, sin aceptar."),
    public_token: z.string().describe("Clave del enlace que se puede compartir con el cliente."),
    notes: textOrNull.describe("Condiciones o comentarios."),
  }),
  async run(body, { rpc }) {
    const { body: offer }: Created<z.output<typeof Offer>> = await rpc("create_offer", { body });
    return { ...offer, offer_id: offer.id };
  },
});

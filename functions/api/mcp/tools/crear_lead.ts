import { z } from "zod";
import { amount, email, optional, phone, text, words } from "../../../../types/contracts/fields.ts";
import { Lead, LeadOperationType, Origin } from "../../../../types/contracts/leads.ts";
import { toE164 } from "../../../_shared/phone.ts";
import {
  agentId,
  emailAddress,
  fullName,
  leadId,
  leadStatus,
  operationId,
  phoneNumber,
} from "../fields.ts";
import { ADDS, defineTool } from "../tool.ts";

// The contract's own description is in English, and an alternative keeps it.
const origin = Origin.describe("Por dónde llegó.");

/** A new lead with its operation; the RPC is that of POST /leads. */
export const crear_lead = defineTool({
  name: "crear_lead",
  title: "Crear un contacto con su operación",
  description: [
    "Da de alta a una persona interesada en comprar o alquilar y abre su operación. Si ya existe un contacto con ese correo o teléfono, el lead queda unido a él; se asigna a un agente por turno y se inicia el control de sanciones.",
    "Antes de crear, comprueba con «buscar» que no tenga ya un lead activo. Los propietarios que venden no se crean aquí.",
  ].join(" "),
  permission: "leads:write",
  annotations: ADDS,
  input: z.strictObject({
    full_name: words(200).describe("Nombre y apellidos de la persona."),
    operation_type: LeadOperationType.describe("buy si quiere comprar, rent si quiere alquilar."),
    phone: optional(phone).describe(
      "Teléfono: con + y prefijo, o tal como se marca en el país de la agencia.",
    ),
    email: optional(email).describe("Correo electrónico."),
    origin: optional(origin).describe("Por dónde llegó; por defecto other."),
    budget_max: optional(amount).describe(
      "Lo máximo que pagaría en EUR: el precio si compra, la renta mensual si alquila.",
    ),
    bedrooms_min: optional(z.int().min(0).max(50)).describe(
      "Dormitorios que necesita como mínimo, de 0 a 50.",
    ),
    intent: optional(text(500)).describe("Qué busca, en pocas palabras."),
    notes: optional(text(10_000)).describe("Notas libres para la agencia."),
  }),
  output: z.strictObject({
    lead_id: leadId,
    operation_id: operationId.nullable().describe("La operación que se ha abierto."),
    contact_id: Lead.shape.contact_id.describe("La persona a la que ha quedado unido."),
    full_name: fullName,
    phone: phoneNumber,
    email: emailAddress,
    origin,
    lead_status: leadStatus,
    budget_max: z.number().nullable().describe("Lo máximo que pagaría."),
    bedrooms_min: z.int().nullable().describe("Dormitorios mínimos."),
    assigned_agent_id: agentId.nullable().describe("El agente al que le ha tocado; null si nadie."),
    sanctions_status: Lead.shape.sanctions_status.describe("Estado del control de sanciones."),
  }),
  async run(args, { rpc, country }) {
    const body = args.phone ? { ...args, phone: await toE164(args.phone, country) } : args;
    const created = (await rpc("create_lead", { body })) as { body: z.output<typeof Lead> };
    const lead = created.body;
    return {
      lead_id: lead.id,
      operation_id: lead.operation_id,
      contact_id: lead.contact_id,
      full_name: lead.full_name,
      phone: lead.phone,
      email: lead.email,
      origin: lead.origin,
      lead_status: lead.lead_status,
      budget_max: lead.budget_max,
      bedrooms_min: lead.bedrooms_min,
      assigned_agent_id: lead.assigned_agent_id,
      sanctions_status: lead.sanctions_status,
    };
  },
});

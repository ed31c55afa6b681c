import { z } from "zod";
import { amount, asWritten, optional, text, words } from "../../../../types/contracts/fields.ts";
import {
  type CreatedLead,
  Lead,
  LeadOperationType,
  Origin,
} from "../../../../types/contracts/leads.ts";
import { readPhone } from "../../../_shared/phone.ts";
import type { Created } from "../../response.ts";
import {
  agentId,
  emailAddress,
  fullName,
  leadId,
  leadStatus,
  operationId,
  operationType,
  phoneNumber,
  stageLabel,
} from "../fields.ts";
import { ADDS, defineTool } from "../tool.ts";

// The contract's description is in English, and an optional schema keeps it.
const origin = Origin.describe("Por dónde llegó.");

/** The RPC is that of POST /leads. */
export const crear_lead = defineTool({
  name: "crear_lead",
  title: "Crear un contacto con su operación",
  description: [
    "Da de alta a una persona interesada en comprar o alquilar y abre su operación. Si ya existe un contacto con ese correo o teléfono, el lead queda unido a él (known_contact) y lo lleva el agente que ya lo atiende; si no, se asigna por turno. Se inicia el control de sanciones.",
    "Antes de crear, comprueba con «buscar» que no tenga ya un lead activo. Si la respuesta trae known_contact true, díselo a quien te lo pide junto con sus operaciones abiertas: quizá baste con seguir una de ellas. Los propietarios que venden no se crean aquí.",
  ].join(" "),
  permission: "leads:write",
  annotations: ADDS,
  input: z.strictObject({
    full_name: words(200).describe("Nombre y apellidos de la persona."),
    operation_type: LeadOperationType.describe("buy si quiere comprar, rent si quiere alquilar."),
    phone: optional(asWritten).describe(
      "Teléfono, tal como lo haya dado; sin prefijo se lee como del país de la agencia.",
    ),
    email: optional(asWritten).describe("Correo electrónico, tal como lo haya dado."),
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
  output: z.object({
    lead_id: leadId,
    operation_id: operationId.nullable().describe("La operación que se ha abierto."),
    contact_id: Lead.shape.contact_id.describe("La persona a la que ha quedado unido."),
    known_contact: z.boolean().describe("true si la agencia ya conocía a la persona."),
    open_operations: z
      .array(
        z.strictObject({
          operation_id: operationId,
          lead_id: leadId,
          operation_type: operationType,
          stage: z.string().describe("Etapa en la que está."),
          stage_label: stageLabel,
          assigned_agent_id: agentId.nullable().describe("El agente que la lleva."),
        }),
      )
      .nullable()
      .describe(
        "Las operaciones que la persona ya tenía abiertas; null sin el permiso operations:read.",
      ),
    full_name: fullName,
    phone: phoneNumber,
    phone_e164: Lead.shape.phone_e164.describe("El teléfono en E.164; null si no se pudo leer."),
    email: emailAddress,
    email_is_valid: Lead.shape.email_is_valid.describe(
      "Si el correo es una dirección; null si no consta.",
    ),
    origin,
    lead_status: leadStatus,
    budget_max: z.number().nullable().describe("Lo máximo que pagaría."),
    bedrooms_min: z.int().nullable().describe("Dormitorios mínimos."),
    assigned_agent_id: agentId
      .nullable()
      .describe("El agente al que se ha asignado; null si no hay ninguno."),
    sanctions_status: Lead.shape.sanctions_status.describe("Estado del control de sanciones."),
  }),
  async run(args, { rpc, country }) {
    const body = args.phone ? { ...args, phone: await readPhone(args.phone, country) } : args;
    const { body: lead }: Created<z.output<typeof CreatedLead>> = await rpc("create_lead", {
      body,
    });
    const operations = lead.open_operations;
    return {
      ...lead,
      lead_id: lead.id,
      open_operations:
        operations?.map(({ id, ...rest }) => ({ operation_id: id, ...rest })) ?? null,
    };
  },
});

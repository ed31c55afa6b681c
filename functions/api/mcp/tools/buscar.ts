import { z } from "zod";
import { id, words } from "../../../../types/contracts/fields.ts";
import {
  cutList,
  emailAddress,
  fullName,
  leadId,
  leadStatus,
  limit,
  localMoment,
  missingPermissions,
  operationId,
  operationType,
  phoneNumber,
  propertySummary,
  stageLabel,
  temperature,
} from "../fields.ts";
import { defineTool, READS } from "../tool.ts";

const OpenOperation = z.strictObject({
  operation_id: operationId,
  operation_type: operationType,
  stage: z.string().describe("Etapa en la que está."),
  stage_label: stageLabel,
});

const Lead = z.strictObject({
  lead_id: leadId.describe("Identificador del lead; es el que piden las demás herramientas."),
  full_name: fullName,
  phone: phoneNumber,
  email: emailAddress,
  lead_status: leadStatus,
  temperature,
  archived_at: localMoment.nullable().describe("Cuándo se archivó; null si está activo."),
  created_at: localMoment.describe("Cuándo llegó."),
  open_operations: z
    .array(OpenOperation)
    .max(3)
    .nullable()
    .describe("Sus operaciones abiertas; null si la credencial no tiene operations:read."),
});

const Client = z
  .strictObject({
    contact_id: id.describe("Identificador de la persona."),
    full_name: fullName,
    phone: phoneNumber,
    email: emailAddress,
    leads: cutList(
      Lead,
      5,
      "Los leads de la persona: primero los activos y, entre ellos, los más recientes.",
    ),
  })
  .describe("La persona encontrada.");

export const buscar = defineTool({
  name: "buscar",
  title: "Buscar clientes e inmuebles",
  description: [
    "Encuentra personas e inmuebles de la agencia por nombre, teléfono (en cualquier formato), correo electrónico, dirección o referencia.",
    "No distingue acentos ni mayúsculas y tolera erratas. Úsala cuando tengas un dato suelto y necesites el lead_id, operation_id o property_id.",
    "Para buscar inmuebles por características (habitaciones, precio, zona) usa «buscar_propiedades».",
  ].join(" "),
  permission: "leads:read",
  annotations: READS,
  input: z.strictObject({
    query: words(200).describe(
      "Lo que se busca: un nombre, un teléfono, un correo, una calle o una referencia. Por ejemplo «Carmen Ortiz» o «611 00 00 01».",
    ),
    limit: limit(25, 10, "resultados"),
  }),
  output: z.strictObject({
    missing_permissions: missingPermissions,
    truncated: z.boolean().describe("true si hay más resultados de los que se muestran."),
    results: z
      .array(
        z.strictObject({
          kind: z.enum(["client", "property"]).describe("client (persona) o property (inmueble)."),
          score: z.number().describe("Cuánto se parece a lo buscado, de 0 a 1."),
          matched_by: z
            .enum(["phone", "email", "full_name", "address"])
            .describe("El dato por el que se ha encontrado."),
          client: Client.nullable().describe("La persona; null si es un inmueble."),
          property: z
            .strictObject(propertySummary)
            .nullable()
            .describe("El inmueble; null si es una persona."),
        }),
      )
      .max(25)
      .describe("Los resultados, el más parecido primero."),
  }),
  async run({ query, limit }, { rpc }) {
    return rpc("mcp_search", { query, page_limit: limit });
  },
});

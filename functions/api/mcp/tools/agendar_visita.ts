import { z } from "zod";
import { optional, text } from "../../../../types/contracts/fields.ts";
import { localTime } from "../../../../types/contracts/times.ts";
import { agentId, leadId, operationId, propertyId, viewingSummary } from "../fields.ts";
import { ADDS, defineTool } from "../tool.ts";

const Arranged = z.strictObject({
  ...viewingSummary,
  warnings: z
    .array(z.string())
    .describe("Lo que conviene confirmar con la persona; vacío si no hay nada que confirmar."),
  time_zone: z.string().describe("Zona horaria de la agencia, en la que están las horas."),
});

/** The rules are those of POST /viewings. */
export const agendar_visita = defineTool({
  name: "agendar_visita",
  title: "Agendar una visita",
  description: [
    "Concierta la visita de un cliente a un inmueble y la devuelve confirmada en la zona horaria de la agencia.",
    "Escribe la hora tal como la dice la persona, sin desfase (2026-05-04T17:30). Si el agente o el inmueble ya tienen otra visita a esa hora, no se agenda y la respuesta (conflict) dice cuál es; consulta «agenda» para proponer otra hora. Si la hora ya ha pasado, se rechaza; si es poco habitual, lo avisa en warnings.",
    "Indica operation_id si la visita es de una operación abierta: al hacerse completará el paso «Propiedades visitadas».",
  ].join(" "),
  permission: "viewings:write",
  annotations: ADDS,
  input: z
    .strictObject({
      lead_id: leadId.describe("El cliente que visita (UUID)."),
      property_id: propertyId.describe("El inmueble que se visita (UUID)."),
      starts_at: localTime.describe(
        "Cuándo empieza: hora local de la agencia (2026-05-04T17:30) o con desfase (2026-05-04T17:30+02:00). Si por el cambio de hora no existe, se rechaza; si se repite, vale la primera.",
      ),
      ends_at: optional(localTime).describe(
        "Cuándo termina, en el mismo formato; en lugar de duration_minutes.",
      ),
      duration_minutes: optional(z.int().min(5).max(1440)).describe(
        "Cuánto dura, de 5 a 1440 minutos; por defecto 45.",
      ),
      operation_id: optional(operationId).describe(
        "La operación abierta del cliente de la que forma parte.",
      ),
      agent_id: optional(agentId).describe("Quién la atiende; por defecto, el agente del cliente."),
      notes: optional(text(10_000)).describe("Notas para la visita."),
    })
    .refine((body) => body.ends_at === undefined || body.duration_minutes === undefined, {
      path: ["duration_minutes"],
      error: "no se puede combinar con ends_at",
    }),
  output: Arranged,
  async run(body, { rpc }) {
    const viewing: Omit<z.input<typeof Arranged>, "warnings"> = await rpc("mcp_create_viewing", {
      body,
    });
    return { ...viewing, warnings: warningsFor(viewing.starts_at) };
  },
});

const FIRST_USUAL_HOUR = 8;
const LAST_USUAL_HOUR = 20;

/** The time is in the agency's zone, so its digits are the local hour. */
function warningsFor(starts_at: string): string[] {
  const hour = Number(starts_at.slice(11, 13));
  if (hour >= FIRST_USUAL_HOUR && hour <= LAST_USUAL_HOUR) return [];
  return [
    `La visita empieza a las ${starts_at.slice(11, 16)}, una hora poco habitual: confírmala con la persona.`,
  ];
}

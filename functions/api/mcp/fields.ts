import { z } from "zod";
import { PendingAction } from "../../../types/contracts/errors.ts";
import { id, textOrNull } from "../../../types/contracts/fields.ts";
import { LeadStatus, Temperature } from "../../../types/contracts/leads.ts";
import { Permission } from "../../../types/contracts/permissions.ts";
import { ListingType, PropertyStatus, PropertyType } from "../../../types/contracts/properties.ts";
import { ViewingStatus } from "../../../types/contracts/viewings.ts";

// Fields of several tools. Names are those of REST; texts for the model are Spanish.

/** A moment with the offset of the agency's time zone. */
export const localMoment = z.iso
  .datetime({ offset: true })
  .describe("Fecha y hora en la zona horaria de la agencia, con su desfase.");

/** A list of bounded length that says when it was cut. */
export function cutList<Item extends z.ZodType>(item: Item, max_items: number, what: string) {
  return z
    .strictObject({
      total: z.int().describe("Cuántos hay en total."),
      truncated: z
        .boolean()
        .describe("true si la lista está recortada y hay más de los que se muestran."),
      items: z.array(item).max(max_items).describe(`Los que se muestran, como mucho ${max_items}.`),
    })
    .describe(what);
}

/** How many of something to answer at most. */
export function limit(max: number, by_default: number, what: string) {
  return z
    .int()
    .min(1)
    .max(max)
    .default(by_default)
    .describe(
      `Cuánt${what.endsWith("as") ? "as" : "os"} ${what} como mucho: de 1 a ${max}, por defecto ${by_default}.`,
    );
}

export const leadId = id.describe("Identificador del contacto (lead).");
export const operationId = id.describe("Identificador de la operación.");
export const propertyId = id.describe("Identificador del inmueble.");
export const agentId = id.describe("Identificador del agente.");
export const stageLabel = z.string().describe("Nombre de la etapa en español.");
export const fullName = z.string().describe("Nombre de la persona.");
/** For resources other than the person: whoever may see those may not be allowed to see people. */
const fullNameOrHidden = textOrNull.describe(
  "Nombre de la persona; null si la credencial no tiene leads:read.",
);
export const missingPermissions = z
  .array(Permission.describe("Un permiso."))
  .describe(
    "Permisos de lectura que no tiene la credencial: lo que dan a ver no aparece en esta respuesta, aunque exista.",
  );
export const phoneNumber = textOrNull.describe(
  "Teléfono en formato E.164, o tal como llegó si no se pudo leer; null si no consta.",
);
const phoneNumberOrHidden = phoneNumber.describe(
  "Teléfono en formato E.164, o tal como llegó si no se pudo leer; null si no consta o la credencial no tiene leads:read.",
);
export const emailAddress = textOrNull.describe(
  "Correo electrónico, tal como llegó si no es una dirección; null si no consta.",
);
export const operationType = z
  .string()
  .describe("Tipo de operación: buy (compra), rent (alquiler) o sell (venta).");
const pendingAction = z
  .strictObject({
    id: PendingAction.shape.id.describe("El paso, por ejemplo propiedadesVisitadas."),
    label: PendingAction.shape.label.describe("Su nombre en español."),
  })
  .describe("Un paso pendiente.");
export const pendingActions = z
  .array(pendingAction)
  .describe("Pasos que faltan para poder dejar la etapa actual; vacío si se puede avanzar.");

// The contracts are in English, and a schema inside an optional or a list keeps its own description.
export const leadStatus = LeadStatus.describe("new, contacted, qualified o unqualified.")
  .nullable()
  .describe("Cualificación; null si es un propietario que vende.");
export const temperature = Temperature.describe("hot, warm o cold.")
  .nullable()
  .describe("hot, warm o cold; null si aún no se sabe.");

/** A property in brief. */
export const propertySummary = {
  property_id: propertyId,
  reference: textOrNull.describe("Referencia propia de la agencia."),
  title: textOrNull.describe("Título del anuncio."),
  listing_type: ListingType.describe("sale (en venta) o rent (en alquiler)."),
  status: PropertyStatus.describe(
    "available (disponible), pending (oferta aceptada), sold, rented o withdrawn.",
  ),
  property_type: PropertyType.describe("Tipo de inmueble: flat (piso), house (casa), …"),
  price: z.number().nullable().describe("Precio en EUR; renta mensual si es alquiler."),
  bedrooms: z.int().nullable().describe("Dormitorios."),
  bathrooms: z.int().nullable().describe("Baños."),
  area_m2: z.number().nullable().describe("Superficie construida en m²."),
  address: textOrNull.describe("Calle, zona y ciudad."),
};

export const propertyTitle = textOrNull.describe(
  "Título del inmueble; null si no tiene o la credencial no tiene properties:read.",
);

export const viewingSummary = {
  viewing_id: id.describe("Identificador de la visita."),
  starts_at: localMoment.describe("Cuándo empieza, en la zona horaria de la agencia."),
  ends_at: localMoment.describe("Cuándo termina, en la zona horaria de la agencia."),
  status: ViewingStatus.describe(
    "scheduled (programada), done (hecha), cancelled o no_show (no acudió).",
  ),
  lead_id: leadId,
  full_name: fullNameOrHidden,
  phone: phoneNumberOrHidden,
  operation_id: operationId.nullable().describe("Operación de la que forma parte."),
  property_id: propertyId,
  property_title: propertyTitle,
  address: textOrNull.describe("Dirección del inmueble; null si no consta o sin properties:read."),
  agent_id: agentId.nullable().describe("Agente que la atiende; null si aún no hay ninguno."),
  agent_name: textOrNull.describe("Nombre de ese agente."),
  notes: textOrNull.describe("Notas, hasta 500 caracteres."),
};

export const Task = z.strictObject({
  kind: z
    .enum([
      "answer_message",
      "contact_lead",
      "review_sanctions",
      "close_viewing",
      "prepare_viewing",
      "pending_step",
      "advance_stage",
      "open_operation",
      "wait",
      "none",
    ])
    .describe("Tipo de tarea."),
  text: z.string().describe("Qué hay que hacer, en una frase."),
  reason: z.string().describe("Por qué."),
  turn: z
    .enum(["yours", "colleague", "unassigned", "client"])
    .describe(
      "A quién le toca: yours (a quien pregunta), colleague (a otro agente), unassigned (aún a nadie) o client (se espera al cliente).",
    ),
  agent_id: agentId.nullable().describe("Agente responsable, si lo hay."),
  agent_name: textOrNull.describe("Nombre del agente responsable."),
  since: localMoment.nullable().describe("Desde cuándo está pendiente."),
  due_at: localMoment
    .nullable()
    .describe("Para cuándo debería estar hecha, o cuándo empieza la visita."),
  is_overdue: z.boolean().describe("true si ya debería estar hecha."),
  lead_id: leadId,
  full_name: fullNameOrHidden,
  operation_id: operationId.nullable().describe("Operación a la que se refiere, si la hay."),
  stage: textOrNull.describe("Etapa de esa operación."),
  stage_label: stageLabel.nullable().describe("Nombre de esa etapa en español."),
  pending_action: pendingAction.nullable().describe("El paso pendiente, si la tarea es un paso."),
  viewing_id: id.nullable().describe("La visita, si la tarea se refiere a una."),
  starts_at: localMoment.nullable().describe("Cuándo empieza esa visita."),
  property_id: propertyId.nullable().describe("El inmueble, si se conoce."),
  property_title: propertyTitle,
  how: textOrNull.describe("Cómo se hace, si hay una forma concreta."),
  tool: textOrNull.describe("Herramienta de este conector que ayuda a hacerlo, si la hay."),
});

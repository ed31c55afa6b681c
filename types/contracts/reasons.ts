/** A rule that refuses requests, in all the words it needs. */
export interface Reason {
  /** For readers of the API's description. */
  meaning: string;
  /** The error's message; for a rule in SQL, which has its own, an example. */
  message: string;
  /** The connector's message. */
  spanish?: string;
  /** An example of the issue of the member to blame. */
  issue?: string;
  /** Examples of the other details. */
  details?: object;
}

/** Everything that details.reason of a validation_error can say. */
export const REASONS = {
  stage_gate_blocked: {
    meaning:
      "The current stage's gate has pending steps; pending_actions lists them. Nothing was changed.",
    message: "The gate of the current stage has pending steps.",
    spanish:
      "No se puede avanzar: la etapa actual tiene pasos pendientes (details.pending_actions).",
    details: {
      pending_actions: [
        { id: "propiedadesVisitadas", label: "Propiedades visitadas" },
        { id: "favoritaElegida", label: "Propiedad favorita elegida" },
      ],
    },
  },
  invalid_transition: {
    meaning:
      "The change is not allowed. A stage moves exactly one step forward, and only the last active one leads to a successful close. The status of a viewing, a document or a signature only moves forward: a viewing can be done from 15 minutes before its start, and a document whose file was announced is received when the file arrives.",
    message:
      "A stage moves one step forward; only the last active stage leads to a successful close.",
    spanish:
      "Ese cambio de etapa no está permitido: se avanza de una en una, y solo desde la última se cierra con éxito.",
  },
  invalid_stage: {
    meaning:
      "Not a stage of the operation's flow, or not one to start in; as a filter, not a stage of any flow. stages lists the valid ones.",
    message: "The stage is not one of the operation's flow.",
    spanish: "Esa etapa no existe en el flujo de la operación.",
    details: {
      stages: [
        "qualification",
        "search",
        "viewings",
        "offer",
        "reservation",
        "closing",
        "won",
        "lost",
        "expired",
        "cancelled",
      ],
    },
  },
  operation_closed: {
    meaning: "The operation is closed: it cannot be changed and takes no offers or viewings.",
    message: "The operation is closed; it stays as it was.",
    spanish: "La operación está cerrada y ya no admite cambios, ofertas ni visitas.",
  },
  lost_reason_required: {
    meaning: "Moving to lost needs lost_reason.",
    message: "A lost operation needs a lost_reason.",
    spanish: "Para marcar la operación como perdida hace falta lost_reason.",
  },
  db_gate_blocked: {
    meaning: "A rental cannot close before its deposit is paid.",
    message: "A rental cannot close before the deposit is paid.",
    spanish:
      "Un alquiler no puede cerrarse antes de que conste el pago de la fianza. Cuando el inquilino la pague, una persona de la agencia anota la fecha en la operación (deposit_paid_at). Ninguna herramienta lo hace.",
  },
  property_required: {
    meaning: "Neither the offer nor its operation names a property.",
    message: "Neither the offer nor its operation names a property.",
    spanish: "Falta el inmueble: ni la oferta ni su operación lo indican. Envía property_id.",
  },
  operation_type_not_allowed: {
    meaning: "A lead cannot be created with operation_type sell.",
    message: "The body is not valid.",
    spanish: "Aquí solo se abren operaciones de compra (buy) o alquiler (rent).",
    issue: "sell is not allowed here; a listing lead comes from the application",
  },
  unknown_reference: {
    meaning: "An id in the body is not one of your agency's; issues names the member.",
    message: "There is no such lead.",
    spanish: "No encontrado: un identificador no corresponde a nada de esta agencia.",
    issue: "There is no such lead.",
  },
  nothing_to_change: {
    meaning: "The request changes nothing.",
    message: "The request changes nothing.",
    spanish: "La petición no cambia nada.",
  },
  invalid_cursor: {
    meaning: "The cursor was not made by this list.",
    message: "The cursor was not made by this list.",
  },
  idempotency_key_reused: {
    meaning: "The Idempotency-Key was used for another request in the last 24 hours.",
    message: "The Idempotency-Key was used for another request.",
  },
  invalid_json: {
    meaning: "The body is not JSON in UTF-8.",
    message: "The body is not JSON.",
    issue: "must be JSON in UTF-8",
  },
  invalid_body: {
    meaning:
      "A member of the body is missing, unknown, of the wrong type or out of range; issues names it.",
    message: "The body is not valid.",
    spanish: "Algún argumento no es válido (details.issues).",
    issue: "is not known",
  },
  invalid_query: {
    meaning: "A query parameter is unknown, repeated or malformed; issues names it.",
    message: "The query is not valid.",
    issue: "is not known",
  },
  invalid_header: {
    meaning: "A header is malformed; issues names it.",
    message: "A header is not valid.",
    issue: "must be 1 to 255 printable ASCII characters",
  },
  too_many_hooks: {
    meaning:
      "The agency has the maximum number of hooks for the event (max_hooks); remove one first.",
    message: "An agency has at most 20 hooks for an event; remove one first.",
    details: { max_hooks: 20 },
  },
  invalid_target: {
    meaning: "The hook's target_url is not a public https address.",
    message: "Events cannot be delivered to that URL.",
    issue: "The host is not on the public internet.",
  },
  invalid_time: {
    meaning:
      "The time does not exist in the agency's time zone, or the end does not follow the start.",
    message: "This time does not exist in Europe/Madrid: the clocks go forward then.",
    spanish: "Esa fecha u hora no existe en la zona horaria de la agencia.",
    issue: "This time does not exist in Europe/Madrid: the clocks go forward then.",
  },
  invalid_value: {
    meaning: "The database does not accept a value.",
    message: "A value is not valid.",
    spanish: "Algún valor no es aceptable.",
  },
} as const satisfies Record<string, Reason>;

/** What only the connector answers. */
export const CONNECTOR_REASONS = {
  stage_required: {
    spanish:
      "La operación está en su última etapa; indica en stage cómo se cierra (details.stages).",
  },
  agent_required: {
    spanish: "La credencial no actúa por ningún agente, así que no tiene visitas propias.",
  },
  invalid_arguments: { spanish: "Los argumentos no son válidos." },
} as const satisfies Record<string, { spanish: string }>;

const SAID: { [reason: string]: Partial<Reason> } = { ...REASONS, ...CONNECTOR_REASONS };

/** The connector's message for a reason, if it has one. */
export function spanishOf(reason: string | undefined): string | undefined {
  return reason === undefined || !Object.hasOwn(SAID, reason) ? undefined : SAID[reason]?.spanish;
}

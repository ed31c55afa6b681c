/** What can be wrong with one member, as REST (English) and the connector (Spanish) say it. */
interface Sentences {
  message: string;
  spanish: string;
}

/** Found by the contracts, or by a function that reads the request. Values in braces come with the issue. */
export const CONTRACT_ISSUES = {
  required: { message: "is required", spanish: "es obligatorio" },
  unknown_member: { message: "is not known", spanish: "no se reconoce" },
  blank: { message: "must not be blank", spanish: "no puede estar vacío" },
  too_long: {
    message: "must have at most {max} characters",
    spanish: "debe tener como mucho {max} caracteres",
  },
  unstorable: {
    message: "must not contain U+0000 or an unpaired surrogate",
    spanish: "no puede contener U+0000 ni un sustituto UTF-16 suelto",
  },
  not_a_uuid: { message: "must be a UUID", spanish: "debe ser un UUID" },
  not_an_email: {
    message: "must be an e-mail address",
    spanish: "debe ser un correo electrónico",
  },
  not_a_currency: {
    message: "must be an ISO 4217 currency code",
    spanish: "debe ser un código de moneda ISO 4217",
  },
  not_positive: { message: "must be above 0", spanish: "debe ser mayor que 0" },
  too_many_decimals: {
    message: "must have at most {max} decimals",
    spanish: "debe tener como mucho {max} decimales",
  },
  not_a_local_time: {
    message: "must be a date and time as 2026-05-04T17:30 or 2026-05-04T17:30:00+02:00",
    spanish: "debe ser una fecha y hora como 2026-05-04T17:30 o 2026-05-04T17:30:00+02:00",
  },
} as const satisfies Record<string, Sentences>;

/** Found by a rule in SQL, which has the message. */
export const RULE_ISSUES = {
  unknown_reference: { message: "There is no such …", spanish: "no existe en esta agencia" },
  operation_of_another_lead: {
    message: "The lead has no such operation.",
    spanish: "no es una operación de ese cliente",
  },
  not_for_leads: {
    message: "must be {types}",
    spanish: "debe ser buy (compra) o rent (alquiler)",
  },
  unknown_stage: { message: "No flow has such a stage.", spanish: "ningún flujo tiene esa etapa" },
  not_printable: {
    message: "must be 1 to 255 printable ASCII characters",
    spanish: "debe tener de 1 a 255 caracteres ASCII imprimibles",
  },
  not_a_target: {
    message: "The host is not on the public internet.",
    spanish: "no es una dirección https pública",
  },
  not_a_date: {
    message: "This is not a date from 2000 to 2099.",
    spanish: "debe ser una fecha de 2000 a 2099",
  },
  not_a_time: {
    message: "This is not a date and time from 2000 to 2099.",
    spanish: "debe ser una fecha y hora de 2000 a 2099",
  },
  skipped_time: {
    message: "This time does not exist in {time_zone}: the clocks go forward then.",
    spanish: "esa hora no existe en {time_zone} por el cambio de hora",
  },
  past_time: { message: "This time is in the past.", spanish: "ya ha pasado" },
  end_out_of_range: {
    message: "A viewing ends after it starts, and within a day.",
    spanish: "tiene que ser después del comienzo y en menos de un día",
  },
  ends_before_it_begins: {
    message: "must be after starts_from",
    spanish: "debe ser posterior a starts_from",
  },
} as const satisfies Record<string, Sentences>;

export const ISSUES = { ...CONTRACT_ISSUES, ...RULE_ISSUES };
export type IssueCode = keyof typeof ISSUES;
export type IssueValues = Record<string, string | number>;

/** The sentence for an issue, with its values filled in. */
export function sentenceOf(
  code: IssueCode,
  language: keyof Sentences,
  values: IssueValues = {},
): string {
  return ISSUES[code][language].replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** How a contract's own check reports an issue: in English, with the code that leads to other languages. */
export function issue(code: keyof typeof CONTRACT_ISSUES, values: IssueValues = {}) {
  return { error: sentenceOf(code, "message", values), params: { issue: code, values } };
}

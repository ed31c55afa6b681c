import type { Qualification } from "../../../types/contracts/qualification.ts";

type Temperature = NonNullable<Qualification["temperature"]>;

const MONEY_READY =
  /\b(?:hipoteca (?:ya )?(?:pre)?(?:aprobada|concedida)|(?:pre)?aprobada la hipoteca|al contado|financiaci[oó]n (?:ya )?(?:aprobada|resuelta|concedida|lista)|pago en efectivo|sin (?:necesidad de )?(?:hipoteca|financiaci[oó]n)|mortgage (?:is )?(?:already )?(?:pre-?)?(?:approved|in place|agreed)|(?:pre-?)?approved (?:for a )?mortgage|cash buyers?|in cash|proof of funds|funds (?:are )?(?:ready|available)|hacer una oferta|make an offer|dejar (?:una )?se[ñn]al|reservarl[oa]|contrato indefinido y n[oó]minas)\b/iu;
const WANTS_TO_SEE =
  /\b(?:visit\w*|verl[oa]s?|ver (?:el|la|este|esta|los|las|su) |cita|quedar|view(?:ing)?s?|see (?:it|the|this)|come and see|ense[ñn]ar\w*|appointment)\b/iu;
const ONLY_LOOKING =
  /\b(?:solo (?:estoy |estamos )?mirando|por curiosidad|simple curiosidad|just (?:looking|browsing|curious)|out of curiosity|hacerme una idea|get an idea|de momento (?:solo|s[oó]lo)|a[uú]n no (?:lo )?(?:tengo|tenemos) claro|not sure yet|no s[eé] si)\b/iu;

/** How likely a lead is to close, by what it says about time, money and visits. */
export function findTemperature(
  text: string,
  found: Pick<Qualification, "urgency" | "intent" | "budget_max" | "bedrooms_min" | "zone">,
): Temperature | undefined {
  if (found.urgency === "later" || ONLY_LOOKING.test(text)) return "cold";
  if (found.urgency === "immediate" || MONEY_READY.test(text)) return "hot";
  const isDefinite =
    WANTS_TO_SEE.test(text) ||
    found.intent !== null ||
    found.budget_max !== null ||
    found.bedrooms_min !== null;
  return isDefinite ? "warm" : undefined;
}

import type { Qualification } from "../../../types/contracts/qualification.ts";

type Urgency = NonNullable<Qualification["urgency"]>;

/** In this order: "no es urgente" has the word of the opposite in it. */
const SIGNS: [Urgency, RegExp][] = [
  [
    "later",
    /\b(?:sin (?:ninguna )?prisas?|no (?:hay|tenemos|tengo|llevo|corre|me corre|es)(?: ninguna| mucha)? (?:prisa|urgente|urgencia)|m[áa]s adelante|(?:el|para el) (?:a[ñn]o que viene|pr[oó]ximo a[ñn]o)|dentro de (?:un|dos|tres|1|2|3) a[ñn]os?|en un a[ñn]o|en (?:un par de|dos|tres|2|3) a[ñn]os|solo (?:estoy |estamos )?mirando|de momento (?:solo|s[oó]lo)|no (?:rush|hurry)|not (?:in a (?:rush|hurry)|urgent)|in no (?:rush|hurry)|next year|just (?:looking|browsing|curious)|in (?:a year|two years|a couple of years)|sometime|some day|alg[uú]n d[ií]a|a largo plazo|long term plan)\b/iu,
  ],
  [
    "immediate",
    /\b(?:urgen\w*|urge\b|me urge|nos urge|cuanto antes|lo antes posible|lo m[áa]s pronto posible|cuanto m[áa]s r[áa]pido|inmediat\w*|de inmediato|ya mismo|ahora mismo|esta (?:misma )?semana|este (?:mismo )?mes|la semana que viene|la pr[oó]xima semana|(?:antes de|a) (?:fin|final|finales) de(?:l)? mes|a[ -]?s[ -]?a[ -]?p|as soon as possible|immediate\w*|right away|straight ?away|this (?:week|month)|next week|before the end of (?:the|this) month|by the end of (?:the|this) month|within (?:a|two|three|2|3) weeks?|en (?:una|dos|tres|1|2|3) semanas?|hoy mismo|ma[ñn]ana mismo)\b/iu,
  ],
  [
    "soon",
    /\b(?:pr[oó]xim[oa]s? (?:mes|meses|semanas)|mes que viene|en (?:un|uno o dos|dos|tres|cuatro|un par de|pocos|2|3|4|2-3) mes(?:es)?|dentro de (?:un|dos|tres|cuatro|2|3|4|poco)(?: mes(?:es)?)?|antes de(?:l)? (?:verano|curso|septiembre|navidad\w*|a[ñn]o nuevo|fin de a[ñn]o|que acabe el a[ñn]o|enero|febrero|marzo|abril|mayo|junio|julio|agosto|octubre|noviembre|diciembre)|(?:a partir de|para|en) (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)|next month|next (?:few|couple of) (?:weeks|months)|coming (?:weeks|months)|(?:with)?in (?:the next )?(?:a month|a couple of months|two|three|four|2|3|4|2-3)(?: months)?|before (?:the )?(?:summer|school|christmas|september|january|february|march|april|may|june|july|august|october|november|december)|(?:from|in) (?:january|february|march|april|may|june|july|august|september|october|november|december)|by (?:the )?(?:summer|christmas|january|february|march|april|may|june|july|august|september|october|november|december))\b/iu,
  ],
];

/** How soon a person wants to move, as the text says it. */
export function findUrgency(text: string): Urgency | undefined {
  return SIGNS.find(([, pattern]) => pattern.test(text))?.[0];
}

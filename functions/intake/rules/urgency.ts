import type { Qualification } from "../../../types/contracts/qualification.ts";

type Urgency = NonNullable<Qualification["urgency"]>;

const MONTH =
  "(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|january|february|march|april|may|june|july|august|september|october|november|december)";
const FEW = "(?:un|uno o dos|dos|tres|cuatro|cinco|seis|un par de|pocos|unos|2|3|4|5|6|2-3)";

const LATER = anyOf(
  "sin (?:ninguna |mucha )?prisas?",
  "(?:no|tampoco) (?:nos |me )?(?:hay|tenemos|tengo|llevo|llevamos|corre|es)(?: ninguna| mucha| excesiva)? (?:prisa|urgente|urgencia)",
  "(?:con|mucha) calma|sin agobios?|poco a poco|tranquilamente",
  "m[áa]s adelante|a (?:medio|largo) plazo|long term plan",
  "(?:el|para el) (?:a[ñn]o que viene|pr[oó]ximo a[ñn]o)|next year",
  "(?:dentro de|de aqu[íi] a|en) (?:un|dos|tres|1|2|3|un par de) a[ñn]os?|in (?:a year|a few years|several years|(?:\\w+ or )?(?:two|three|four|five) years|a couple of years)",
  "solo (?:estoy |estamos )?mirando|de momento (?:solo|s[oó]lo)|just (?:looking|browsing|curious)",
  "(?:est(?:oy|amos) )?(?:empezando|comenzando) a (?:mirar|ver|buscar|informar\\w*)|solo (?:para )?informarme",
  "(?:dej\\w+|queda\\w*) (?:aparcad[oa]|en pausa|para m[áa]s adelante)|aplaz\\w+|pospon\\w+",
  "cuando (?:salga|surja|aparezca) (?:algo|la adecuada|el adecuado)",
  "no (?:great |particular |real )?(?:rush|hurry|pressure)|not (?:in (?:a|any) (?:rush|hurry)|urgent)|in no (?:rush|hurry)",
  "tak(?:e|ing) (?:my|our) time|early (?:days|stages?)|research (?:stage|phase)|on hold|when the right (?:one|place|house|flat) comes",
  "sometime|some day|one of these days|alg[uú]n d[ií]a|nothing concrete|nada concreto",
);

const IMMEDIATE = anyOf(
  "urgen\\w*|urge\\b|me urge|nos urge|(?:me|nos) corre (?:mucha )?prisa|(?:tengo|tenemos|llevo|llevamos) (?:mucha |algo de |bastante )?prisa",
  "cuanto antes|lo antes posible|lo m[áa]s pronto posible|cuanto m[áa]s r[áa]pido|a[ -]?s[ -]?a[ -]?p|as soon as possible",
  "inmediat\\w*|de inmediato|ya mismo|ahora mismo|immediate\\w*|right (?:away|now)|straight ?away",
  "hoy mismo|ma[ñn]ana mismo|esta (?:misma )?semana|este (?:mismo )?mes|la semana que (?:viene|entra)|la pr[oó]xima semana",
  "this (?:week|month)|next week|(?:with)?in (?:the next )?(?:a few |a couple of )?days|(?:with)?in (?:a|two|three|2|3) weeks?",
  "en (?:pocos|unos|cuesti[oó]n de|diez|quince|10|15) d[ií]as|en (?:una|dos|tres|1|2|3) semanas?",
  "(?:antes de|a) (?:fin|final|finales) de(?:l)? mes|(?:before|by) the end of (?:the|this) month|at the end of this month",
  // People who must leave a home by a day of this month need another one by then.
  "(?:(?:contrato|alquiler)[^.\\n]{0,20} (?:acaba|vence|termina|finaliza|cumple)|(?:acaba|vence|termina|finaliza|cumple) (?:el|mi|nuestro) (?:contrato|alquiler)|dejar\\w*|entregar\\w*|salir|desalojar\\w*|irnos|irme)[^.\\n]{0,40} el d[ií]a \\d{1,2}(?! de)",
  "(?:me|nos) echan|(?:must|have to|need to|got to) be out|evict\\w*|kick(?:ed|ing) (?:me|us) out",
  "(?:entrar|mudar\\w*|instalar\\w*|firm(?:ar\\w*|amos|o))[^.\\n]{0,20} (?:ya|hoy|ma[ñn]ana)",
  "(?:mov(?:e|ing)(?: in)?|sign|complete)[^.\\n]{0,15} (?:now|today|tomorrow)",
);

const SOON = anyOf(
  `pr[oó]xim[oa]s? (?:\\w+ )?(?:mes|meses|semanas)|mes que viene|(?:en|dentro de) ${FEW} mes(?:es)?|dentro de poco|en medio a[ñn]o`,
  "(?:pr[oó]ximo curso|curso que viene|empie(?:za|ce) el curso|nuevo curso|school year|term (?:starts|begins)|new term)",
  `antes de(?:l)? (?:curso|navidad\\w*|reyes|semana santa|a[ñn]o nuevo|fin de a[ñn]o|que acabe el a[ñn]o|${MONTH})`,
  `(?:a partir de|para|en|desde)(?:l)?(?: el)?(?: mes de| principios de| mediados de| finales de| \\d{1,2} de)? ${MONTH}|el (?:d[ií]a )?(?:\\d{1,2}|uno|primero) de ${MONTH}`,
  "(?:antes de|en|para|este|esta|despu[ée]s de)(?:l)?(?: la)?(?: pr[oó]xim[oa])? (?:primavera|verano|oto[ñn]o|invierno|navidad\\w*|semana santa)",
  "next month|next (?:few|couple of) (?:weeks|months)|coming (?:weeks|months)",
  "(?:with)?in (?:the next )?(?:a month|a couple of months|(?:two|three|four|five|six|2|3|4|5|6|2-3) months)",
  `(?:from|in|by|before|on|after)(?: the)?(?: (?:beginning|start|middle|end) of| early| mid| late)?(?: \\d{1,2}(?:st|nd|rd|th)?(?: of)?)? ${MONTH}`,
  "(?:in|by|before|after|at|this|over|through|spend(?:ing)?)(?: the)?(?: coming)? (?:spring|summer|autumn|winter|christmas|easter|new year)|before (?:the )?school",
);

/** In this order, since "no es urgente" contains "urgente". */
const SIGNS: [Urgency, RegExp][] = [
  ["later", LATER],
  ["immediate", IMMEDIATE],
  ["soon", SOON],
];

/** How soon a person wants to move, according to the text. */
export function findUrgency(text: string): Urgency | undefined {
  return SIGNS.find(([, pattern]) => pattern.test(text))?.[0];
}

function anyOf(...patterns: string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\d])(?:${patterns.join("|")})(?![\\p{L}\\d])`, "iu");
}

import { type Amount, amountsIn, SMALL_NUMBER, smallNumber } from "./numbers.ts";

/** Words before a sum that always make it the maximum a person would pay. */
const MAXIMUM =
  "presupuest\\w*|pressupost\\w*|budget\\w*|m[áaà]xim[oa]?|max(?:imum|imal\\w*)?\\.?|h[öo]chstens|obergrenze|com a molt|como mucho|tope|techo|l[ií]mite|limit|ceiling|cap|at most|(?:da|alcanza) para";

/** Words that do so unless the sum is called a price, an income or savings. */
const LIKELY_MAXIMUM = [
  "hasta|up to|fins a|bis(?: zu)?|nicht mehr als|no m[ée]s de|unter|menys de|no more than|no m[áa]s de|inferior(?:es)? a|por debajo de|menos de|under|below|less than",
  // "sin pasar de", "no nos pasamos de", "no quiero pasarme de", "no podemos subir de".
  "(?:sin|no|ni|nunca)(?: \\p{L}+){0,3} (?:pas|sub|super|exced|sal|ir)\\p{L}* (?:de|los|a)|que no supere",
  "(?:can(?:'|’|no)?t|cannot|won(?:'|’)?t|don(?:'|’)?t want to|not) (?:go|stretch|pay|spend) (?:over|above|beyond|more than|past)",
  "(?:llego|llegamos|llega) (?:para|hasta)|llegar (?:a|hasta)|(?:approved|concedida|aprobada) (?:for|por|de|hasta)|stretch to|go (?:up )?to",
  "bezahlen|zahlen|ausgeben|kaltmiete|warmmiete|puc|podem|disposem de",
  "afford|permit\\p{L}+|spend|gast(?:ar\\p{L}*|o|amos)|pag(?:ar\\p{L}*|o|amos)|pay\\w*|invertir|invest",
  "(?:doy|damos|dar[íi]a(?:mos)?|ofrezco|ofrecemos|ofrecer(?:[íi]a(?:mos)?|os|le)?|offer(?:ing)?)",
  "disponemos de|dispongo de|cuento con|contamos con|tenemos|tengo|manej(?:o|amos)|mov(?:er|emos|erme|ernos)\\p{L}*",
  "alrededor de|en torno a|sobre los|around|about|roughly|in the region of|rango|range|entre|between",
].join("|");
const MAXIMUM_BEFORE = new RegExp(
  `(?<!\\p{L})(?:(?<certain>${MAXIMUM})|${LIKELY_MAXIMUM})(?!\\p{L})`,
  "giu",
);

/** Words after a sum that do the same, possibly after "al mes" and the like. */
const MAXIMUM_AFTER = new RegExp(
  `^[\\s,)/]{0,3}(?:${[
    "al mes|mes|mensual(?:es)?|im monat|monatlich|pro monat|a month|per month|pcm|en total|in total|todo incluido|all in",
    "con gastos(?: incluidos)?|entre (?:todos|los \\p{L}+)|gastos incluidos|(?:taxes|impuestos) (?:incluidos|included)",
  ].join("|")})?[\\s,)]{0,3}(?:${[
    "com(?:o)? (?:a )?(?:m[áaà]xim(?:o)?|mucho|molt|tope)|m[áaà]xim(?:o)?|maximal|h[öo]chstens|max|maximum|tope|at most|de presupuesto|budget|or less|o menos|tops",
    "(?:is|es|ser[íi]a) (?:my|our|the|mi|nuestro|el) (?:absolute |upper )?(?:limit|l[ií]mite|budget|presupuesto|maximum|m[áa]ximo|ceiling|tope|techo|most)",
    "(?:y )?(?:yo |nosotros )?(?:no|ni) (?:\\p{L}+ ){0,2}(?:pas|sub)(?:o|amos|ar\\p{L}*|imos|ir\\p{L}*)",
    "(?:y )?(?:ni|no) (?:un euro |uno )?m[áa]s|(?:and )?(?:no|not a penny|not one euro) more",
    "[^.;\\n]{0,45}\\b(?:de ah[íi] no|no (?:puedo|podemos) (?:m[áa]s|(?:pasar|subir) de ah[íi])|can(?:'|’|no)?t (?:go|stretch) (?:over|above|beyond|past) (?:that|it))",
    "(?:and )?that(?:'|’)?s (?:my|our|the) (?:limit|maximum|most|ceiling)",
    "(?:is|was) as (?:far|high|much) as|es (?:hasta )?(?:donde|lo m[áa]s que|todo lo que) (?:llego|llegamos|puedo|podemos|tengo|tenemos)",
  ].join("|")})(?!\\p{L})`,
  "iu",
);

/** Rents are monthly, which alone sets them apart from most other sums. */
const MONTHLY =
  /^\s?\/?\s?(?:€|euros?)?\s?(?:al mes|mes|mensual(?:es)?|im monat|monatlich|pro monat|a month|per month|month|pcm)(?!\p{L})/iu;

/** Words of searching, or of estimating, before a monthly sum make it what a person would pay. */
const SOUGHT =
  /(?<!\p{L})(?:busc(?:o|a|amos|ando)|quer(?:emos|r[íi]a(?:mos)?)|quiero|necesit(?:o|amos|ar[íi]a(?:mos)?)|me gustar[íi]a|nos gustar[íi]a|looking|searching|need|want|would like)(?!\p{L})|(?:unos|unas|around|about|roughly)\s$/iu;

/** Words that make a monthly sum the rent of an existing home, or an income. */
const OTHER_MONTHLY =
  /(?<!\p{L})(?:(?:el|la|del|este|esta|ese|esa|su|vuestr[oa]|mi|the|this|that|your|my) (?:\p{L}+ ){0,2}(?:piso|casa|[áa]tico|estudio|apartamento|vivienda|inmueble|anuncio|flat|house|apartment|studio|home|place|property|listing|advert|one)|vist[oa]s?|vi|vimos|saw|seen|cuest\p{L}+|costs?|vale|cobr\p{L}+|make|makes|paid)(?!\p{L})/iu;

/** Words that make a number something other than money. */
const NOT_MONEY =
  /^\s?(?:m2|m²|metros|sqm|sq|square|km|minutos|minutes|min\b|a[ñn]os|years|habitaciones|habs?\b|dormitorios|dorms?\b|bedrooms?|beds?\b|ba[ñn]os|baths?|personas|people|hijos|kids|children|semanas|weeks|meses|months|d[ií]as|days|plantas?|%|h\b|pm\b|am\b|[º°ª])/iu;

/** Words that make a sum the price of a property, an income or a deposit instead. */
const OTHER_SUM =
  /(?:precio|price|asking|anunciad\w*|listed|publicad\w*|pid[eo]n?|pedimos|valorad\w*|valued|ingres\w*|gan(?:o|amos)|earn\w*|salary|sueldo|n[óo]mina|income|fianza|deposit|entrada de|ahorr\w*|savings|gastos de comunidad|comunidad de|ref\.?|referencia|tel[ée]fono|phone|tlf)[^.;\n]{0,25}$/iu;

const OTHER_SUM_AFTER =
  /^\s?(?:€|euros?)?\s?(?:ahorrad\w*|de ahorros|de entrada|saved|in savings|for (?:a|the) deposit|para la entrada)/iu;

/** Words after a sum that make it each person's share. */
const EACH =
  /^\s?(?:€|euros?)?\s?(?:al mes |mensuales |a month |im monat )?(?:(?:por|per) (?:persona|cabeza|barba|head|person|cap)|(?:para |por )?cada (?:un[oa]|persona)|cadascun?a?|each|apiece|a head|pro (?:person|kopf))(?!\p{L})/iu;

/** How many they are: all of them, or the writer's friends. */
const ALL_OF_THEM = new RegExp(
  `(?<!\\p{L})(?:somos|seremos|ser[íi]amos|som|we(?:'|’| a)re|there are|wir sind|entre(?: los| las)?|nosotr[oa]s|l[oa]s|els|les|the) (${SMALL_NUMBER})(?!\\p{L}| (?:a[ñn]os|meses|d[íi]as|semanas|habitaciones|dormitorios|years|months|bedrooms))`,
  "iu",
);
const FRIENDS = new RegExp(
  `(?<with>(?:con|with|amb|mit) (?:\\p{L}+ )?)?(?<!\\p{L})(?<count>${SMALL_NUMBER}) (?:\\p{L}+ )?(?:estudiantes|amig[oa]s|amigues|personas|persones|chic[oa]s|compa[ñn]er[oa]s|adultos|inquilin[oa]s|herman[oa]s|students|friends|people|adults|tenants|sharers|of us|personen|studenten|freunde)`,
  "iu",
);

const MAX_DISTANCE = 45;

/** The most a person would pay, if the text says so. */
export function findBudget(text: string): number | undefined {
  const amounts = amountsIn(text)
    .flatMap((amount) => ofAllPeople(amount, text))
    .filter((amount) => isPlausible(amount, text));
  const stated = amounts.filter(
    (amount) => isMaximum(amount, text) || isRange(amount, amounts, text),
  );
  // Of a range the upper end counts, and of several statements the highest.
  const best = stated.map((amount) => upperEnd(amount, amounts, text));
  return best.length > 0 ? Math.max(...best) : undefined;
}

/** "Somos tres, 300 euros cada uno": what all of them pay; nothing if the text does not say how many they are. */
function ofAllPeople(amount: Amount, text: string): Amount[] {
  const each = EACH.exec(text.slice(amount.end, amount.end + 60));
  if (each === null) return [amount];
  const people = peopleIn(text);
  if (people === undefined) return [];
  const end = amount.end + each[0].length;
  return [{ ...amount, value: amount.value * people, end, isMoney: true, isShared: true }];
}

function peopleIn(text: string): number | undefined {
  const all = ALL_OF_THEM.exec(text)?.[1];
  if (all !== undefined) return smallNumber(all);
  const { with: beside, count } = FRIENDS.exec(text)?.groups ?? {};
  const friends = smallNumber(count ?? "");
  return friends !== undefined && beside !== undefined ? friends + 1 : friends;
}

function isPlausible({ value, end, isMoney }: Amount, text: string): boolean {
  if (value < 200 || value > 1_000_000_000) return false;
  if (NOT_MONEY.test(text.slice(end))) return false;
  // A bare number may be a year, a postcode or a phone.
  return isMoney || (value >= 300 && value < 100_000_000 && !(value >= 1900 && value <= 2100));
}

function isMaximum(amount: Amount, text: string): boolean {
  if (MAXIMUM_AFTER.test(text.slice(amount.end))) return true;
  const before = sentenceBefore(text, amount.start);
  if (OTHER_SUM_AFTER.test(text.slice(amount.end))) return false;
  // What each of them pays is what they would pay, unless it is called something else.
  if (amount.isShared) return !OTHER_SUM.test(before);
  const cue = [...before.matchAll(MAXIMUM_BEFORE)].at(-1);
  if (cue === undefined) return isSoughtRent(amount, before, text);
  const other = OTHER_SUM.exec(before);
  // "con los ahorros, un presupuesto de": what stands nearer to the sum names it.
  if (other !== null && (cue.groups?.certain === undefined || cue.index < other.index))
    return false;
  const between = before.slice(cue.index + cue[0].length);
  return between.length <= MAX_DISTANCE && (amount.isMoney || between.length <= 20);
}

/** "Busco alquiler por 900 euros al mes": not called a maximum, but it is what the search is for. */
function isSoughtRent(amount: Amount, before: string, text: string): boolean {
  return (
    MONTHLY.test(text.slice(amount.end)) &&
    SOUGHT.test(before) &&
    !OTHER_MONTHLY.test(before) &&
    !OTHER_SUM.test(before)
  );
}

/** A price is one sum, so "pisos de 60.000 a 90.000" says what a person would pay. */
function isRange(amount: Amount, amounts: Amount[], text: string): boolean {
  return (
    upperEnd(amount, amounts, text) > amount.value &&
    !OTHER_SUM.test(sentenceBefore(text, amount.start))
  );
}

/** "entre 200 y 250 mil", "200.000-250.000 €": the sum that follows is the end of the range. */
function upperEnd(amount: Amount, amounts: Amount[], text: string): number {
  const next = amounts.find(({ start }) => start >= amount.end);
  if (next && /^\s?(?:-|–|a|y|o|to|and|or)\s?$/iu.test(text.slice(amount.end, next.start))) {
    return Math.max(amount.value, next.value);
  }
  return amount.value;
}

/** The sentence up to a position; a full stop inside a number or an abbreviation does not end it. */
function sentenceBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 90), at);
  const end = Math.max(...[...before.matchAll(/[.!?;]\s|\n\n/g)].map(({ index }) => index + 1), 0);
  return before.slice(end);
}

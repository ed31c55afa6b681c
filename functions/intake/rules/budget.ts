import { type Amount, amountsIn } from "./numbers.ts";

/** Words before a sum that make it the most a person would pay. */
const MOST =
  /(presupuest\w*|budget|m[áa]xim[oa]|max(?:imum)?\.?|como mucho|tope|hasta|l[ií]mite|up to|no more than|no m[áa]s de|sin pasar de|que no (?:pase|supere) de|que no supere|llegar (?:a|hasta)|(?:approved|concedida|aprobada) (?:for|por|de|hasta)|inferior(?:es)? a|por debajo de|menos de|under|below|less than|at most|afford|spend|gastar\w*|pagar\w*|pay\w*|invertir|invest|stretch to|go (?:up )?to|disponemos de|dispongo de|cuento con|contamos con|tenemos|tengo|alrededor de|en torno a|sobre los|around|about|rango|range|entre|between)/giu;

/** Words after a sum that do the same. */
const MOST_AFTER =
  /^[\s,)]{0,3}(?:como (?:m[áa]ximo|mucho|tope)|m[áa]ximo|max\b|maximum|max\.|tope|at most|de presupuesto|budget|or less|o menos|is (?:my|our) (?:limit|budget|maximum)|es (?:mi|nuestro) (?:l[ií]mite|tope|presupuesto))/iu;

/** Words that make a number something else than money. */
const NOT_MONEY =
  /^\s?(?:m2|m²|metros|sqm|sq|square|km|minutos|minutes|min\b|a[ñn]os|years|habitaciones|habs?\b|dormitorios|dorms?\b|bedrooms?|beds?\b|ba[ñn]os|baths?|personas|people|hijos|kids|children|semanas|weeks|meses|months|d[ií]as|days|plantas?|%|h\b|pm\b|am\b|[º°ª])/iu;

/** Words that make a sum the price of a property, an income or a deposit instead. */
const OTHER_SUM =
  /(?:precio|price|asking|anunciad\w*|listed|publicad\w*|pid[eo]n?|pedimos|valorad\w*|valued|ingres\w*|gan(?:o|amos)|earn\w*|salary|sueldo|n[óo]mina|income|fianza|deposit|entrada de|ahorr\w*|savings|gastos de comunidad|comunidad de|ref\.?|referencia|tel[ée]fono|phone|tlf)[^.;\n]{0,25}$/iu;

const OTHER_SUM_AFTER =
  /^\s?(?:€|euros?)?\s?(?:ahorrad\w*|de ahorros|de entrada|saved|in savings|for (?:a|the) deposit|para la entrada)/iu;

const HORIZON = 45;

/** The most a person would pay, as the text says it; undefined when it does not. */
export function findBudget(text: string): number | undefined {
  const amounts = amountsIn(text).filter((amount) => isPlausible(amount, text));
  const stated = amounts.filter((amount) => isCalledTheMost(amount, text));
  // Of a range the upper end counts, and of several statements the highest that the person is ready to reach.
  const best = stated.map((amount) => upperEnd(amount, amounts, text));
  return best.length > 0 ? Math.max(...best) : undefined;
}

function isPlausible({ value, end, isMoney }: Amount, text: string): boolean {
  if (value < 200 || value > 1_000_000_000) return false;
  if (NOT_MONEY.test(text.slice(end))) return false;
  // A bare number may be a year, a postcode or a phone.
  return isMoney || (value >= 300 && value < 100_000_000 && !(value >= 1900 && value <= 2100));
}

function isCalledTheMost(amount: Amount, text: string): boolean {
  if (MOST_AFTER.test(text.slice(amount.end))) return true;
  const before = sentenceBefore(text, amount.start);
  if (OTHER_SUM.test(before) || OTHER_SUM_AFTER.test(text.slice(amount.end))) return false;
  const cues = [...before.matchAll(MOST)];
  const cue = cues.at(-1);
  if (cue === undefined) return false;
  const between = before.slice(cue.index + cue[0].length);
  return between.length <= HORIZON && (amount.isMoney || between.length <= 20);
}

/** "entre 200 y 250 mil", "200.000-250.000 €": the sum that follows is the end of the range. */
function upperEnd(amount: Amount, amounts: Amount[], text: string): number {
  const next = amounts.find(({ start }) => start >= amount.end);
  if (next && /^\s?(?:-|–|a|y|o|to|and|or)\s?$/iu.test(text.slice(amount.end, next.start))) {
    return Math.max(amount.value, next.value);
  }
  return amount.value;
}

/** What stands before a place in its sentence; a full stop inside a number or after an abbreviation ends none. */
function sentenceBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - 90), at);
  const end = Math.max(...[...before.matchAll(/[.!?;]\s|\n\n/g)].map(({ index }) => index + 1), 0);
  return before.slice(end);
}

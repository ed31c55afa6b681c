import { SMALL_NUMBER, smallNumber } from "./numbers.ts";

const ROOMS =
  "(?:habitaci(?:[oó](?:n(?:es)?)?|ons)|habs?\\b\\.?|dormitori(?:os?|s)?|schlafzimmern?|zimmern?|dorms?\\b\\.?|cuartos\\b(?! de ba)|alcobas?|bed\\s?-?rooms?|beds?\\b|br\\b|rooms?\\b)";
const COUNT = new RegExp(
  `(?<![\\p{L}\\d.,])(${SMALL_NUMBER})(?:\\s?(?:\\/|-|–|o|u|or|to|a|y)\\s?${SMALL_NUMBER})?[\\s-]?(?:\\+\\s?)?(?:\\w{5,9}\\s)?${ROOMS}`,
  "iu",
);
const STUDIO =
  /\b(?:un|alg[uú]n|apartamento tipo) (?:estudio|loft)\b(?! de (?:mercado|abogad|arquitect))|\b(?:a|any) studio\b|\bstudio (?:flat|apartment)\b/iu;

/** "Al menos 4 habitaciones" is a wish, whatever else the text counts. */
const AT_LEAST = new RegExp(
  `(?<!\\p{L})(?:al menos|como m[íi]nimo|un m[íi]nimo de|m[íi]nimo|at least|minimum(?: of)?|com a m[íi]nim|almenys|mindestens) (?:de )?(${SMALL_NUMBER})[\\s-]?(?:\\p{L}{5,9}\\s)?${ROOMS}`,
  "iu",
);

/** The fewest bedrooms a person accepts, according to the text; 0 for a studio. */
export function findBedrooms(text: string): number | undefined {
  const count = (AT_LEAST.exec(text) ?? COUNT.exec(text))?.[1];
  if (count !== undefined) return smallNumber(count);
  return STUDIO.test(text) ? 0 : undefined;
}

import { parseFigure, SPANISH_NUMBERS } from "../../_shared/spanish_numbers.ts";

const SMALL: Record<string, number> = {
  ...SPANISH_NUMBERS,
  dues: 2,
  quatre: 4,
  cinc: 5,
  zwei: 2,
  drei: 3,
  vier: 4,
  fünf: 5,
  a: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
};

/** Small numbers as words, for use inside a pattern. */
export const SMALL_NUMBER = `(?:\\d{1,2}|${Object.keys(SMALL)
  .filter((word) => word.length > 1)
  .join("|")})`;

/** The value of digits or of a number word. */
export function smallNumber(word: string): number | undefined {
  const known = SMALL[word.toLowerCase()];
  if (known !== undefined) return known;
  return /^\d{1,2}$/.test(word) ? Number(word) : undefined;
}

/** A sum of money in a text. */
export interface Amount {
  value: number;
  start: number;
  end: number;
  /** Whether a currency or a multiplier is next to it. */
  isMoney: boolean;
  /** Whether it is the total of several people's shares. */
  isShared?: boolean;
}

const FIGURE =
  /(?<![\p{L}\d.,])(?<before>[€$£]\s?|eur(?:os?)?\s)?(?<figure>\d{1,3}(?:[.\s'’]\d{3})+(?:,\d{1,2})?|\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+(?:[.,]\d{1,2})?)(?:\s?(?<times>millones|mill[oó]n|millions?|millionen|milions|mili[óo]|mln|mio\.?|tausend|thousand|grand|mil|m|k))?(?:\s?(?:de\s)?(?<after>€|euros?|eur|eurillos|£|\$))?(?![\p{L}\d])/giu;

const TIMES: Record<string, number> = {
  k: 1000,
  mil: 1000,
  tausend: 1000,
  thousand: 1000,
  grand: 1000,
  m: 1_000_000,
  mln: 1_000_000,
};

const WORDS: [RegExp, number][] = [
  [/\bmedio mill[oó]n\b|\bhalf a million\b/giu, 500_000],
  [
    /\b(?:un mill[oó]n|a million|one million)\b(?! (?:y medio|and a half|de gracias|de besos|thanks))/giu,
    1_000_000,
  ],
  [/\b(?:un mill[oó]n y medio|a million and a half)\b/giu, 1_500_000],
];

const HUNDREDS =
  "cien doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos".split(
    " ",
  );
const TENS = "diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(" ");
const SPELLED = new RegExp(
  `\\b(?:(${HUNDREDS.join("|")}|ciento)(?: (${TENS.join("|")}))?|(${TENS.slice(1).join("|")})) mil\\b(?: (${HUNDREDS.join("|")}|ciento)\\b)?`,
  "giu",
);

/** The sums in a text, in figures or in words, in order. */
export function amountsIn(text: string): Amount[] {
  const amounts: Amount[] = [];
  for (const match of text.matchAll(FIGURE)) {
    const { before, figure = "", times, after } = match.groups ?? {};
    const plain = parseFigure(figure);
    const factor = times ? (TIMES[times.toLowerCase()] ?? 1_000_000) : 1;
    // "120 m" is a length, "1,2 M" is money.
    if (times === "m" && (plain >= 20 || !(before || after))) continue;
    amounts.push({
      value: Math.round(plain * factor * 100) / 100,
      start: match.index,
      end: match.index + match[0].length,
      isMoney: Boolean(before || after || times),
    });
  }
  for (const [pattern, value] of WORDS) {
    for (const { index, 0: words } of text.matchAll(pattern)) {
      amounts.push({ value, start: index, end: index + words.length, isMoney: true });
    }
  }
  for (const match of text.matchAll(SPELLED)) {
    const [words, hundreds, tens, tensOnly, rest] = match;
    const thousands = hundredsValue(hundreds) + tensValue(tens ?? tensOnly);
    const value = thousands * 1000 + hundredsValue(rest);
    amounts.push({ value, start: match.index, end: match.index + words.length, isMoney: true });
  }
  return amounts.sort((a, b) => a.start - b.start);
}

function hundredsValue(word: string | undefined): number {
  if (!word) return 0;
  return word.toLowerCase() === "ciento" ? 100 : (HUNDREDS.indexOf(word.toLowerCase()) + 1) * 100;
}

function tensValue(word: string | undefined): number {
  return word ? (TENS.indexOf(word.toLowerCase()) + 1) * 10 : 0;
}

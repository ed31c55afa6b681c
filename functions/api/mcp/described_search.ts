import { MAX_AMOUNT } from "../../../types/contracts/fields.ts";
import { parseFigure, SPANISH_NUMBERS } from "../../_shared/spanish_numbers.ts";

/** What a description asks for, as far as its words alone tell. */
interface DescribedSearch {
  listing_type?: "sale" | "rent";
  property_types?: string[];
  price_min?: number;
  price_max?: number;
  bedrooms_min?: number;
  bathrooms_min?: number;
  area_min_m2?: number;
}

const NUMBER_WORDS: Record<string, number> = SPANISH_NUMBERS;
const COUNT = `(\\d{1,2}|${Object.keys(NUMBER_WORDS).join("|")})`;
const MONEY =
  "(\\d{1,3}(?:[.,' ]\\d{3})+|\\d+(?:[.,]\\d{1,2})?) ?(k|mil|m|millon(?:es)?)?\\b ?(?:€|euros?|eur\\b)?";
/** A number after "hasta" is a price unless it counts something else. */
const NOT_MONEY = "(?! ?(?:m2|m²|metros|hab|dorm|bano|aseo))";

const TYPES: [RegExp, string][] = [
  [/\b(?:pisos?|apartamentos?)\b/g, "flat"],
  [/\b(?:casas?|chalets?|adosados?|villas?|unifamiliar(?:es)?|masias?)\b/g, "house"],
  [/\baticos?\b/g, "penthouse"],
  [/\b(?:duplex|triplex)\b/g, "duplex"],
  [/\b(?:estudios?|lofts?)\b/g, "studio"],
  [/\boficinas?\b/g, "office"],
  [/\b(?:local(?:es)?(?: comercial(?:es)?)?|bajos? comercial(?:es)?)\b/g, "premises"],
  [/\b(?:plazas? de garaje|plazas? de aparcamiento|cocheras?)\b/g, "garage"],
  [/\btrasteros?\b/g, "storage"],
  [/\b(?:terrenos?|solar(?:es)?|parcelas?|fincas?)\b/g, "land"],
  [/\bedificios?\b/g, "building"],
];
const RENT =
  /\b(?:en |de |para )?(?:alquiler(?:es)?|alquilar|arrendar|al mes|mensual(?:es)?)\b|\/ ?mes\b/g;
const SALE = /\b(?:en |a la )?(?:venta|vender)\b|\b(?:para )?comprar?\b/g;
/** Words that say nothing about a home. */
const NOISE = new Set(
  (
    "a al algo alguna alguno busca buscan buscar busco buscamos ciudad cliente como con cerca de del dentro desde " +
    "e el ella en entre es esta este hasta hay inmueble inmuebles la las lo los maximo mas max me menos min minimo " +
    "muestrame necesita necesito o para partir pero por precio presupuesto propiedad propiedades que quiere quiero " +
    "se si sin sobre su tenga tengan tiene tienen un una unas uno unos vivienda viviendas y ya zona barrio"
  ).split(" "),
);
const MAX_WORDS = 12;

/**
 * Reads a search as people say it in Spanish ("piso de 3 habitaciones en Ruzafa, hasta 300.000, con terraza") into
 * filters, and returns the remaining words: places, which only the agency's stock can tell, and features, which are
 * searched as text.
 */
export function readDescribedSearch(description: string): {
  filters: DescribedSearch;
  words: string[];
} {
  const rest = new Remainder(description);
  const filters: DescribedSearch = {
    ...rooms(rest),
    ...area(rest),
    ...price(rest),
    ...listingType(rest),
    ...propertyTypes(rest),
  };
  // Rents and prices do not overlap: nobody sells a home for 1,200 €.
  if (filters.listing_type === undefined && filters.price_max !== undefined) {
    filters.listing_type = filters.price_max < 10_000 ? "rent" : "sale";
  }
  return { filters, words: rest.words() };
}

function rooms(rest: Remainder): DescribedSearch {
  const bedrooms = rest.take(
    new RegExp(
      `\\b${COUNT} (?:o mas )?(?:hab(?:itacion(?:es)?|s)?|dorm(?:itorios?|s)?|cuartos|alcobas)\\b\\.?`,
    ),
  );
  const bathrooms = rest.take(new RegExp(`\\b${COUNT} (?:o mas )?(?:banos?|aseos?)\\b`));
  return {
    ...(bedrooms ? { bedrooms_min: count(bedrooms[1]) } : {}),
    ...(bathrooms ? { bathrooms_min: count(bathrooms[1]) } : {}),
  };
}

function area(rest: Remainder): DescribedSearch {
  const found = rest.take(
    /\b(?:(?:de |a partir de |desde |mas de |minimo |al menos )*)(\d{2,5}) ?(?:m2|m²|metros(?: cuadrados)?)(?![a-z])/,
  );
  return found ? { area_min_m2: Number(found[1]) } : {};
}

function price(rest: Remainder): DescribedSearch {
  const range = rest.take(new RegExp(`\\b(?:entre|de) ${MONEY} (?:y|a) ${MONEY}`));
  if (range) {
    const upper = sum(range[3], range[4]);
    // "entre 200 y 300 mil": a unit said once applies to both.
    const lower = sum(range[1], range[2] ?? (Number(range[1]) < 1000 ? range[4] : undefined));
    if (lower <= upper) return { price_min: lower, price_max: upper };
  }
  const ceiling = rest.take(
    new RegExp(
      `\\b(?:(?:precio |presupuesto )?(?:de )?(?:hasta|maximo|max\\.?|menos de|por debajo de|como mucho|no mas de|presupuesto(?: de)?|por))(?: de)? ${MONEY}${NOT_MONEY}`,
    ),
  );
  const floor = rest.take(
    new RegExp(`\\b(?:desde|a partir de|mas de|por encima de|minimo)(?: de)? ${MONEY}${NOT_MONEY}`),
  );
  const alone = ceiling
    ? undefined
    : rest.take(/\b(\d{1,3}(?:[.,]\d{3})+|\d+)() ?(?:€|euros\b|eur\b)/);
  const upper = ceiling ?? alone;
  return {
    ...(upper ? { price_max: sum(upper[1], upper[2]) } : {}),
    ...(floor ? { price_min: sum(floor[1], floor[2]) } : {}),
  };
}

function listingType(rest: Remainder): DescribedSearch {
  const rent = rest.takeAll(RENT);
  const sale = rest.takeAll(SALE);
  if (rent === sale) return {};
  return { listing_type: rent ? "rent" : "sale" };
}

function propertyTypes(rest: Remainder): DescribedSearch {
  const types = TYPES.filter(([pattern]) => rest.takeAll(pattern)).map(([, type]) => type);
  // People who say "piso" also accept a penthouse or a duplex; only a database tells them apart.
  if (types.includes("flat")) types.push("penthouse", "duplex", "studio");
  return types.length > 0 ? { property_types: [...new Set(types)] } : {};
}

function count(word: string | undefined): number {
  return NUMBER_WORDS[word ?? ""] ?? Number(word);
}

function sum(digits: string | undefined, unit: string | undefined): number {
  const number = parseFigure(digits ?? "");
  const units =
    unit === "k" || unit === "mil"
      ? 1000
      : unit === "m" || unit?.startsWith("millon")
        ? 1_000_000
        : 1;
  // No price may be higher.
  return Math.min(number * units, MAX_AMOUNT);
}

/** A text from which the understood parts are cut out, one after the other. */
class Remainder {
  #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  take(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(plain(this.#text)) ?? undefined;
    if (found) this.#cut(found.index, found[0].length);
    return found;
  }

  takeAll(pattern: RegExp): boolean {
    const all = [...plain(this.#text).matchAll(pattern)];
    for (const found of all) this.#cut(found.index, found[0].length);
    return all.length > 0;
  }

  words(): string[] {
    const words = this.#text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
    return words.filter((word) => !NOISE.has(plain(word))).slice(0, MAX_WORDS);
  }

  #cut(start: number, length: number): void {
    this.#text = `${this.#text.slice(0, start)}${" ".repeat(length)}${this.#text.slice(start + length)}`;
  }
}

/** Without case and accents. The length stays the same, so that a match can be cut out of the original. */
function plain(text: string): string {
  return Array.from({ length: text.length }, (_, at) => plainCharacter(text.charAt(at))).join("");
}

function plainCharacter(character: string): string {
  const lower = character.toLowerCase();
  const base = lower.normalize("NFD").charAt(0);
  return base.length === 1 && lower.length === 1 ? base : character;
}

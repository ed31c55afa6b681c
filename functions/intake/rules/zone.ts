import { PLACES } from "./places.ts";

const NAME =
  "\\p{Lu}[\\p{L}'’·]+(?:[ -](?:(?:de|del|de la|de los|de las|la|las|los|el|i) )?\\p{Lu}[\\p{L}'’·]+){0,3}";
const LIST = `${NAME}(?:\\s?(?:,|/|\\by\\b|\\bo\\b|\\be\\b|\\band\\b|\\bor\\b)\\s?(?:en |in |el |la )?${NAME}){0,4}`;
const INTRODUCED = [
  `(?:zonas?|barrios?|distritos?|urbanizaci[oó]n)(?:\\s(?:de|del|del barrio de|como|tipo|preferente|preferida|:)){0,2}(?:\\s(?:el|la))?:?\\s(${LIST})`,
  `(?:cerca de|alrededores de|centro de|por|around|near|close to|centre of|area of|areas? like|town of)\\s(?:el |la |the )?(${LIST})`,
  `(?:in|in the|around the)\\s(${LIST})(?= (?:area|district|neighbou?rhood))`,
  `(?:en|in|a)\\s(?:el |la |the )?(${LIST})`,
].map((pattern) => new RegExp(`(?<!\\p{L})${pattern}`, "gu"));

/** Where people who look for a home in Spain come from. */
const ABROAD =
  /^(?:Alemania|B[eé]lgica|Berl[ií]n|Bruselas|Dubl[ií]n|Escocia|Francia|Holanda|Inglaterra|Irlanda|Italia|Londres|Pa[ií]ses Bajos|Par[ií]s|Reino Unido|Suecia|Suiza|Belgium|Birmingham|Bristol|Brussels|Dublin|Edinburgh|England|France|Germany|Glasgow|Ireland|Italy|Leeds|Liverpool|London|Manchester|Netherlands|Norway|Noruega|Paris|Scotland|Sweden|Switzerland|United Kingdom|UK|Wales)(?![\p{L}])/u;

/** Capitalised words after "en" or "por" that are not places. */
const NO_PLACE =
  /^(?:Calle|C|Avenida|Avda|Plaza|Paseo|Carretera|Idealista|Fotocasa|Kyero|Internet|WhatsApp|Whatsapp|Inmobiliaria|Agencia|Enero|Febrero|Marzo|Abril|Mayo|Junio|Julio|Agosto|Septiembre|Octubre|Noviembre|Diciembre|January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Lunes|Martes|Mi[eé]rcoles|Jueves|Viernes|S[aá]bado|Domingo|Navidad|Christmas|English|Spanish|Espa[ñn]ol|Ingl[eé]s|Google|Facebook|Instagram|I|Venta|Alquiler|Buenos|Hola|Gracias|Favor|Summer|Easter|España|Spain|Piso|Casa|Chalet|Gmail|Milanuncios|Pisos|Habitaclia|Rightmove|Semana|Ref|Referencia)(?![\p{L}])/u;

const GAZETTEER = new RegExp(`(?<!\\p{L})(?:${PLACES.join("|")})(?!\\p{L})`, "giu");

/** Words before a place where the person lives, works or comes from. */
const ELSEWHERE =
  /(?:vivimos|vivo|live|living|trabajo|trabajamos|work|vengo|venimos|nos mudamos desde|mud\w+ de|moving from|come from|coming from|soy de|somos de|empresa de|company (?:from|in)|desde|from|am in|based in|residimos|resido|oficina)(?:\s\p{L}+){0,3}\s?$/iu;

const MAX_PLACES = 4;
const MAX_LENGTH = 200;

/** The towns and neighbourhoods where the person looks, separated by commas. */
export function findZone(text: string): string | undefined {
  const found = new Map<string, { name: string; at: number }>();
  const add = (name: string, at: number) => {
    if (ELSEWHERE.test(text.slice(Math.max(0, at - 60), at).replace(/\b(?:en|in|de|a)\s$/iu, "")))
      return;
    for (const key of found.keys()) if (key === fold(name) || key.includes(fold(name))) return;
    for (const [key, { at: other }] of found)
      if (fold(name).includes(key) && other === at) found.delete(key);
    found.set(fold(name), { name, at });
  };
  for (const pattern of INTRODUCED) {
    for (const match of text.matchAll(pattern)) {
      const list = match[1] ?? "";
      const start = match.index + match[0].indexOf(list);
      for (const one of list.matchAll(new RegExp(NAME, "gu"))) {
        if (!NO_PLACE.test(one[0]) && !ABROAD.test(one[0])) add(one[0], start + one.index);
      }
    }
  }
  for (const match of text.matchAll(GAZETTEER)) add(titled(match[0]), match.index);
  const names = [...found.values()].sort((a, b) => a.at - b.at).map(({ name }) => name);
  const zone = names.slice(0, MAX_PLACES).join(", ");
  return zone === "" || zone.length > MAX_LENGTH ? undefined : zone;
}

/** A name without case and accents, for comparing. */
export function fold(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** "alcalá de henares" becomes "Alcalá de Henares". */
function titled(name: string): string {
  if (name !== name.toLowerCase()) return name;
  return name.replace(/(?<!\p{L})(?!(?:de|del|los|las|la)(?!\p{L}))\p{L}/gu, (letter) =>
    letter.toUpperCase(),
  );
}

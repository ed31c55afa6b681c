import type { Qualification } from "../../../types/contracts/qualification.ts";

type Intent = NonNullable<Qualification["intent"]>;

const OWN = "(?:mi|mis|nuestr[oa]s?|un|una|el|la|my|our|a|the)";
const HOME =
  "(?:piso|casa|chalet|apartamento|vivienda|inmueble|propiedad|[áa]tico|d[uú]plex|estudio|finca|local|flat|house|home|apartment|villa|property|place)";

/** Owners first: "vender mi piso para comprar" is a seller's mail, and "alquilar mi piso" a landlord's. */
const SELL = new RegExp(
  `\\b(?:vender|vendo|vendemos|vend[eé]r\\w*|sell|selling|poner (?:a la venta|en venta)|pongo en venta|put .{0,25}(?:on the market|up for sale))\\b(?! me )|\\b(?:valorar|valoraci[oó]n|tasar|tasaci[oó]n|valuation|appraisal|valuing)\\b[^.\\n]{0,30}\\b${HOME}\\b|(?<!de la )\\bventa de (?:mi|nuestr[oa]|su|la)s? ${HOME}\\b`,
  "iu",
);
const LET = new RegExp(
  `\\b(?:alquilar|arrendar|alquilo|rent out|let out|letting|let)\\b (?:out )?(?:mi|mis|nuestr[oa]s?|my|our)\\b[^.\\n]{0,20}\\b${HOME}\\b|\\bponer (?:${OWN} ${HOME} )?en alquiler\\b|\\b(?:gesti[oó]n|gestionar|gestionen) (?:el |del )?alquiler\\b|\\b(?:my|our) ${HOME} (?:to|up for) (?:rent|let)\\b|\\bfind (?:a )?tenants?\\b|\\b(?:buscar|encontrar|busco) inquilin`,
  "iu",
);
const RENT =
  /\b(?:alquil\w*|arrend\w*|renta\b|rent\w*|lease|leasing|tenan\w*|inquilin\w*|to let|let\b|pcm|per month|a month|\/\s?(?:mes|month)|al mes|mensual\w*|por mes)/giu;
const BUY =
  /\b(?:compr\w*|adquirir|adquisici[oó]n|hipotec\w*|inver(?:tir|si[oó]n)|en venta|a la venta|buy\w*|purchas\w*|mortgage|for sale|invest\w*|first[- ]time buyer)/giu;

/** What a text is about: buying or renting a home, or selling or letting one's own. */
export function findIntent(own: string, listing: string): Intent | undefined {
  if (LET.test(own)) return "let";
  // "Vende" is about what somebody else sells, and people who "sell up" move away and buy.
  if (SELL.test(own.replace(/\bvende(?:n|dor\w*)?\b|\bsell(?:ing)? up\b/giu, ""))) return "sell";
  return seekersIntent(own) ?? seekersIntent(listing);
}

function seekersIntent(text: string): Intent | undefined {
  const rent = count(text, RENT);
  const buy = count(text, BUY);
  if (rent === buy)
    return rent === 0 ? undefined : first(text, BUY) < first(text, RENT) ? "buy" : "rent";
  return rent > buy ? "rent" : "buy";
}

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

function first(text: string, pattern: RegExp): number {
  return text.search(pattern);
}

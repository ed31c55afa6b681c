const WORDS: Record<string, Set<string>> = {
  es: new Set(
    "el la los las de del que en un una por para con no me mi nos estoy estamos busco buscamos quiero queremos hola buenas buenos gracias saludos piso casa su se lo le es soy si como muy más necesito gustaría tengo tenemos cuando puedo está ver y o al este esta interesado interesada información visita presupuesto habitaciones dormitorios alquiler unos".split(
      " ",
    ),
  ),
  en: new Set(
    "the of and to in a for with is are i we my our you your would like looking hello hi dear thanks thank regards please house flat apartment it this that have be on at from can could want need me us if when any interested information about budget bedroom bedrooms month".split(
      " ",
    ),
  ),
  ca: new Set(
    "el la els les dels de que i en un una per amb no em ens estic busco busquem vull volem voldria voldríem hola bon bona dia gràcies pis casa seva si molt més necessito necessitem tinc tenim quan puc podem està veure o al aquest aquesta interessat informació visita pressupost habitacions lloguer fins també hem som".split(
      " ",
    ),
  ),
  de: new Set(
    "der die das den dem ein eine einen und in mit für ist sind wir ich unser unsere mein guten tag hallo danke grüße freundlichen vielen suche suchen möchten haus wohnung es auf von zu bis können könnte brauchen gerne schlafzimmer zimmer kaufen mieten monat nicht oder auch bei uns".split(
      " ",
    ),
  ),
};
const FEWEST_WORDS = 2;

/** The language of a text, if it is one that the rules read and there are enough words. */
export function findLanguage(text: string): string | undefined {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = Object.entries(WORDS).map(([language, known]) => ({
    language,
    count: words.filter((word) => known.has(word)).length,
  }));
  const [best, second] = counts.sort((a, b) => b.count - a.count);
  if (!best || best.count < FEWEST_WORDS || isTie(best, second)) return undefined;
  // A text in another language has a few of these words by chance.
  return best.count / words.length >= 0.15 ? best.language : undefined;
}

/** Catalan shares many words with Spanish, so a tie of these two is Spanish. */
function isTie(best: { language: string; count: number }, second?: typeof best): boolean {
  if (best.count !== second?.count) return false;
  return !(best.language === "es" && second.language === "ca");
}

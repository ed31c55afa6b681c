/** A word that introduces what a person looks for, unless it is help, a buyer or a tenant for what they have. */
const SEARCH =
  /(?<!\p{L})(?:busc(?:o|amos|ando|ar)|compr(?:ar|amos)|mudar(?:me|nos)|cambiar(?:me|nos)?|necesit(?:o|amos|ar[íi]amos)|queremos algo|quiero algo|looking for|look for|buy(?:ing)?|need|busquem|suchen?)(?!\p{L})(?!(?: a)? (?:\p{L}+ ){0,2}(?:vend|sell|valor|valuation|tasa|inquilin|tenant|comprador|buyer|agen|inmobiliaria|ayuda|help|informaci|information|asesor|saber|know))/iu;

const SENTENCES = /(?<=[.!?;\n])\s/u;

/** What an owner says about the home they look for: in each sentence, what follows a word of searching. */
export function soughtByOwner(text: string): string {
  return text
    .split(SENTENCES)
    .map((sentence) => {
      const start = sentence.search(SEARCH);
      return start < 0 ? "" : sentence.slice(start);
    })
    .filter((part) => part !== "")
    .join("\n");
}

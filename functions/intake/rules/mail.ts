/** A mail as it came. */
export interface Received {
  subject: string | null;
  body: string;
}

/** A mail taken apart: what the person wrote, and what a portal put around it. */
export interface Mail {
  /** The person's own words, with the subject when the person wrote it. */
  own: string;
  /** What a portal says of the property asked about; empty for a mail from a person. */
  listing: string;
}

const PORTAL =
  /idealista|fotocasa|pisos\.com|habitaclia|yaencontre|milanuncios|kyero|rightmove|thinkspain/i;
const PORTAL_WORDS =
  /\b(nuevo (contacto|mensaje)|contacto recibido|has recibido un|quiere (m[áa]s )?informaci[oó]n|est[áa] interesad[oa]|ref(erencia)?\b[^\n]{0,20}(anuncio|inmueble)?|new (enquiry|message|lead)|property (ref|reference))/i;

/** Where a portal puts the person's own words, up to the next of its own labels. */
const MESSAGE =
  /(?:^|\n)[ \t>*]*(?:mensaje|comentarios?|texto del mensaje|su mensaje|consulta|message|comments?|enquiry)[^\n:]{0,40}:[ \t]*\n*([\s\S]+?)(?=\n[ \t>*-]*(?:[-_=]{3,}|(?:nombre|tel[ée]fono|e-?mail|correo|contacto|referencia|ref\.?|precio|inmueble|anuncio|name|phone|price|property|listing)[^\n:]{0,30}:|responder|reply|ver (?:el )?anuncio|view|este (?:mensaje|correo)|this (?:message|e?mail)|©|idealista|fotocasa|gestiona|puedes contestar|equipo de)|$)/i;

/** Where a portal without labels puts them: in quotation marks on a line of their own or after "… te ha escrito:". */
const QUOTATION =
  /(?:^|\n|(?:mensaje|message|escrito|escribe|dice|pregunta|wrote|says|said|asks)[^\n:"“«]{0,60}:)[ \t>*]*["“«„]([^"“”«»„]{8,})["”»“](?=[ \t]*(?:\n|$))/gi;

/** The start of the quoted mail in a reply, which is not the writer's own. A forwarded mail is. */
const ANSWERED =
  /\n[ \t]*(?:(?:El|On|Am|A|Le|No dia) [^\n]{4,200}(?:\n[^\n]{0,120})?(?:escribi[óo]|wrote|schrieb|va escriure|a écrit)[^\n]{0,12}:[ \t]*(?=\n|$)|-{2,}[ \t]*(?:mensaje original|original message|missatge original|urspr[üu]ngliche nachricht)[ \t]*-*[ \t]*(?=\n|$))/i;

const SIGNATURE = /\n-- ?\n[\s\S]*$/;
const QUOTED = /^[ \t]*>.*$/gm;
const FORWARD_HEADER =
  /^[ \t]*(?:--[^\n]*(?:forwarded|reenviado|original)[^\n]*|(?:de|from|enviado|sent|fecha|date|para|to|asunto|subject|cc):[^\n]*)$/gim;

export function readMail(subject: string | null, body: string): Mail {
  const text = withoutAnswered(plainText(body));
  if (
    PORTAL.test(`${subject ?? ""}\n${text}`) &&
    (PORTAL_WORDS.test(`${subject ?? ""}\n${text}`) || MESSAGE.test(text))
  ) {
    const found = MESSAGE.exec(text) ?? longestQuotation(text);
    const message = found?.[1]?.trim() ?? "";
    const around = found ? text.replace(found[0], "\n") : text;
    return { own: message, listing: `${subject ?? ""}\n${around}` };
  }
  const own = text.replace(FORWARD_HEADER, "").replace(QUOTED, "").replace(SIGNATURE, "");
  return { own: `${subject ?? ""}.\n${own}`.trim(), listing: "" };
}

function longestQuotation(text: string): RegExpMatchArray | undefined {
  const quotations = [...text.matchAll(QUOTATION)];
  return quotations.sort((a, b) => (b[1]?.length ?? 0) - (a[1]?.length ?? 0))[0];
}

/** The text above the quoted mail, if there is any. */
function withoutAnswered(text: string): string {
  const start = text.search(ANSWERED);
  const above = start < 0 ? "" : text.slice(0, start);
  return /\p{L}{2}/u.test(above.replace(QUOTED, "")) ? above : text;
}

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  euro: "€",
  aacute: "á",
  eacute: "é",
  iacute: "í",
  oacute: "ó",
  uacute: "ú",
  ntilde: "ñ",
  uuml: "ü",
  iexcl: "¡",
  iquest: "¿",
};

/** How much of a mail the rules and a model read; nobody states wishes after that. */
const MAX_READ_CHARACTERS = 20_000;

/** The starts of invisible parts of HTML, and the end of each. */
const HIDDEN = /<(?:!--|(script|style|head|title)\b)/gi;
const END_OF_HIDDEN: Record<string, RegExp> = {
  comment: /-->/g,
  script: /<\/script\s*>/gi,
  style: /<\/style\s*>/gi,
  head: /<\/head\s*>/gi,
  title: /<\/title\s*>/gi,
};

/** The text of a mail that may be HTML. Takes time in proportion to its length, whatever it says. */
export function plainText(whole: string): string {
  const body = whole.slice(0, MAX_READ_CHARACTERS);
  const isHtml = /<(?:html|body|div|p|br|table|td|span)\b[^<>]*>/i.test(body);
  const text = isHtml
    ? withoutHidden(body)
        .replace(/<(?:br|\/p|\/div|\/tr|\/li|\/h\d)\b[^<>]*>/gi, "\n")
        // A tag ends before the next one begins, so that nothing is scanned twice.
        .replace(/<[^<>]*>/g, " ")
        .replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,6})|([a-z]+));/gi, decodeEntity)
    : body;
  return (
    text
      .replace(/\r\n?/g, "\n")
      .replace(/[\u00a0\u202f\u2009]/g, " ")
      // Invisible characters, which serve to hide text from a reader.
      .replace(/[\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g, "")
      .replace(/[ \t]+/g, " ")
      .replace(/ *\n */g, "\n")
  );
}

/** Leaves out comments, scripts and the like, in one pass. A start without an end hides nothing. */
function withoutHidden(html: string): string {
  const endless = new Set<string>();
  let shown = "";
  let from = 0;
  for (const begin of html.matchAll(HIDDEN)) {
    const name = begin[1]?.toLowerCase() ?? "comment";
    const end = END_OF_HIDDEN[name];
    if (begin.index < from || end === undefined || endless.has(name)) continue;
    end.lastIndex = begin.index;
    const found = end.exec(html);
    if (found === null) {
      endless.add(name);
      continue;
    }
    shown += html.slice(from, begin.index);
    from = found.index + found[0].length;
  }
  return shown + html.slice(from);
}

function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
  if (code !== undefined) return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : " ";
  return ENTITIES[name?.toLowerCase() ?? ""] ?? entity;
}

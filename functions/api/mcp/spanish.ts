import { z } from "zod";

/** How arguments are parsed, so that what zod itself finds wrong is said in the language of the tools. */
export const IN_SPANISH = { error: z.locales.es().localeError, reportInput: true } as const;

/** What is shared with REST, which speaks English: the sentences of the contracts, and those of the rules in SQL. */
const SENTENCES: [RegExp, string][] = [
  [/^must be a UUID$/, "debe ser un UUID"],
  [/^must be an e-mail address$/, "debe ser un correo electrónico"],
  [/^must be buy or rent$/, "debe ser buy (compra) o rent (alquiler)"],
  [/^goes only with stage (\S+)$/, "solo puede ir con stage $1"],
  [/^must be an ISO 4217 currency code$/, "debe ser un código de moneda ISO 4217"],
  [/^must be above 0$/, "debe ser mayor que 0"],
  [/^must not be blank$/, "no puede estar vacío"],
  [/^must have at most (\d+) characters$/, "debe tener como mucho $1 caracteres"],
  [/^must have at most (\d+) decimals$/, "debe tener como mucho $1 decimales"],
  [/^must be a date and time as (\S+) or (\S+)$/, "debe ser una fecha y hora como $1 o $2"],
  [/^must not contain U\+0000.*$/, "no puede contener U+0000 ni medio par sustituto"],
  [/^This time is in the past\.$/, "ya ha pasado"],
  [/^must be after (\S+)$/, "debe ser posterior a $1"],
  [/^This is not a date from (\d+) to (\d+)\.$/, "debe ser una fecha de $1 a $2"],
  [/^This is not a date and time from (\d+) to (\d+)\.$/, "debe ser una fecha y hora de $1 a $2"],
  [/^The clock in (\S+) skips this time.*$/, "el reloj de $1 se salta esa hora"],
  [/^A viewing ends after it starts.*$/, "tiene que ser después del comienzo y en menos de un día"],
  [/^The lead has no such operation\.$/, "no es una operación de ese cliente"],
  [/^There is no such .*$/, "no existe en esta agencia"],
];

/** What is wrong with one argument. */
export function inSpanish(sentence: string): string {
  const known = SENTENCES.find(([english]) => english.test(sentence));
  return known ? sentence.replace(...known) : sentence;
}

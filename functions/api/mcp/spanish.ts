import { z } from "zod";

/** How arguments are parsed, so that what zod itself finds wrong is said in the language of the tools. */
export const IN_SPANISH = { error: z.locales.es().localeError, reportInput: true } as const;

/** The sentences of the contracts that are shared with REST, which speaks English. */
const SENTENCES: [RegExp, string][] = [
  [/^must be a UUID$/, "debe ser un UUID"],
  [/^must be an e-mail address$/, "debe ser un correo electrónico"],
  [/^must be buy or rent$/, "debe ser buy (compra) o rent (alquiler)"],
  [/^must be an ISO 4217 currency code$/, "debe ser un código de moneda ISO 4217"],
  [/^must be above 0$/, "debe ser mayor que 0"],
  [/^must not be blank$/, "no puede estar vacío"],
  [/^must have at most (\d+) characters$/, "debe tener como mucho $1 caracteres"],
  [/^must have at most (\d+) decimals$/, "debe tener como mucho $1 decimales"],
  [/^must be a date and time as (\S+) or (\S+)$/, "debe ser una fecha y hora como $1 o $2"],
  [/^must not contain U\+0000.*$/, "no puede contener U+0000 ni medio par sustituto"],
];

/** What is wrong with an argument. */
export function inSpanish(issue: z.core.$ZodIssue): string {
  // JSON cannot say undefined, so this argument was left out.
  if (issue.input === undefined) return "es obligatorio";
  const known = SENTENCES.find(([sentence]) => sentence.test(issue.message));
  return known ? issue.message.replace(...known) : issue.message;
}

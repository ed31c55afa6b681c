import { z } from "zod";
import { CONTRACT_ISSUES, issue } from "./issues.ts";

/** The most an amount or a budget may be; the database has the same limit. */
export const MAX_AMOUNT = 1_000_000_000;

const UNSTORABLE = "\u0000";
/** A visible character: not white space, not a control character, and not zero-width such as U+200B. */
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}]/u;

function isStorable(value: string): boolean {
  return !value.includes(UNSTORABLE) && value.isWellFormed();
}

/** Counts characters as Postgres does, so that an emoji is one and not two. */
function isWithin(value: string, max_characters: number): boolean {
  if (value.length <= max_characters) return true;
  if (value.length > max_characters * 2) return false;
  return [...value].length <= max_characters;
}

/** Text that Postgres can store unchanged: no U+0000 and no unpaired surrogate. */
export function text(max_characters: number) {
  return z
    .string()
    .refine(isStorable, issue("unstorable"))
    .refine((value) => isWithin(value, max_characters), issue("too_long", { max: max_characters }))
    .meta({ maxLength: max_characters });
}

/** Like `text`, but trimmed and not blank. */
export function words(max_characters: number) {
  return z
    .string()
    .trim()
    .refine((value) => VISIBLE.test(value), issue("blank"))
    .refine(isStorable, issue("unstorable"))
    .refine((value) => isWithin(value, max_characters), issue("too_long", { max: max_characters }))
    .meta({ minLength: 1, maxLength: max_characters });
}

/** Like `words`, but on one line. */
export function line(max_characters: number) {
  return words(max_characters).refine((value) => !/[\n\r]/.test(value), "must be one line");
}

/** Text that counts as missing when blank, for members that a rule in the database may require. */
export function wordsOrMissing(max_characters: number) {
  return text(max_characters)
    .nullish()
    .transform((value) => (value && VISIBLE.test(value) ? value.trim() : undefined));
}

/**
 * A member that a create body may leave out. Many clients send null for an empty form field, so null counts as left
 * out.
 */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A member that a patch may leave out, and that null clears. */
export function clearable<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().optional();
}

/** Text in an answer, or null where there is none. */
export const textOrNull = z.string().nullable();

/** An identifier: any UUID that Postgres accepts, whatever its version. */
export const id = z.guid(CONTRACT_ISSUES.not_a_uuid.message);

/** An e-mail address, trimmed and in lower case. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email(CONTRACT_ISSUES.not_an_email.message).max(254))
  .meta({ format: "email", maxLength: 254 });

/**
 * A phone or an e-mail address as people write it. No lead is refused for how these are written, so any text is
 * accepted; what Postgres cannot store becomes U+FFFD.
 */
export const asWritten = z
  .string()
  .transform((value) => value.toWellFormed().replaceAll(UNSTORABLE, "\ufffd"));

/**
 * A sum of money, above zero with at most two decimals. Its schema has no multipleOf 0.01, because validators that use
 * binary fractions would then refuse 19.99.
 */
export const amount = z
  .number()
  .positive(CONTRACT_ISSUES.not_positive.message)
  .max(MAX_AMOUNT)
  .refine((value) => Number(value.toFixed(2)) === value, issue("too_many_decimals", { max: 2 }));

/** A moment in ISO 8601, UTC. */
export const moment = z.iso.datetime({ offset: true });

/** `true` or `false` as a query parameter. */
export const flag = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .meta({ type: "boolean", enum: undefined });

/**
 * The name of a stage. The database decides which exist (reason `invalid_stage`), even for very long values, so those
 * are not refused here but cut to a length that no stage has.
 */
export const stageName = z
  .string()
  .refine(isStorable, issue("unstorable"))
  .transform((value) => (value.length > 100 ? value.slice(0, 100).toWellFormed() : value));

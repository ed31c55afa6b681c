import { z } from "zod";
import { issue } from "./issues.ts";

const FORM =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-5]):[0-5]\d)?$/;

/**
 * A date and time in ISO 8601: with an offset, or without one in the agency's time zone. The database decides whether
 * the moment exists in that zone (reason `invalid_time`).
 */
export const localTime = z
  .string()
  .refine(
    (value) => FORM.test(value) && z.iso.date().safeParse(value.slice(0, 10)).success,
    issue("not_a_local_time"),
  )
  .meta({ pattern: FORM.source, maxLength: 32 });

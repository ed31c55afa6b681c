import { z } from "zod";
import { text, textOrNull } from "./fields.ts";

const LIMIT = "must be a whole number from 1 to 200";

/** The query parameters of every list. */
export const page = {
  limit: z
    .string()
    .regex(/^[0-9]{1,3}$/, LIMIT)
    .transform(Number)
    .pipe(z.int().min(1, LIMIT).max(200, LIMIT))
    .optional()
    .meta({ type: "integer", minimum: 1, maximum: 200, pattern: undefined })
    // A default beside a transformation is left out of a JSON schema, so the description is given it last.
    .meta({ override: { default: 50 } })
    .describe("How many rows to return: 1 to 200, 50 by default."),
  cursor: text(1000)
    .optional()
    .describe("The next_cursor of the previous page; leave it out for the first page."),
};

/** The query of a list without filters. */
export const PageQuery = z.strictObject(page).describe("A page of a list, newest first.");

/** The query of an endpoint that takes no parameters. */
export const NoQuery = z.strictObject({}).describe("This endpoint takes no query parameters.");

/** The arguments of a list's RPC: its filters under their own names, and the page. */
export function listArguments<Query extends z.output<typeof PageQuery>>(query: Query) {
  const { limit, cursor, ...filters } = query;
  return { ...filters, page_limit: limit, page_cursor: cursor };
}

/** The envelope of a list. */
export function listOf<Row extends z.ZodType>(row: Row) {
  return z.strictObject({
    data: z.array(row).describe("The rows of this page, newest first."),
    next_cursor: textOrNull.describe(
      "Send it as cursor to get the next page; null on the last page.",
    ),
  });
}

/** The envelope of a single object. */
export function one<Row extends z.ZodType>(row: Row) {
  return z.strictObject({ data: row.describe("The object.") });
}

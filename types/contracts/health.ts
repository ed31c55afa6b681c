import { z } from "zod";
import { moment } from "./fields.ts";

export const Health = z
  .strictObject({
    status: z.literal("ok").describe("Always ok: the database answers."),
    time: moment.describe("The database's clock."),
    version: z.string().describe("The version of the functions that answer."),
  })
  .describe("Whether the service works.");

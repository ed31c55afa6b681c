import { z } from "zod";

/**
 * A date and time, ISO 8601: with an offset, or without one as the clock of the agency's zone shows it. Which moments
 * exist in that zone is for the database to say (reason `invalid_time`).
 */
export const localTime = z.iso
  .datetime({
    local: true,
    offset: true,
    error: "must be a date and time as 2026-05-04T17:30 or 2026-05-04T17:30+02:00",
  })
  .max(40);

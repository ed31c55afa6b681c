import { Cron } from "croner";

const everySeconds = /^\s*(\d+)\s+seconds?\s*$/i;

/**
 * When a schedule of pg_cron is due next: five fields in UTC (`$` is the last day of the month), a name such as
 * `@daily`, or a number of seconds. `@reboot` is never due, because the database has started already.
 */
export function nextRun(schedule: string, after: Date): Date | undefined {
  const seconds = everySeconds.exec(schedule)?.[1];
  if (seconds !== undefined) return new Date(after.getTime() + Number(seconds) * 1000);
  if (schedule.trim() === "@reboot") return undefined;
  try {
    const pattern = schedule.trim().replace("$", "L");
    return new Cron(pattern, { timezone: "UTC", paused: true }).nextRun(after) ?? undefined;
  } catch {
    return undefined;
  }
}

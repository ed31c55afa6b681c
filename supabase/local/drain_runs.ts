/** What a run of the drain did, as `public.drain_runs` shows it; `events_due` says how many of its events still wait. */
export type DrainRun = Record<string, unknown> & { id: string; events_due: number };

const SUMS = [
  "reclaimed",
  "claimed",
  "posted",
  "accepted",
  "failed",
  "delivered",
  "to_retry",
] as const;

/**
 * Does what the minute job does, and waits for it: a first run, and others that go on while events wait that were due
 * when the first began. Returns the last of them, with what all did.
 */
export async function drainOnce(
  call: (order: Record<string, unknown>) => Promise<DrainRun>,
  order: Record<string, unknown> = {},
): Promise<DrainRun> {
  const sums: Record<string, number> = {};
  for (let last: DrainRun | undefined, runs = 1; ; runs++) {
    const run = await call({ ...order, wait: true, ...(last && { continues: last.id }) });
    for (const name of SUMS) sums[name] = (sums[name] ?? 0) + Number(run[name]);
    const broughtNothing = Number(run.claimed) === Number(run.released);
    if (run.events_due === 0 || run.error !== null || broughtNothing)
      return { ...run, ...sums, runs };
    last = run;
  }
}

import { setTimeout as delay } from "node:timers/promises";
import type postgres from "postgres";

/** What was done, as `public.drain_runs` shows it; `events_due` says how many events still wait for it. */
export type Drained = Record<string, unknown> & { events_due: number };

const POLL_INTERVAL_MS = 50;

/**
 * Does what the minute job does, and waits for it: for a first run, and for those that went on with its work, because
 * a worker can do only so much. Returns the first with what all of them did.
 */
export async function drainOnce(
  sql: postgres.Sql,
  call: (order: Record<string, unknown>) => Promise<Drained>,
): Promise<Drained> {
  const first = await call({ wait: true });
  for (;;) {
    const { is_at_work, ...done } = await sumUp(sql, String(first.id));
    if (!is_at_work) return { ...first, ...done };
    await delay(POLL_INTERVAL_MS);
  }
}

async function sumUp(sql: postgres.Sql, first: string): Promise<Drained> {
  const [done] = await sql<Drained[]>`
    with recursive chain as (
      select r.* from public.drain_runs r where r.id = ${first}
      union all
      select r.* from public.drain_runs r join chain on r.continues = chain.id
    )
    select
      count(*)::int as runs,
      max(chain.finished_at) as finished_at,
      sum(chain.reclaimed)::int as reclaimed,
      sum(chain.claimed)::int as claimed,
      sum(chain.posted)::int as posted,
      sum(chain.accepted)::int as accepted,
      sum(chain.failed)::int as failed,
      sum(chain.delivered)::int as delivered,
      sum(chain.to_retry)::int as to_retry,
      sum(chain.released)::int as released,
      max(chain.error) as error,
      (select count(*)::int from public.events e where e.status = 'pending' and e.available_at <= min(chain.due_before)) as events_due,
      -- A run whose leases have expired is dead, and a hand-over that nobody took up within 15 s is given up.
      bool_or(
        (chain.finished_at is null and chain.started_at > clock_timestamp() - interval '150 seconds')
        or (chain.handed_over_at > clock_timestamp() - interval '15 seconds'
          and not exists (select from public.drain_runs r where r.continues = chain.id))) as is_at_work
    from chain`;
  if (done === undefined) throw new Error(`there is no drain run ${first}`);
  return done;
}

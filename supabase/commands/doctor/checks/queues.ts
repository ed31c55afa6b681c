import { age } from "../age.ts";
import { type Group, notice, right, some, type Verdict, wrong } from "../check.ts";
import type { Deployment } from "../deployment.ts";

/** The minute jobs start the work, and a failed attempt waits for the next minute: what is older than this is stuck. */
const MAX_WAIT_S = 300;

/** What waits, and what failed. */
export const queueChecks: Group = {
  title: "Queues",
  checks: [
    {
      name: "pending events",
      right: "no event has waited longer than a few minutes",
      needs: ["database"],
      async look(deployment) {
        const [row] = await deployment.read(
          (sql) => sql<{ age_s: number | null; count: number }[]>`
            select extract(epoch from now() - min(e.available_at))::float8 as age_s, count(*)::int as count
            from public.events e
            where e.status = 'pending' or (e.status = 'claimed' and e.lease_until < now())`,
        );
        return judgeQueue(row, "events", "select private.kick_drain();");
      },
    },
    {
      name: "mails and screens",
      right: "no mail and no screening has waited longer than a few minutes",
      needs: ["database"],
      async look(deployment) {
        const [row] = await deployment.read(
          (sql) => sql<{ age_s: number | null; count: number }[]>`
            select extract(epoch from now() - min(j.available_at))::float8 as age_s, count(*)::int as count
            from public.intake_jobs j where j.available_at <= now()`,
        );
        return judgeQueue(row, "jobs", "select private.kick_intake();");
      },
    },
    {
      name: "deliveries",
      right: "no attempt failed in the last day",
      needs: ["database"],
      look: lookAtDeliveries,
    },
    {
      name: "sanctions matches",
      right: "no possible match waits for a decision",
      needs: ["database"],
      async look(deployment) {
        const [row] = await deployment.read(
          (sql) => sql<{ count: number; age_s: number | null }[]>`
            select count(*)::int as count, extract(epoch from now() - min(since))::float8 as age_s
            from public.possible_sanctions_matches where resolution is null`,
        );
        if (!row?.count) return undefined;
        return notice(
          `${row.count} possible matches wait for a decision, the oldest for ${age(row.age_s ?? 0)}`,
          "select * from public.possible_sanctions_matches; then npm run admin -- resolve-match --screen ID --resolution cleared|confirmed --reason R",
        );
      },
    },
  ],
};

function judgeQueue(
  row: { age_s: number | null; count: number } | undefined,
  what: string,
  statement: string,
): Verdict | undefined {
  if (!row || row.count === 0 || row.age_s === null) return undefined;
  if (row.age_s <= MAX_WAIT_S) return right(`${row.count} ${what} wait, for ${age(row.age_s)}`);
  return wrong(
    `${row.count} ${what} wait, the oldest for ${age(row.age_s)}`,
    `${statement} (once jobs, Vault and functions above are right)`,
  );
}

/**
 * A target that is down is its owner's affair, and worth a word. When nobody at all took anything in a whole day, it is
 * rather us: our network, our certificate authorities, our clock.
 */
async function lookAtDeliveries(deployment: Deployment): Promise<Verdict | undefined> {
  const { failing, accepted } = await deployment.read(async (sql) => {
    const hosts = await sql<{ host: string; failed: number }[]>`
      select coalesce(substring(d.target_url from '^https?://([^/?#]+)'), '?') as host, count(*)::int as failed
      from public.deliveries d
      where d.state in ('failed', 'unknown') and d.started_at > now() - interval '1 day'
      group by 1 order by 2 desc, 1`;
    const [row] = await sql<{ accepted: boolean }[]>`
      select exists (select from public.deliveries d
        where d.state = 'accepted' and d.started_at > now() - interval '1 day') as accepted`;
    return { failing: hosts, accepted: row?.accepted === true };
  });
  if (failing.length === 0) return undefined;
  const hosts = some(failing.map(({ host, failed }) => `${host} (${failed} attempts)`));
  const mend =
    "select * from public.failed_deliveries; then, for those it says are worth it, select admin.replay_event(event_id);";
  return accepted
    ? notice(`failed in the last day: ${hosts}; other targets accepted theirs`, mend)
    : wrong(`no target accepted anything in the last day: ${hosts}`, mend);
}

import { testDatabase } from "../stack/harness.ts";
import { newAgencies } from "./agencies.ts";
import { type Call, callsOf, type Timed, timed } from "./large_agency_calls.ts";
import { fillLargeAgency } from "./large_agency_data.ts";
import { median } from "./rounds.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const sizes = { small: 1000, large: 1_000_000 } as const;
const rounds = 3;
/** A third of what the platform gives: the rest is for a busier machine. */
const shareMost = 1 / 3;

/**
 * Everything that may grow with what an agency has, where one agency has 1,000,000 leads and what they bring with them:
 * how much of its caller's time-out each takes, and how many times what it takes with 1,000 leads.
 */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const results = new Map<keyof typeof sizes, Timed[]>();
  for (const size of ["small", "large"] as const) {
    const database = await testDatabase(server);
    try {
      const [agency] = await newAgencies(database, 1, 40);
      if (agency === undefined) throw new Error("no agency was made");
      log(`loading ${sizes[size]} leads of one agency`);
      await fillLargeAgency(database, sizes[size]);
      const url = new URL(database.databaseUrl);
      url.username = "supabase_admin";
      const key = await keyFor(database.sql, agency.id);
      results.set(size, await inRounds(url.href, key, await callsOf(database)));
    } finally {
      await database.stop();
    }
  }
  const large = results.get("large") ?? [];
  const small = results.get("small") ?? [];
  return [...new Set(large.map(({ group }) => group))].map((group) => judged(group, large, small));
}

/** As an agent's own, so that there is a caller's turn. */
async function keyFor(
  sql: Parameters<typeof callsOf>[0]["sql"],
  agencyId: string,
): Promise<string> {
  const [made] = await sql<{ key: string }[]>`
    select admin.create_api_key(${agencyId}::uuid, 'large', array[
      'leads:read', 'leads:write', 'operations:read', 'offers:read', 'properties:read', 'viewings:read', 'documents:read',
      'signatures:read'], agent_id => (select a.id from public.agents a order by a.id limit 1), requests_per_minute => 1000000) as key`;
  if (made === undefined) throw new Error("no key was made");
  return made.key;
}

/** The median of some rounds, after one that warms up; a job that works for its whole time is not repeated. */
async function inRounds(url: string, key: string, calls: readonly Call[]): Promise<Timed[]> {
  const requests = calls.filter(({ role }) => role !== "postgres");
  const jobs = await timed(
    url,
    key,
    calls.filter(({ role }) => role === "postgres"),
  );
  await timed(url, key, requests);
  const all: Timed[][] = [];
  for (let round = 0; round < rounds; round++) all.push(await timed(url, key, requests));
  const medians = (all[0] ?? []).map((first, n) => {
    const error = all.map((one) => one[n]?.error).find((text) => text !== undefined);
    const ms = median(all.map((one) => one[n]?.ms ?? Number.NaN));
    return { ...first, ms, ...(error === undefined ? {} : { error }) };
  });
  return [...medians, ...jobs];
}

function judged(group: string, large: readonly Timed[], small: readonly Timed[]): BenchRow {
  const share = ({ ms, limit_ms }: Timed) => ms / limit_ms;
  const calls = large.filter((call) => call.group === group).sort((a, b) => share(b) - share(a));
  const failed = calls.find(({ error }) => error !== undefined);
  if (failed !== undefined) throw new Error(`${failed.statement}: ${failed.error}`);
  const [slowest] = calls;
  if (slowest === undefined) throw new Error(`nothing was measured of ${group}`);
  // The ids of the calls differ from one database to the other, their order does not.
  const place = large.filter((call) => call.group === group).indexOf(slowest);
  const alike = small.filter((call) => call.group === group)[place];
  return row(
    `${group}: slowest of ${calls.length} at 1,000,000 leads, share of its time-out`,
    share(slowest),
    { at_most: shareMost },
    {
      statement: slowest.statement,
      ms: rounded(slowest.ms),
      limit_ms: slowest.limit_ms,
      with_1000_leads_ms: alike && rounded(alike.ms),
      others_ms: Object.fromEntries(
        calls.slice(1, 6).map(({ statement, ms }) => [statement, rounded(ms)]),
      ),
    },
  );
}

import { type TestStack, testStack } from "../stack/harness.ts";
import { type BenchAgency, newAgencies } from "./agencies.ts";
import { fillLists } from "./lists_data.ts";
import { assertIndexed } from "./lists_plans.ts";
import { type Generator, startGenerator } from "./load/generator.ts";
import type { Load, PlannedRequest } from "./load/plan.ts";
import { inTurn, median } from "./rounds.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const rowsOfAnAgency = 10_000;
const limit = 50;
const timing = { rounds: 5, seconds: 1.5, warm_up_seconds: 1.5 };
const lists = ["operations", "leads"] as const;
const pages = ["first", "100th"] as const;
/** Enough that one agency's rows do not stay in the server's buffers from one request to the next. */
const agenciesAsked = 40;

/**
 * A page of a list where one agency has 10,000 rows and is alone, and where a hundred such agencies share the tables
 * (1,000,000 rows). What an agency sees is the same, so what is compared is the size of the tables.
 */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const stacks: TestStack[] = [];
  const generators: Generator[] = [];
  try {
    const indexes: Record<number, Record<string, string>> = {};
    const asked = new Map<number, { stack: TestStack; agencies: BenchAgency[] }>();
    for (const count of [1, 100]) {
      const stack = await testStack({ functions: ["api"] }, server);
      stacks.push(stack);
      log(`loading ${count * rowsOfAnAgency} leads and operations`);
      const agencies = (await newAgencies(stack, count, 5)).slice(0, agenciesAsked);
      await fillLists(stack, count, rowsOfAnAgency);
      indexes[count] = await assertIndexed(stack, agencies[0] as BenchAgency);
      asked.set(count, { stack, agencies });
    }
    // Small and large side by side, after all loading: an idle connection is closed after a while.
    for (const list of lists) {
      for (const page of pages) {
        for (const [count, { stack, agencies }] of asked) {
          const plan = {
            baseUrl: stack.baseUrl,
            headers: {},
            connections: 1,
            requests: await requestsFor(stack, agencies, list, page),
            repeat: true,
          };
          generators.push(await startGenerator(`${list} ${page} ${count}`, plan));
        }
      }
    }
    log("one request at a time, small and large in turn");
    const results = await inTurn(generators, timing);
    return lists.flatMap((list) =>
      pages.map((page) => {
        const of = (agencies: number) => results.get(`${list} ${page} ${agencies}`) ?? [];
        return compared(list, page, of(1), of(100), indexes[100]);
      }),
    );
  } finally {
    await Promise.all(generators.map((generator) => generator.end()));
    await Promise.all(stacks.map((stack) => stack.stop()));
  }
}

async function requestsFor(
  { sql }: TestStack,
  agencies: readonly BenchAgency[],
  list: (typeof lists)[number],
  page: (typeof pages)[number],
): Promise<PlannedRequest[]> {
  return await Promise.all(
    agencies.map(async ({ id, key }) => {
      const headers = { authorization: `Bearer ${key}` };
      const path = `/api/v1/${list}?limit=${limit}`;
      if (page === "first") return { method: "GET", path, headers, status: 200 };
      // The cursor that the 99th page ends with.
      const [last] = await sql<{ cursor: string }[]>`
        select private.encode_cursor(${`${list}_created_at`}, t.created_at, t.id) as cursor from ${sql(`public.${list}`)} t
        where t.agency_id = ${id} ${list === "leads" ? sql`and t.archived_at is null` : sql``}
        order by t.created_at desc, t.id desc offset ${99 * limit - 1} limit 1`;
      return { method: "GET", path: `${path}&cursor=${last?.cursor}`, headers, status: 200 };
    }),
  );
}

function compared(
  list: string,
  page: string,
  small: readonly Load[],
  large: readonly Load[],
  indexes: Record<string, string> = {},
): BenchRow {
  const latency = (loads: readonly Load[]) => median(loads.map((load) => load.latency_ms.median));
  return row(
    `${page} page of GET /${list}, 1,000,000 rows against 10,000, time`,
    latency(large) / latency(small),
    { at_most: 2 },
    {
      small: "10,000 rows of 1 agency",
      large: "10,000 rows in each of 100 agencies",
      limit,
      indexes: Object.fromEntries(
        Object.entries(indexes).filter(([call]) => call.startsWith(`list_${list}`)),
      ),
      small_latency_ms_median: rounded(latency(small)),
      large_latency_ms_median: rounded(latency(large)),
      small_latency_ms_p95: rounded(median(small.map((load) => load.latency_ms.p95))),
      large_latency_ms_p95: rounded(median(large.map((load) => load.latency_ms.p95))),
    },
  );
}

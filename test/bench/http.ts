import { join } from "node:path";
import { type TestDatabase, type TestStack, testStack } from "../stack/harness.ts";
import { type BenchAgency, newAgencies } from "./agencies.ts";
import { startGenerator } from "./load/generator.ts";
import type { Load, PlannedRequest } from "./load/plan.ts";
import { inTurn, median, ratioOf } from "./rounds.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const connections = 8;
const timing = { rounds: 7, seconds: 3, warm_up_seconds: 3 };
/** More than can be used up: each is moved twice, and a PATCH a millisecond would need 12,000. */
const operationCount = 15_000;

const api = { name: "api", entrypoint: join(import.meta.dirname, "http", "api_with_no_op.ts") };

/**
 * Requests over HTTP against one that goes the same way (front, function, gateway, one RPC) to an RPC that lets the
 * caller in, as each of ours begins, and does nothing more. Shown beside it, without a mark: a no-op that takes what the
 * PATCH takes, and GET /health, whose RPC not even asks who calls.
 */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const stack = await testStack({ functions: [api] }, server);
  try {
    await makeNoOp(stack);
    const [agency] = (await newAgencies(stack, 1, 5)) as [BenchAgency];
    log(`opening ${operationCount} operations`);
    const operations = await openOperations(stack, agency, operationCount);
    const plan = (requests: PlannedRequest[], repeat: boolean) => ({
      baseUrl: stack.baseUrl,
      headers: { authorization: `Bearer ${agency.key}` },
      connections,
      requests,
      repeat,
    });
    const path = (id: string) => `/api/v1/operations/${id}`;
    const generators = [
      await startGenerator(
        "no-op",
        plan([{ method: "GET", path: "/api/v1/no-op", status: 200 }], true),
      ),
      await startGenerator(
        "no-op PATCH",
        plan(
          operations.map((id) => ({
            method: "PATCH",
            path: `/api/v1/no-op/${id}`,
            body: JSON.stringify({ stage: "search" }),
            status: 200,
          })),
          true,
        ),
      ),
      await startGenerator(
        "health",
        plan([{ method: "GET", path: "/api/v1/health", status: 200 }], true),
      ),
      await startGenerator(
        "get",
        plan(
          operations.map((id) => ({ method: "GET", path: path(id), status: 200 })),
          true,
        ),
      ),
      await startGenerator(
        "patch",
        plan(
          ["search", "viewings"].flatMap((stage) =>
            operations.map((id) => ({
              method: "PATCH",
              path: path(id),
              body: JSON.stringify({ stage }),
              status: 200,
            })),
          ),
          false,
        ),
      ),
    ];
    log(`${connections} connections, no-op, no-op PATCH, health, GET and PATCH in turn`);
    const results = await inTurn(generators, timing);
    await Promise.all(generators.map((generator) => generator.end()));
    const compare = (name: string, side: string, base: string, at_least?: number) =>
      against(results.get(base) ?? [], results.get(side) ?? [], name, at_least);
    return [
      compare("GET /operations/{id} against a no-op RPC", "get", "no-op", 0.8),
      compare("PATCH /operations/{id} stage against a no-op RPC", "patch", "no-op", 0.6),
      compare("PATCH /operations/{id} stage against a no-op PATCH", "patch", "no-op PATCH"),
      compare("GET /operations/{id} against GET /health", "get", "health"),
      compare("PATCH /operations/{id} stage against GET /health", "patch", "health"),
    ];
  } finally {
    await stack.stop();
  }
}

function against(
  noop: readonly Load[],
  loads: readonly Load[],
  name: string,
  at_least: number | undefined,
): BenchRow {
  const perSecond = (all: readonly Load[]) => all.map((load) => load.requests_per_second);
  return row(
    name,
    ratioOf(perSecond(loads), perSecond(noop)),
    at_least === undefined ? {} : { at_least },
    {
      noop: summary(noop),
      measured: summary(loads),
    },
  );
}

function summary(loads: readonly Load[]) {
  const middle = (pick: (load: Load) => number) => rounded(median(loads.map(pick)));
  return {
    requests_per_second: middle((load) => load.requests_per_second),
    requests_per_second_of_each_turn: loads.map((load) => rounded(load.requests_per_second)),
    latency_ms_median: middle((load) => load.latency_ms.median),
    latency_ms_p95: middle((load) => load.latency_ms.p95),
    client_cpu: middle((load) => load.client_cpu),
  };
}

async function makeNoOp({ sql, reloadSchema }: TestStack): Promise<void> {
  await sql.unsafe(`
    create function api.no_op() returns jsonb language plpgsql set search_path = '' as $$
    declare
      caller private.principal := private.authorize();
    begin
      return '{}';
    end
    $$;
    create function api.update_no_op(operation_id uuid, patch jsonb) returns jsonb
    language plpgsql set search_path = '' as $$ begin return api.no_op(); end $$;
    grant execute on function api.no_op(), api.update_no_op(uuid, jsonb) to anon, authenticated`);
  await reloadSchema();
}

/** As the application opens them: every trigger runs, so each has its steps and its history. */
async function openOperations(
  { sql }: TestDatabase,
  agency: BenchAgency,
  count: number,
): Promise<string[]> {
  await sql`
    with contact as (
      insert into public.contacts (agency_id, full_name, phone)
      select ${agency.id}, 'Lucía Pérez ' || n, '+34' || 600000000 + n from generate_series(1, ${count}::int) n
      returning id, full_name, phone
    )
    insert into public.leads (agency_id, full_name, phone, contact_id)
    select ${agency.id}, full_name, phone, id from contact`;
  await sql`
    insert into public.operations (agency_id, lead_id, operation_type)
    select agency_id, id, 'buy' from public.leads where agency_id = ${agency.id}`;
  // So that it is not done while the requests are measured.
  await sql`vacuum analyze`;
  const rows = await sql<{ id: string }[]>`
    select id from public.operations where agency_id = ${agency.id} order by md5(id::text)`;
  return rows.map(({ id }) => id);
}

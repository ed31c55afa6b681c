import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedWhenEmpty } from "../../supabase/local/demo.ts";
import { runFiles } from "../../supabase/sql_files.ts";
import { type TestDatabase, testDatabase } from "../stack/harness.ts";

let database: TestDatabase;
/** One connection, as `npm start` seeds with. */
let sql: postgres.Sql;

beforeAll(async () => {
  database = await testDatabase();
  sql = postgres(database.databaseUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql?.end();
  await database?.stop();
});

async function rows(query: string): Promise<Record<string, unknown>[]> {
  return [...(await sql.unsafe(query))];
}

async function values(query: string): Promise<unknown[]> {
  return (await rows(query)).map((row) => Object.values(row)[0]);
}

test("files that are loaded together leave nothing when the last one fails", async () => {
  const directory = mkdtempSync(join(tmpdir(), "corredor-seed-"));
  const [first, second] = [join(directory, "first.sql"), join(directory, "second.sql")];
  writeFileSync(first, "select admin.create_agency('Primera');\n");
  writeFileSync(second, "select 1;\nselect nothing_of_the_kind;\n");
  try {
    await expect(runFiles(sql, [first, second])).rejects.toThrow(/second\.sql:2: /);
    expect(await values("select count(*)::int from public.agencies")).toEqual([0]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

describe("the demo data", () => {
  beforeAll(() => seedWhenEmpty(sql));

  test("is two agencies with agents, 40 leads and 60 operations", async () => {
    expect(
      await rows(`
        select a.slug,
          (select count(*)::int from public.agents g where g.agency_id = a.id and g.active) >= 3 as has_agents,
          (select count(*)::int from public.leads l where l.agency_id = a.id) as leads,
          (select count(*)::int from public.operations o where o.agency_id = a.id) as operations
        from public.agencies a order by a.created_at`),
    ).toEqual([
      { slug: "demo", has_agents: true, leads: 26, operations: 36 },
      { slug: "costa-sur", has_agents: true, leads: 14, operations: 24 },
    ]);
  });

  test("has an operation at every stage of every flow, each with its steps and its history", async () => {
    const unused = await rows(`
      select s.flow, s.id from public.stages s
      where not exists (select from public.operations o where o.flow = s.flow and o.stage = s.id)`);
    expect(unused).toEqual([]);
    const untold = await values(`
      select o.id from public.operations o
      where o.stage is distinct from (
          select h.to_stage from public.stage_history h where h.operation_id = o.id order by h.id desc limit 1)
        or (select count(*) from public.operation_steps s where s.operation_id = o.id)
          <> (select count(*) from public.gate_steps g where g.flow = o.flow)`);
    expect(untold).toEqual([]);
  });

  test("has homes in Spain with a whole address and a plausible price", async () => {
    const [stock] = await rows(`
      select count(*)::int as homes,
        bool_and(price between 500 and 3000) filter (where listing_type = 'rent') as rents,
        bool_and(price between 100000 and 1000000) filter (where listing_type = 'sale') as prices,
        bool_and(street ~ ' [0-9]+$' and postal_code ~ '^(46|28|29)[0-9]{3}$') as addresses,
        count(distinct city)::int as cities
      from public.properties`);
    expect(stock).toMatchObject({ rents: true, prices: true, addresses: true });
    expect(stock?.homes).toBeGreaterThanOrEqual(30);
    expect(stock?.cities).toBeGreaterThanOrEqual(6);
    const reserved = await values(
      "select status from public.properties where reference = 'DEMO-004' and listing_type = 'rent'",
    );
    expect(reserved, "the home of the README's walk").toEqual(["available"]);
  });

  test("has viewings this week in each agency, in working hours", async () => {
    const viewings = await rows(`
      select a.slug, count(*)::int as this_week,
        bool_and(local.at::time between '09:00' and '20:00' and extract(isodow from local.at) < 7) as at_work
      from public.viewings v
      join public.agencies a on a.id = v.agency_id
      cross join lateral (select v.starts_at at time zone a.time_zone as at) local
      where date_trunc('week', local.at) = date_trunc('week', now() at time zone a.time_zone)
      group by a.slug order by a.slug`);
    expect(viewings.map(({ slug }) => slug)).toEqual(["costa-sur", "demo"]);
    for (const { this_week, at_work } of viewings) {
      expect(this_week).toBeGreaterThanOrEqual(3);
      expect(at_work).toBe(true);
    }
    const ahead = await values(
      "select count(*)::int from public.viewings where status = 'scheduled' and starts_at > now()",
    );
    expect(ahead[0]).toBeGreaterThanOrEqual(8);
  });

  test.each([
    ["offers", ["accepted", "received", "rejected", "withdrawn"]],
    ["documents", ["received", "rejected", "requested", "verified"]],
    ["signatures", ["declined", "draft", "expired", "sent", "signed"]],
    ["viewings", ["cancelled", "done", "no_show", "scheduled"]],
    ["properties", ["available", "pending", "rented", "sold", "withdrawn"]],
    ["listings", ["active", "closed", "paused"]],
  ])("has %s that are %s", async (table, statuses) => {
    expect(await values(`select distinct status from public.${table} order by 1`)).toEqual(
      statuses,
    );
  });

  test("has events of every type, delivered and failed, and none that is still to be posted", async () => {
    expect(
      await rows(`
        select e.event_type, e.status, e.reason, array_agg(distinct d.state order by d.state) as deliveries
        from public.events e join public.deliveries d on d.event_id = e.id
        group by 1, 2, 3 order by 1`),
    ).toEqual([
      {
        event_type: "deal_won",
        status: "delivered",
        reason: "some_targets_failed",
        deliveries: ["accepted", "failed"],
      },
      {
        event_type: "document_completed",
        status: "delivered",
        reason: null,
        deliveries: ["accepted"],
      },
      { event_type: "offer_accepted", status: "delivered", reason: null, deliveries: ["accepted"] },
      {
        event_type: "signature_signed",
        status: "delivered",
        reason: "attempts_spent",
        deliveries: ["failed"],
      },
    ]);
  });

  test.each([
    "pipeline_by_stage",
    "stuck_operations",
    "failed_deliveries",
    "leads_without_agent",
    "possible_sanctions_matches",
    "contact_suggestions",
  ])("shows something in %s", async (view) => {
    expect(await values(`select count(*)::int from public.${view}`)).not.toEqual([0]);
  });

  test("reaches nobody: addresses are of the domain that is nobody's", async () => {
    const elsewhere = await values(`
      select address from (
        select email as address from public.agents union all select email from public.contacts
        union all select signer_email from public.signatures
        union all select substring(target_url, 'https://([^/]+)') from public.subscriptions
        union all select substring(url, 'https://([^/]+)') from public.listings
      ) a where address !~ '[.]example$'`);
    expect(elsewhere).toEqual([]);
  });

  test("is loaded once", async () => {
    await seedWhenEmpty(sql);
    expect(await values("select count(*)::int from public.leads")).toEqual([40]);
  });
});

import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../../stack/harness.ts";

let database: TestDatabase;
let agency_id: string;
let key: string;

beforeAll(async () => {
  database = await testDatabase();
  agency_id = await database.createAgency();
  key = await database.createApiKey(agency_id);
});
afterAll(() => database?.stop());

/** A rental with its lead and a home. */
async function openOperation() {
  const [row] = await database.sql<{ id: string; lead_id: string; property_id: string }[]>`
    with contact as (
      insert into public.contacts (agency_id, full_name) values (${agency_id}, 'Eva Gil') returning id
    ), lead as (
      insert into public.leads (agency_id, full_name, contact_id)
      select ${agency_id}, 'Eva Gil', contact.id from contact returning id
    ), home as (
      insert into public.properties (agency_id, listing_type) values (${agency_id}, 'rent') returning id
    )
    insert into public.operations (agency_id, lead_id, operation_type, property_id)
    select ${agency_id}, lead.id, 'rent', home.id from lead, home
    returning id, lead_id, property_id`;
  if (row === undefined) throw new Error("no operation was opened");
  return row;
}

type Work = (sql: postgres.TransactionSql) => Promise<unknown>;

/** Does something while somebody else has done another thing and not committed it, and tells the reason of its refusal. */
async function meanwhile(other: Work, work: Work): Promise<string> {
  const cameFar = Promise.withResolvers<void>();
  let attempt: Promise<unknown> = Promise.resolve();
  await database.sql.begin(async (first) => {
    await other(first);
    attempt = database.sql
      .begin(async (transaction) => {
        const [backend] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
        const outcome = work(transaction);
        // It has come as far as it can when it is done, or waits for the other.
        await Promise.race([outcome.catch(() => {}), waits(backend?.pid ?? 0)]);
        cameFar.resolve();
        await outcome;
      })
      .catch((error: unknown) => error);
    await cameFar.promise;
  });
  const error = await attempt;
  return error instanceof Error && "detail" in error
    ? JSON.parse(String(error.detail)).details.reason
    : "it was not refused";
}

function whileItCloses(operationId: string, work: Work): Promise<string> {
  return meanwhile(
    (sql) => sql`update public.operations set stage = 'cancelled' where id = ${operationId}`,
    work,
  );
}

async function waits(pid: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const [row] = await database.sql<{ blocked: boolean }[]>`
          select cardinality(pg_blocking_pids(${pid})) > 0 as blocked`;
        return row?.blocked;
      },
      { interval: 20, timeout: 10_000 },
    )
    .toBe(true);
}

test("an operation that is being closed takes no offer", async () => {
  const operation = await openOperation();
  const reason = await whileItCloses(
    operation.id,
    (sql) => sql`
      insert into public.offers (agency_id, operation_id, amount) values (${agency_id}, ${operation.id}, 900)`,
  );
  expect(reason).toBe("operation_closed");
  expect(
    await database.sql`select from public.offers where operation_id = ${operation.id}`,
  ).toHaveLength(0);
});

test("and none of its offers is accepted", async () => {
  const operation = await openOperation();
  await database.sql`
    insert into public.offers (agency_id, operation_id, amount) values (${agency_id}, ${operation.id}, 900)`;
  const reason = await whileItCloses(
    operation.id,
    (sql) => sql`update public.offers set status = 'accepted' where operation_id = ${operation.id}`,
  );
  expect(reason).toBe("operation_closed");
  const [home] = await database.sql<{ status: string }[]>`
    select status from public.properties where id = ${operation.property_id}`;
  expect(home?.status).toBe("available");
});

test("and no viewing is arranged for it", async () => {
  const operation = await openOperation();
  const body = {
    lead_id: operation.lead_id,
    property_id: operation.property_id,
    operation_id: operation.id,
    starts_at: "2090-05-04T17:30",
  };
  const reason = await whileItCloses(operation.id, async (sql) => {
    await sql`
      select set_config('role', 'anon', true),
        set_config('request.headers', ${JSON.stringify({ "x-corredor-key": key })}, true)`;
    await sql`select api.create_viewing(${sql.json(body)})`;
  });
  expect(reason).toBe("operation_closed");
});

test("an offer that is being withdrawn is not accepted by a tick", async () => {
  const operation = await openOperation();
  await database.sql`
    insert into public.offers (agency_id, operation_id, amount) values (${agency_id}, ${operation.id}, 900)`;
  const reason = await meanwhile(
    (sql) =>
      sql`update public.offers set status = 'withdrawn' where operation_id = ${operation.id}`,
    (sql) => sql`
      update public.operation_steps set done = true
      where operation_id = ${operation.id} and step_id = 'precioAcordado'`,
  );
  expect(reason).toBe("offer_required");
  expect(
    await database.sql`select status from public.offers where operation_id = ${operation.id}`,
  ).toEqual([{ status: "withdrawn" }]);
});

test("of two deals that accept an offer on one property, one does", async () => {
  const [first, second] = [await openOperation(), await openOperation()];
  await database.sql`
    insert into public.offers (agency_id, operation_id, property_id, amount)
    select ${agency_id}, o, ${first.property_id}, 1000 from unnest(${[first.id, second.id]}::uuid[]) o`;
  const accept = (sql: postgres.TransactionSql, id: string) =>
    sql`update public.offers set status = 'accepted' where operation_id = ${id}`;
  const reason = await meanwhile(
    (sql) => accept(sql, first.id),
    (sql) => accept(sql, second.id),
  );
  expect(reason).toBe("offer_already_accepted");
  expect(
    await database.sql`
      select operation_id from public.offers where property_id = ${first.property_id} and status = 'accepted'`,
  ).toEqual([{ operation_id: first.id }]);
});

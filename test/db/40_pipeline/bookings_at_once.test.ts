import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../../stack/harness.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.stop());

const SLOTS = 1500;
const BOOKERS = 4;

test("bookings of one time that come at once find each other and never a deadlock", async () => {
  const { sql } = database;
  const agency = await database.createAgency();
  const [made] = await sql<{ agent: string; property: string; lead: string }[]>`
    with agent as (
      insert into public.agents (agency_id, name, email) values (${agency}, 'Ana', 'ana@bookings.test') returning id
    ), property as (
      insert into public.properties (agency_id, listing_type, title) values (${agency}, 'sale', 'Piso') returning id
    ), contact as (
      insert into public.contacts (agency_id, full_name) values (${agency}, 'Eva') returning id
    ), lead as (
      insert into public.leads (agency_id, full_name, contact_id) select ${agency}, 'Eva', id from contact returning id
    )
    select agent.id as agent, property.id as property, lead.id as lead from agent, property, lead`;
  // Each booker takes the same times in the same order, one transaction each, so that all want the same one at once.
  const book = `
    do $$
    begin
      for slot in 1..${SLOTS} loop
        begin
          insert into public.viewings (agency_id, agent_id, property_id, lead_id, starts_at, ends_at)
          values ('${agency}', '${made?.agent}', '${made?.property}', '${made?.lead}',
            '2030-01-01'::timestamptz + slot * interval '1 hour', '2030-01-01'::timestamptz + slot * interval '1 hour' + interval '30 minutes');
        exception when exclusion_violation then null;
        end;
        commit;
      end loop;
    end $$`;
  const outcomes = await Promise.allSettled(
    Array.from({ length: BOOKERS }, () => sql.unsafe(book).simple()),
  );
  expect(
    outcomes.map(({ status, ...rest }) => ("reason" in rest ? rest.reason.code : status)),
  ).toEqual(Array(BOOKERS).fill("fulfilled"));
  const [{ booked } = { booked: 0 }] = await sql<{ booked: number }[]>`
    select count(*)::int as booked from public.viewings where agency_id = ${agency}`;
  expect(booked).toBe(SLOTS);
}, 60_000);

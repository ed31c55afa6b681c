import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";
import { eventually, jobsLeft } from "./queue.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ functions: ["intake"], edgeLimits: true });
});
afterAll(() => stack?.stop());

const LINE =
  "Hola, buscamos comprar un piso en Chamberí de 3 habitaciones, hasta 450.000 euros, cuanto antes.\n";

/** Mails as the mailbox automation leaves them, of 20 kB each. */
async function queueMails(agency: string, count: number): Promise<void> {
  const body = LINE.repeat(220).slice(0, 20_000);
  await stack.sql`
    with lead as (
      insert into public.leads (agency_id, full_name, contact_id)
      select ${agency}, 'Lead ' || n, c.id
      from generate_series(1, ${count}::int) n,
        lateral (select id from public.contacts where agency_id = ${agency} limit 1) c
      returning id)
    insert into public.messages (agency_id, lead_id, direction, channel, subject, body, qualification_status)
    select ${agency}, lead.id, 'inbound', 'email', 'Buscamos piso', ${body}, 'pending' from lead`;
}

test("more mails than one worker can read are all read once without the minute job, and no worker is killed", async () => {
  const agency = await stack.createAgency();
  await stack.sql`insert into public.contacts (agency_id, full_name) values (${agency}, 'Marta Ibáñez')`;
  await queueMails(agency, 120);
  // One call, and nobody who asks again.
  await stack.sql`select private.call_function('intake')`;
  await eventually(
    () => jobsLeft(stack),
    (left) => left === 0,
    45_000,
  );
  const [read] = await stack.sql`
    select count(*)::int, count(distinct lead_id)::int as leads, count(*) filter (where status = 'done')::int as done
    from public.qualifications where agency_id = ${agency}`;
  expect(read).toEqual({ count: 120, leads: 120, done: 120 });
  const calls = await stack.sql`select from net._http_response where status_code = 202`;
  expect(calls.length).toBeGreaterThan(1);
  expect(stack.logs.filter((line) => /killed/.test(line))).toEqual([]);
}, 60_000);

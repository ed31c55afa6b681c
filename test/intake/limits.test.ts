import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestStack, testStack } from "../stack/harness.ts";

import { eventually, jobsLeft, queueMails } from "./queue.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await testStack({ functions: ["intake"], edgeLimits: true });
});
afterAll(() => stack?.stop());

test("more mails than one worker can read are all read once without the minute job, and no worker is killed", async () => {
  const agency = await stack.createAgency();
  await queueMails(stack, agency, 400);
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
  expect(read).toEqual({ count: 400, leads: 400, done: 400 });
  const calls = await stack.sql`select from net._http_response where status_code = 202`;
  expect(calls.length).toBeGreaterThan(1);
  expect(stack.logs.filter((line) => /killed/.test(line))).toEqual([]);
}, 60_000);

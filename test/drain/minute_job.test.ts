import { afterAll, beforeAll, expect, test } from "vitest";
import { World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await World.open({ cron: true });
});
afterAll(() => world?.close());

test("the migrations schedule the drain, the intake and the comparing of contacts every minute, and the clean-up every night", async () => {
  const jobs = await world.stack
    .sql`select jobname, schedule, command from cron.job order by jobname`;
  expect([...jobs]).toEqual([
    { jobname: "corredor-clean-up", schedule: "17 3 * * *", command: "select private.clean_up()" },
    {
      jobname: "corredor-compare-contacts",
      schedule: "* * * * *",
      command: "select private.compare_contacts()",
    },
    { jobname: "corredor-drain", schedule: "* * * * *", command: "select private.kick_drain()" },
    { jobname: "corredor-intake", schedule: "* * * * *", command: "select private.kick_intake()" },
  ]);
});

test("nothing is called while nothing waits", async () => {
  const [kick] = await world.stack.sql`select private.kick_drain() as request`;
  expect(kick).toEqual({ request: null });
});

test("an event is delivered with nobody asking: pg_cron kicks, pg_net calls, the drain posts", async () => {
  const { sql } = world.stack;
  const agency = await world.stack.createAgency();
  await world.subscribe(agency, world.receiver.url("/by-itself"));
  // The same job, more often, so that the test need not last a minute.
  await sql`select cron.schedule('corredor-drain', '1 second', 'select private.kick_drain()')`;
  const [document] = await world.completeDocuments(agency);
  await world.receiver.count("/by-itself", 1, 20_000);
  await expect
    .poll(() => world.event(document), { timeout: 5000 })
    .toMatchObject({ status: "delivered", reason: null });
  const [details] = await sql`
    select status from cron.job_run_details where command = 'select private.kick_drain()' order by runid desc limit 1`;
  expect(details).toEqual({ status: "succeeded" });
  await expect
    .poll(() => sql`select status_code from net._http_response order by id desc limit 1`, {
      timeout: 5000,
    })
    .toMatchObject([{ status_code: 202 }]);
});

test("without its secrets in Vault the job says so and calls nobody", async () => {
  const { sql } = world.stack;
  const agency = await world.stack.createAgency("Otra");
  await world.subscribe(agency, world.receiver.url("/never"));
  await sql`select cron.unschedule('corredor-drain')`;
  await world.completeDocuments(agency);
  await sql`delete from vault.secrets where name = 'secret_key'`;
  const [kick] = await sql`select private.kick_drain() as request`;
  expect(kick).toEqual({ request: null });
});

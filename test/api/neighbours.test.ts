import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, jobsLeft, leadRow } from "../intake/queue.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { createAgency, type TestAgency } from "./agency.ts";

/** No minute job runs here: whatever is done is done because it was called for. */
let stack: TestStack;
let busy: TestAgency;
let other: TestAgency;

beforeAll(async () => {
  stack = await testStack({ functions: ["api", "intake"] });
  busy = await createAgency(stack);
  other = await createAgency(stack);
});
afterAll(() => stack?.stop());

const MAIL = {
  full_name: "Marta Ibáñez",
  email_body: "Hola, buscamos comprar un piso en Chamberí de 3 habitaciones, hasta 450.000 euros.",
};

async function create(agency: TestAgency, body: object): Promise<string> {
  const answer = await agency.client.post("/leads", body);
  expect(answer.status, answer.text).toBe(201);
  return (answer.body as { data: { id: string } }).data.id;
}

const nothingWaits = () =>
  eventually(
    () => jobsLeft(stack),
    (left) => left === 0,
  );

describe("while one agency makes work for the intake", () => {
  test("by another name, it is screened and another agency's mail is read at once", async () => {
    const renamed = await create(busy, { full_name: "Ana Ruiz" });
    await nothingWaits();
    await busy.client.patch(`/leads/${renamed}`, { full_name: "Olga Petrova" });
    const lead = await create(other, MAIL);
    await eventually(
      () => leadRow(stack, lead),
      ({ zone }) => zone === "Chamberí",
    );
    await nothingWaits();
  });

  test("by thousands of screens, another agency's mail is read long before their end", async () => {
    const [lead] = await stack.sql<{ id: string; contact_id: string }[]>`
      select id, contact_id from public.leads where agency_id = ${busy.id} limit 1`;
    await stack.sql`
      insert into public.sanctions_screens (agency_id, lead_id, contact_id)
      select ${busy.id}, ${lead?.id ?? ""}, ${lead?.contact_id ?? ""} from generate_series(1, 3000)`;
    const mail = await create(other, MAIL);
    await eventually(
      () => leadRow(stack, mail),
      ({ zone }) => zone === "Chamberí",
    );
    expect(await jobsLeft(stack)).toBeGreaterThan(0);
    await stack.sql`delete from public.intake_jobs`;
  });
});

describe("while the contacts of an agency are compared, of whom 2,300 have one name", () => {
  test("a lead of one of them is answered as ever, and in the end all were compared", {
    timeout: 60_000,
  }, async () => {
    await stack.sql`
      insert into public.contacts (agency_id, full_name, email)
      select ${busy.id}, 'Nuria Campos', 'nuria' || n || '@correo.example' from generate_series(1, 2300) n`;
    let running = true;
    const compared = stack.sql<{ count: number }[]>`select private.compare_contacts() as count`
      .then(([row]) => row?.count)
      .finally(() => {
        running = false;
      });
    let slowest_ms = 0;
    for (let n = 1; running || n === 1; n++) {
      const startedAt = performance.now();
      // With a phone, which their contact has not yet: it is written too.
      await create(busy, {
        full_name: "Nuria Campos",
        email: `nuria${n}@correo.example`,
        phone: `+346${String(n).padStart(8, "0")}`,
      });
      slowest_ms = Math.max(slowest_ms, performance.now() - startedAt);
    }
    expect(await compared).toBeGreaterThan(0);
    expect(slowest_ms).toBeLessThan(3000);
    for (let left = 1; left > 0; ) {
      const [row] = await stack.sql<
        { count: number }[]
      >`select private.compare_contacts() as count`;
      left = row?.count ?? 0;
    }
    const [due] = await stack.sql<{ count: number }[]>`
      select count(*)::int from public.contacts where compared_at is null`;
    expect(due?.count).toBe(0);
  });
});

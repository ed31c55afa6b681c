import { setTimeout as delay } from "node:timers/promises";
import { createAgency, type TestAgency } from "../api/agency.ts";
import { type TestStack, testStack } from "../stack/harness.ts";
import { median, quantile } from "./rounds.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

/** `CONTACTS=100000 npm run bench -- neighbour` takes seven minutes. */
const CONTACTS = Number(process.env.CONTACTS ?? 20_000);
const STEP = 5000;
/** A mail that nobody reads for so long was forgotten. */
const READ_WITHIN_MS = 60_000;
/** So many before the work, beside it and after it. */
const LEADS = 40;
const TIMES_MOST = 2;

interface Times {
  answer_ms: number[];
  read_ms: number[];
}

/**
 * What an agency's `POST /leads` and the reading of its mail take while another one with many contacts, half of them of
 * one name, has them searched for duplicates, screened against a new list, and renamed.
 */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const stack = await testStack({ functions: ["api", "intake"] }, server);
  try {
    const large = await createAgency(stack, "Grande");
    const small = await createAgency(stack, "Pequeña");
    log(`loading ${CONTACTS} contacts of one agency`);
    await fill(stack, large.id);
    await timesOf(stack, small);
    const rows: BenchRow[] = [];
    for (const [name, work] of Object.entries(WORK)) {
      await emptyQueue(stack);
      const before = await timesOf(stack, small);
      log(name);
      let running = true;
      const startedAt = performance.now();
      const done = work(stack, large.id).finally(() => {
        running = false;
      });
      const beside = await timesOf(stack, small);
      // Work that is soon done leaves a queue, which the times were measured beside.
      const stillRunning = running;
      await done;
      const work_s = (performance.now() - startedAt) / 1000;
      // Before and after, because the machine is not as quick in one minute as in the next.
      await emptyQueue(stack);
      const after = await timesOf(stack, small);
      const alone = {
        answer_ms: [...before.answer_ms, ...after.answer_ms],
        read_ms: [...before.read_ms, ...after.read_ms],
      };
      rows.push(...judged(name, alone, beside, { work_s: rounded(work_s), stillRunning }));
    }
    return rows;
  } finally {
    await stack.stop();
  }
}

const WORK: Record<string, (stack: TestStack, agencyId: string) => Promise<unknown>> = {
  "duplicate search": ({ sql }) => sql`select private.compare_contacts()`,
  "list load": ({ sql }, agencyId) =>
    sql.begin(async (transaction) => {
      await transaction`select private.open_sanctions_list()`;
      await transaction`
        insert into pg_temp.sanctions_incoming (id, schema, name, birth_dates, countries)
        select 'NK-' || n, 'Person', 'Nuria Campos Vega ' || chr(64 + n), '{}', '{}' from generate_series(1, 26) n`;
      await transaction`select private.swap_sanctions_list(${`list-of-${agencyId}.csv`})`;
    }),
  // Last, since a lead that waits for a screen is not screened again for a list.
  rename,
};

/** In steps, because a statement may take two minutes. */
async function fill({ sql }: TestStack, agencyId: string): Promise<void> {
  for (let from = 1; from <= CONTACTS; from += STEP) {
    await sql`
      with contact as (
        insert into public.contacts (agency_id, full_name, email)
        select ${agencyId}, case when n % 2 = 0 then 'Nuria Campos' else 'Persona ' || translate(left(md5(n::text), 8), '0123456789', 'ghijklmnop') end,
          'nuria' || n || '@correo.example'
        from generate_series(${from}::int, ${from + STEP - 1}::int) n
        returning agency_id, id, full_name
      ), lead as (
        insert into public.leads (agency_id, full_name, contact_id)
        select agency_id, full_name, id from contact
        returning agency_id, id, contact_id
      )
      insert into public.sanctions_screens (agency_id, lead_id, contact_id, status, resolved_at)
      select agency_id, id, contact_id, 'clear', now() from lead`;
    // Each time, because sessions would keep what they planned for empty tables.
    await sql`analyze public.contacts, public.leads, public.sanctions_screens`;
  }
}

async function rename({ sql }: TestStack, agencyId: string): Promise<void> {
  for (let from = 0; from < CONTACTS; from += STEP) {
    await sql`
      update public.leads l set full_name = l.full_name || ' Vega'
      from (
        select id from public.leads where agency_id = ${agencyId} and full_name not like '% Vega' limit ${STEP}
      ) step
      where l.agency_id = ${agencyId} and l.id = step.id`;
  }
}

async function emptyQueue({ sql }: TestStack): Promise<void> {
  await sql`delete from public.intake_jobs`;
  await delay(2000);
}

async function timesOf({ sql }: TestStack, agency: TestAgency): Promise<Times> {
  const times: Times = { answer_ms: [], read_ms: [] };
  for (let n = 0; n < LEADS; n++) {
    const startedAt = performance.now();
    const answer = await agency.client.post("/leads", {
      full_name: `Marta Ibáñez ${n}`,
      email_body: "Buscamos comprar un piso en Chamberí de 3 habitaciones, hasta 450.000 euros.",
    });
    if (answer.status !== 201) throw new Error(answer.text);
    times.answer_ms.push(performance.now() - startedAt);
    const { id } = (answer.body as { data: { id: string } }).data;
    for (let read = false; !read; await delay(5)) {
      if (performance.now() - startedAt > READ_WITHIN_MS) throw new Error("a mail was not read");
      const rows =
        await sql`select from public.qualifications where agency_id = ${agency.id} and lead_id = ${id}`;
      read = rows.length > 0;
    }
    times.read_ms.push(performance.now() - startedAt);
  }
  return times;
}

function judged(
  name: string,
  alone: Times,
  beside: Times,
  work: Record<string, unknown>,
): BenchRow[] {
  return (
    [
      ["POST /leads", "answer_ms"],
      ["its mail is read", "read_ms"],
    ] as const
  ).map(([what, times]) => {
    const [a, b] = [alone[times], beside[times]];
    return row(
      `neighbour's ${name}: time until ${what}, times that alone`,
      median(b) / median(a),
      { at_most: TIMES_MOST },
      {
        ...work,
        alone_ms: rounded(median(a)),
        beside_ms: rounded(median(b)),
        alone_p95_ms: rounded(quantile(a, 0.95)),
        beside_p95_ms: rounded(quantile(b, 0.95)),
        p95_ratio: rounded(quantile(b, 0.95) / quantile(a, 0.95)),
      },
    );
  });
}

import type { TestStack } from "../stack/harness.ts";

const DEADLINE_MS = 15_000;
const PAUSE_MS = 50;

/** Waits until a question has an answer that suffices, or fails with the last one. */
export async function eventually<T>(
  ask: () => Promise<T>,
  suffices: (answer: T) => boolean,
  within_ms = DEADLINE_MS,
): Promise<T> {
  const deadline = Date.now() + within_ms;
  for (;;) {
    const answer = await ask();
    if (suffices(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`Still ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Calls the function as the minute job does, but waits for what it did. */
export async function runIntake(stack: TestStack): Promise<Record<string, number>> {
  const response = await fetch(`${stack.baseUrl}/functions/v1/intake`, {
    method: "POST",
    headers: { apikey: stack.secretKey, "content-type": "application/json" },
    body: JSON.stringify({ wait: true }),
  });
  if (!response.ok) throw new Error(`the intake answered ${response.status}`);
  return response.json();
}

/** How many jobs wait or are at work. */
export async function jobsLeft({ sql }: TestStack): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int from public.intake_jobs`;
  return row?.count ?? 0;
}

/** A lead as an agency's admin sees it in Studio. */
export async function leadRow({ sql }: TestStack, id: string) {
  const [row] = await sql`select * from public.leads where id = ${id}`;
  return row as Record<string, unknown>;
}

const LINE =
  "Hola, buscamos comprar un piso en Chamberí de 3 habitaciones, hasta 450.000 euros, cuanto antes.\n";

/** Leads that came with mails of 20 kB, which wait to be read. */
export async function queueMails({ sql }: TestStack, agency: string, count: number): Promise<void> {
  const body = LINE.repeat(220).slice(0, 20_000);
  await sql`
    with contact as (
      insert into public.contacts (agency_id, full_name) values (${agency}, 'Marta Ibáñez') returning id
    ),
    lead as (
      insert into public.leads (agency_id, full_name, contact_id)
      select ${agency}, 'Lead ' || n, contact.id from contact, generate_series(1, ${count}::int) n returning id
    )
    insert into public.messages (agency_id, lead_id, direction, channel, subject, body, qualification_status)
    select ${agency}, lead.id, 'inbound', 'email', 'Buscamos piso', ${body}, 'pending' from lead`;
}

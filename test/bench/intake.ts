import { setTimeout as delay } from "node:timers/promises";
import { queueMails } from "../intake/queue.ts";
import { testStack } from "../stack/harness.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const mails = 200;
const within_ms = 120_000;

/** 200 forwarded mails of 20 kB that wait, read by workers that the platform ends, after one call. */
export async function run({ server }: BenchContext): Promise<BenchRow[]> {
  const stack = await testStack({ functions: ["intake"], edgeLimits: true }, server);
  try {
    const agency = await stack.createAgency();
    await queueMails(stack, agency, mails);
    const startedAt = performance.now();
    await stack.sql`select private.kick_intake()`;
    let read = 0;
    let took_ms = 0;
    while (read < mails && took_ms < within_ms) {
      await delay(50);
      const [done] = await stack.sql<{ read: number }[]>`
        select count(distinct message_id)::int as read from public.qualifications where status = 'done'`;
      read = done?.read ?? 0;
      took_ms = performance.now() - startedAt;
    }
    const killed = stack.logs.filter((line) => /worker \d+ killed/.test(line)).length;
    return [
      row(
        "of 200 mails of 20 kB within the platform's limits, read",
        read / mails,
        { at_least: 1 },
        { killed, per_second: rounded((read / took_ms) * 1000) },
      ),
    ];
  } finally {
    await stack.stop();
  }
}

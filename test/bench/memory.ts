import { World } from "../drain/world.ts";
import { type BenchAgency, newAgencies } from "./agencies.ts";
import { startGenerator } from "./load/generator.ts";
import type { PlannedRequest } from "./load/plan.ts";
import { watchMemory } from "./memory_watch.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const limit_mb = 150;
const connections = 8;
/** Long enough for lists to become long, and for what is collected late to be collected. */
const seconds = 40;
const events = 10_000;

/**
 * The memory of each function's process while it works as hard as it can: `api` under small and large requests of many
 * connections, `drain` with 10,000 events to push.
 */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const world = await World.open({ server, functions: ["api", "drain"] });
  const { stack } = world;
  const names = ["api", "drain"];
  const watch = watchMemory(new Map(names.map((name) => [name, () => stack.functionPid(name)])));
  try {
    const [agency] = (await newAgencies(stack, 1, 5)) as [BenchAgency];
    log(`${connections} connections to api for ${seconds} s`);
    const generator = await startGenerator("api", {
      baseUrl: stack.baseUrl,
      headers: { authorization: `Bearer ${agency.key}` },
      connections,
      requests: mixed(),
      repeat: true,
    });
    const { requests_per_second, requests } = await generator.measure(seconds);
    await generator.end();

    log(`${events} events for drain`);
    await world.subscribe(agency.id, world.receiver.url("/memory"));
    await world.completeDocuments(agency.id, events);
    const summary = await world.drain();

    const peaks = watch.end();
    const details: Record<string, object> = {
      api: { connections, requests, requests_per_second: rounded(requests_per_second) },
      drain: { events, summary },
    };
    return names.map((name) => {
      const peak_mb = rounded(peaks.get(name) ?? Number.POSITIVE_INFINITY);
      return row(
        `memory of ${name} under load, of ${limit_mb} MB`,
        peak_mb / limit_mb,
        { at_most: 1 },
        {
          peak_mb,
          ...details[name],
        },
      );
    });
  } finally {
    watch.end();
    await world.close();
  }
}

/** What makes the function hold most: leads with a long text come in, and lists of them go out. */
function mixed(): PlannedRequest[] {
  const email_body = "Busco piso de tres habitaciones con terraza y ascensor. ".repeat(1700);
  return Array.from({ length: 5000 }, (_, n): PlannedRequest[] => [
    { method: "GET", path: "/api/v1/leads?limit=200", status: 200 },
    { method: "GET", path: "/api/v1/health", status: 200 },
    {
      method: "POST",
      path: "/api/v1/leads",
      body: JSON.stringify({
        full_name: `Lucía Pérez ${n}`,
        email: `lucia.${n}@correo.example`,
        operation_type: "buy",
        notes: "n".repeat(2000),
        ...(n % 10 === 0 ? { origin: "email", email_body } : {}),
      }),
      status: 201,
    },
    { method: "GET", path: "/api/v1/operations?limit=50", status: 200 },
  ]).flat();
}

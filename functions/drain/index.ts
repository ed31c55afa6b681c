import { supabaseUrl } from "../_shared/environment.ts";
import { secretKey, showsSecretKey } from "../_shared/secret_key.ts";
import { Database } from "./database.ts";
import { RUN_MS } from "./limits.ts";
import { Run, type Summary } from "./run.ts";

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void };

const key = secretKey();
const database = new Database(supabaseUrl(), key);
const runs = new Set<Run>();

Deno.serve(async (request) => {
  if (!showsSecretKey(request, key)) {
    return refusal(401, "unauthorized", "The drain is called with the project's secret key.");
  }
  if (request.method !== "POST") {
    return refusal(405, "method_not_allowed", "The drain takes POST.", { allow: "POST" });
  }
  const { wait, run_ms } = await readOrder(request);
  const work = drain(run_ms);
  if (wait) {
    try {
      return Response.json(await work);
    } catch (error) {
      console.error(error);
      return refusal(503, "unavailable", "The database does not answer.");
    }
  }
  // The job that calls must not be held, and a run outlives its request.
  EdgeRuntime.waitUntil(work);
  return Response.json({ status: "started" }, { status: 202 });
});

// The runtime is about to end this worker: begin nothing more, so that what waits goes to the next run.
addEventListener("beforeunload", () => {
  for (const run of runs) run.stop();
});

async function drain(run_ms: number): Promise<Summary> {
  const run = await Run.begin(database);
  runs.add(run);
  try {
    return await run.work(run_ms);
  } finally {
    runs.delete(run);
  }
}

/** `wait`: answer when the run is over. `run_ms`: begin nothing more after so long. The minute job sends neither. */
async function readOrder(request: Request): Promise<{ wait: boolean; run_ms: number }> {
  const order = await request.json().catch(() => ({}));
  const run_ms = Number.isFinite(order?.run_ms)
    ? Math.min(Math.max(order.run_ms, 0), RUN_MS)
    : RUN_MS;
  return { wait: order?.wait === true, run_ms };
}

function refusal(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { code, message, details: {} } }, { status, headers });
}

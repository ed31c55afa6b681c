import { answerJob, type Order } from "../_shared/job.ts";
import { serve } from "../_shared/serve.ts";
import { Database } from "./database.ts";
import { RUN_MS } from "./limits.ts";
import { Run, type Summary } from "./run.ts";

const database = new Database();
const runs = new Set<Run>();

serve(["url", "secret key"], (request) =>
  answerJob("drain", request, (order) => drain(lengthOf(order))),
);

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

/** `run_ms` orders a run that begins nothing more after so long. */
function lengthOf({ run_ms }: Order): number {
  if (typeof run_ms !== "number" || !Number.isFinite(run_ms)) return RUN_MS;
  return Math.min(Math.max(run_ms, 0), RUN_MS);
}

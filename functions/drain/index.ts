import { answerJob, type Order } from "../_shared/job.ts";
import { serve } from "../_shared/serve.ts";
import { WorkerBudget } from "../_shared/worker_budget.ts";
import { EventQueue, type RunOrder } from "./event_queue.ts";
import { Run, type Summary } from "./run.ts";

const queue = new EventQueue();
/** Shared by all runs of this worker. WORKER_LIMITS=none is for platforms without such limits. */
const budget = new WorkerBudget({ unlimited: Deno.env.get("WORKER_LIMITS") === "none" });
/** The runs at work, with their results to come. */
const runs = new Map<Run, Promise<Summary>>();

serve(["url", "secret key"], (request) => {
  budget.requestCame();
  return answerJob("drain", request, drain);
});

// The runtime is about to end this worker: begin nothing more, so that the rest goes to the next run.
addEventListener("beforeunload", () => {
  for (const run of runs.keys()) run.stop();
});

async function drain(order: Order): Promise<Summary> {
  for (const [run, work] of runs) {
    if (run.id === order.continues && run.goOn()) return await work;
  }
  const run = await Run.begin(queue, budget, runOrder(order));
  const work = run.work(lengthOf(order)).finally(() => runs.delete(run));
  runs.set(run, work);
  return await work;
}

function runOrder({ continues, share, shares, calls_again }: Order): RunOrder {
  return {
    continues: typeof continues === "string" ? continues : undefined,
    share: typeof share === "number" ? share : 0,
    shares: typeof shares === "number" ? shares : 1,
    calls_again: calls_again !== false,
  };
}

/** `run_ms` limits how long a run begins new work. */
function lengthOf({ run_ms }: Order): number | undefined {
  return typeof run_ms === "number" && Number.isFinite(run_ms) ? Math.max(run_ms, 0) : undefined;
}

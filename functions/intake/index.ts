import { answerJob } from "../_shared/job.ts";
import { serve } from "../_shared/serve.ts";
import { WorkerBudget } from "../_shared/worker_budget.ts";
import { JobQueue } from "./job_queue.ts";
import { type Qualify, qualifier } from "./qualify.ts";
import { Run, type Summary } from "./run.ts";
import { type Screen, sanctionsService } from "./sanctions_service.ts";

const queue = new JobQueue();
/** One for all runs of this worker. On a platform of one's own, WORKER_LIMITS=none says that it sets no limits. */
const budget = new WorkerBudget({ unlimited: Deno.env.get("WORKER_LIMITS") === "none" });
const qualify: Qualify = await qualifier();
const screen: Screen | undefined = sanctionsService();

let running: Run | undefined;
let next: Promise<Summary> | undefined;
let current: Promise<Summary> | undefined;

serve(["url", "secret key"], (request) => {
  budget.requestCame();
  return answerJob("intake", request, ask);
});

// The runtime is about to end this worker: begin nothing more.
addEventListener("beforeunload", () => running?.stop());

/**
 * Starts a run. Each new lead asks for one, so while one is at work a single next one is lined up for all who ask: it
 * sees what the first came too early for.
 */
function ask(): Promise<Summary> {
  if (current === undefined) {
    current = work().finally(() => {
      current = undefined;
    });
    return current;
  }
  next ??= current
    .catch(() => {})
    .then(() => {
      next = undefined;
      return ask();
    });
  return next;
}

async function work(): Promise<Summary> {
  running = new Run(queue, budget, qualify, screen);
  return running.work();
}

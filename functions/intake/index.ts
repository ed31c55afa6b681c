import { answerJob } from "../_shared/job.ts";
import { serve } from "../_shared/serve.ts";
import { WorkerBudget } from "../_shared/worker_budget.ts";
import { JobQueue } from "./job_queue.ts";
import { Line } from "./line.ts";
import { type Qualify, qualifier } from "./qualify.ts";
import { Run, type Summary } from "./run.ts";
import { type Screen, sanctionsService } from "./sanctions_service.ts";

const queue = new JobQueue();
/** Shared by all runs of this worker. WORKER_LIMITS=none is for platforms without such limits. */
const budget = new WorkerBudget({ unlimited: Deno.env.get("WORKER_LIMITS") === "none" });
const qualify: Qualify = await qualifier();
const screen: Screen | undefined = sanctionsService();

/** Mails and screens have separate runs: no mail waits while a new list starts a hundred thousand screens. */
const lines = (["message", "screen"] as const).map(
  (kind) => new Line(() => new Run(kind, queue, budget, qualify, screen)),
);

serve(["url", "secret key"], (request) => {
  budget.requestCame();
  return answerJob("intake", request, ask);
});

// The runtime is about to end this worker: begin nothing more.
addEventListener("beforeunload", () => {
  for (const line of lines) line.stop();
});

async function ask(): Promise<Summary> {
  const [mail, screens] = await Promise.all(lines.map((line) => line.ask()));
  return {
    qualified: mail.qualified + screens.qualified,
    screened: mail.screened + screens.screened,
    to_retry: mail.to_retry + screens.to_retry,
  };
}

import type { WorkerBudget } from "../_shared/worker_budget.ts";
import type { Claim, Job, JobQueue, Kind } from "./job_queue.ts";
import { AT_ONCE, CPU, JOB_MS, MAX_CLAIM, RUN_MS } from "./limits.ts";
import type { Qualify } from "./qualify.ts";
import type { Screen } from "./sanctions_service.ts";

/** What a run did. */
export interface Summary {
  qualified: number;
  screened: number;
  /** Jobs that failed this time and were released. */
  to_retry: number;
}

/**
 * One run of the intake: claims jobs of one kind until none is left, or until it has begun all that its worker may.
 * Then it releases the others and asks to be called again.
 */
export class Run {
  readonly #kind: Kind;
  readonly #queue: JobQueue;
  readonly #budget: WorkerBudget;
  readonly #qualify: Qualify;
  readonly #screen: Screen | undefined;
  readonly #summary: Summary = { qualified: 0, screened: 0, to_retry: 0 };
  #end_ms = 0;
  #hasBegun = false;
  #stopping = false;

  constructor(
    kind: Kind,
    queue: JobQueue,
    budget: WorkerBudget,
    qualify: Qualify,
    screen: Screen | undefined,
  ) {
    this.#kind = kind;
    this.#queue = queue;
    this.#budget = budget;
    this.#qualify = qualify;
    this.#screen = screen;
  }

  async work(): Promise<Summary> {
    this.#end_ms = Date.now() + Math.min(RUN_MS, this.#budget.timeFor(JOB_MS));
    while (this.#mayBegin(CPU.claim_ms + CPU.job_ms)) {
      this.#budget.spend(CPU.claim_ms);
      const claim = await this.#queue.claim(MAX_CLAIM, this.#kind);
      if (claim.jobs.length === 0) return this.#summary;
      const notBegun = await this.#workOff(claim);
      if (notBegun.length > 0) await this.#queue.release(claim.claim_id, notBegun);
    }
    // A run that did nothing would only be followed by others that do nothing.
    if (this.#hasBegun) await this.#queue.continue();
    return this.#summary;
  }

  #mayBegin(cpu_ms: number): boolean {
    return !this.#stopping && Date.now() < this.#end_ms && cpu_ms <= this.#budget.cpu_ms;
  }

  /** Begins nothing more. */
  stop(): void {
    this.#stopping = true;
  }

  /** Returns the jobs that it did not begin. */
  async #workOff({ claim_id, jobs }: Claim): Promise<string[]> {
    // Screens against our own list share one statement. One that has failed runs alone, so as not to fail the others.
    const alone = jobs.filter(({ message, attempt }) => message || this.#screen || attempt > 1);
    const together = jobs.filter((job) => !alone.includes(job));
    const waiting = [...alone];
    const worker = async () => {
      for (let job = waiting[0]; job && this.#mayBegin(cpuOf(job)); job = waiting[0]) {
        waiting.shift();
        await this.#counted(job, () => this.#doOne(claim_id, job));
      }
    };
    await Promise.all([
      ...Array.from({ length: AT_ONCE }, worker),
      this.#screenTogether(claim_id, together),
    ]);
    return waiting.map(({ id }) => id);
  }

  async #counted(job: Job, work: () => Promise<void>): Promise<void> {
    const cpu_ms = cpuOf(job);
    this.#hasBegun = true;
    this.#budget.begin(cpu_ms);
    await work();
    this.#budget.end(cpu_ms);
  }

  async #doOne(claimId: string, job: Job): Promise<void> {
    try {
      if (job.message !== null) {
        const attempt = await this.#qualify(job.message, job.attempt);
        await this.#queue.qualified(claimId, job.id, attempt);
        this.#summary[attempt.status === "done" ? "qualified" : "to_retry"] += 1;
      } else if (job.person !== null && this.#screen) {
        const { source, matches } = await this.#screen(job.person);
        await this.#queue.screened(claimId, job.id, source, matches);
        this.#summary.screened += 1;
      } else {
        this.#summary.screened += await this.#queue.screen(claimId, [job.id]);
      }
    } catch (error) {
      await this.#giveBack(claimId, job, error);
    }
  }

  async #screenTogether(claimId: string, jobs: Job[]): Promise<void> {
    if (jobs.length === 0) return;
    this.#hasBegun = true;
    this.#budget.spend(CPU.job_ms);
    try {
      this.#summary.screened += await this.#queue.screen(
        claimId,
        jobs.map(({ id }) => id),
      );
    } catch (error) {
      for (const job of jobs) await this.#giveBack(claimId, job, error);
    }
  }

  /** If this call fails too, the job comes back by itself when the claim expires. */
  async #giveBack(claimId: string, job: Job, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    console.error(
      JSON.stringify({ level: "error", job_id: job.id, attempt: job.attempt, cause: message }),
    );
    this.#summary.to_retry += 1;
    await this.#queue.retry(claimId, job.id, message).catch(() => {});
  }
}

function cpuOf({ message }: Job): number {
  const { job_ms, mail_ms_per_kib, mail_max_ms } = CPU;
  const kib = (message?.body.length ?? 0) / 1024;
  return job_ms + Math.min(mail_max_ms, kib * mail_ms_per_kib);
}

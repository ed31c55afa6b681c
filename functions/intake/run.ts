import type { Claim, Database, Job } from "./database.ts";
import type { Qualify } from "./qualify.ts";
import type { Screen } from "./sanctions_service.ts";

/** What a run did. */
export interface Summary {
  /** Messages whose lead was qualified. */
  qualified: number;
  /** Screens that have a result. */
  screened: number;
  /** Jobs that failed this time and were given back. */
  to_retry: number;
}

/** A worker lives 150 s; a job begun at the end takes at most 45 s. */
const RUN_MS = 90_000;
const CLAIM_MAX = 20;
const AT_ONCE = 5;

/** One run of the intake: claims jobs and works them off until none is left or the time is up. */
export class Run {
  readonly #database: Database;
  readonly #qualify: Qualify;
  readonly #screen: Screen | undefined;
  readonly #summary: Summary = { qualified: 0, screened: 0, to_retry: 0 };
  #stopping = false;

  constructor(database: Database, qualify: Qualify, screen: Screen | undefined) {
    this.#database = database;
    this.#qualify = qualify;
    this.#screen = screen;
  }

  async work(): Promise<Summary> {
    const end = Date.now() + RUN_MS;
    while (!this.#stopping && Date.now() < end) {
      const claim = await this.#database.claim(CLAIM_MAX);
      if (claim.jobs.length === 0) break;
      await this.#workOff(claim);
    }
    return this.#summary;
  }

  /** Claims nothing more. */
  stop(): void {
    this.#stopping = true;
  }

  async #workOff({ claim_id, jobs }: Claim): Promise<void> {
    // Screens against our own list are one statement. One that failed goes alone, so that it does not fail the others.
    const alone = jobs.filter(({ message, attempt }) => message || this.#screen || attempt > 1);
    const together = jobs.filter((job) => !alone.includes(job));
    const queue = [...alone];
    const worker = async () => {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
        await this.#doOne(claim_id, job);
      }
    };
    await Promise.all([
      ...Array.from({ length: AT_ONCE }, worker),
      this.#screenTogether(claim_id, together),
    ]);
  }

  async #doOne(claimId: string, job: Job): Promise<void> {
    try {
      if (job.message !== null) {
        const attempt = await this.#qualify(job.message, job.attempt);
        await this.#database.qualified(claimId, job.id, attempt);
        this.#summary[attempt.status === "done" ? "qualified" : "to_retry"] += 1;
      } else if (job.person !== null && this.#screen) {
        const { source, matches } = await this.#screen(job.person);
        await this.#database.screened(claimId, job.id, source, matches);
        this.#summary.screened += 1;
      } else {
        this.#summary.screened += await this.#database.screen(claimId, [job.id]);
      }
    } catch (error) {
      await this.#giveBack(claimId, job, error);
    }
  }

  async #screenTogether(claimId: string, jobs: Job[]): Promise<void> {
    if (jobs.length === 0) return;
    try {
      this.#summary.screened += await this.#database.screen(
        claimId,
        jobs.map(({ id }) => id),
      );
    } catch (error) {
      for (const job of jobs) await this.#giveBack(claimId, job, error);
    }
  }

  /** If the database does not take this either, the job comes back by itself when the claim's time is up. */
  async #giveBack(claimId: string, job: Job, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    console.error(
      JSON.stringify({ level: "error", job_id: job.id, attempt: job.attempt, cause: message }),
    );
    this.#summary.to_retry += 1;
    await this.#database.retry(claimId, job.id, message).catch(() => {});
  }
}

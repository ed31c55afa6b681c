import type { Qualification } from "../../types/contracts/qualification.ts";
import { ServiceRpc } from "../_shared/service_rpc.ts";

/** A message to read for a lead's wishes. */
export interface Message {
  subject: string | null;
  body: string;
}

/** A person to screen against sanctions lists. */
export interface Person {
  name: string;
  birth_date: string | null;
  country: string | null;
}

export type Kind = "message" | "screen";

/** A claimed job: either a message or a person. */
export interface Job {
  agency_id: string;
  id: string;
  attempt: number;
  message: Message | null;
  person: Person | null;
}

export interface Claim {
  claim_id: string;
  jobs: Job[];
}

/** One attempt at a message, as stored in `public.qualifications`. */
export interface Attempt {
  status: "done" | "refused" | "failed";
  qualifier: "rules" | "model";
  version: string;
  result?: Qualification;
  error?: string;
  answer?: string;
  duration_ms: number;
}

/** A sanctions list entry that may be the person, as stored in `public.sanctions_screens`. */
export interface Match {
  id: string;
  name: string;
  score: number;
  [member: string]: unknown;
}

/** Many screens against a long list take a while. */
const ANSWER_WITHIN_MS = 30_000;

/** The intake's RPCs. Each writes only while its claim holds the job, so that a run presumed dead does no harm. */
export class JobQueue {
  readonly #rpc = new ServiceRpc(ANSWER_WITHIN_MS);

  claim(max_jobs: number, kind: Kind): Promise<Claim> {
    return this.#rpc.call("intake_claim", { max_jobs, kind });
  }

  /** Records an attempt; unless it is done, the job is released. */
  qualified(claim_id: string, job_id: string, qualification: Attempt): Promise<boolean> {
    return this.#rpc.call("intake_qualified", { claim_id, job_id, qualification });
  }

  /** Screens against the list in the database. */
  screen(claim_id: string, job_ids: string[]): Promise<number> {
    return this.#rpc.call("intake_screen", { claim_id, job_ids });
  }

  /** Records what a service found for one screen. */
  screened(claim_id: string, job_id: string, source: string, entries: Match[]): Promise<boolean> {
    return this.#rpc.call("intake_screened", { claim_id, job_id, source, entries });
  }

  /** Releases jobs that were not begun. */
  release(claim_id: string, job_ids: string[]): Promise<number> {
    return this.#rpc.call("intake_release", { claim_id, job_ids });
  }

  /** Asks for the intake to be called again if jobs wait. */
  continue(): Promise<boolean> {
    return this.#rpc.call("intake_continue", {});
  }

  retry(claim_id: string, job_id: string, error: string): Promise<boolean> {
    return this.#rpc.call("intake_retry", { claim_id, job_id, error });
  }
}

/** Jobs in one claim, and jobs at once. */
export const MAX_CLAIM = 20;
export const AT_ONCE = 5;

/** After this, at the latest, a run begins nothing more. */
export const RUN_MS = 110_000;

/** What a job takes at most: a model that does not answer is waited for so long, then its outcome is recorded. */
export const JOB_MS = 60_000;

/**
 * CPU in milliseconds, as the kernel counted it for the function's process on two busy cores: reading a mail by the
 * rules 0.3 for each KiB of it, up to the 20 KiB that they read, and 10 for the first one; a claim, and what is called
 * and recorded for a job, 2 each.
 */
export const CPU = { claim_ms: 2, job_ms: 2, mail_ms_per_kib: 0.35, mail_at_most_ms: 10 };

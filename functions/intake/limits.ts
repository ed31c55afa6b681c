/** Jobs per claim, and concurrent jobs. */
export const MAX_CLAIM = 20;
export const AT_ONCE = 5;

/** After this, a run begins nothing more. */
export const RUN_MS = 110_000;

/** The longest that a job takes: waiting for a model that does not answer, then recording it. */
export const JOB_MS = 60_000;

/**
 * CPU in milliseconds, as the kernel counted it for the function's process on two busy cores: reading a mail by the
 * rules takes 0.3 per KiB, up to the 20 KiB they read, and 10 for the first mail; a claim, and the calls for a job,
 * take 2 each.
 */
export const CPU = { claim_ms: 2, job_ms: 2, mail_ms_per_kib: 0.35, mail_max_ms: 10 };

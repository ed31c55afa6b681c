/** How long one exchange may take, from the DNS lookup to the last byte. */
export const EXCHANGE_MS = 10_000;

/** After this, a run claims and begins nothing more. */
export const RUN_MS = 110_000;

/** The longest that a run needs to finish: an exchange and its record. */
export const END_MS = 15_000;

/**
 * CPU in milliseconds, as the kernel counted it for the function's process (two busy cores; Deno 2.9, and a tenth less
 * for 2.1): 10 to 20 for a run that finds nothing; for each event to one https target, including claim, handshake,
 * record and a body of 600 bytes, 2.1 for a worker's first 500 and 1.5 once V8 has optimised the code. Half as much on
 * idle cores.
 */
export const CPU = { run_ms: 15, post_ms: 2, body_ms_per_kib: 0.05 };

/** Concurrent exchanges over all hosts. */
export const EXCHANGES_AT_ONCE = 256;

/** How many of them hosts that timed out, and have not answered since, may hold together. */
export const EXCHANGES_WITH_STUCK_HOSTS = 128;

/** Concurrent exchanges with one host: doubled by an answer, halved by a timeout. */
export const EXCHANGES_WITH_A_HOST = { first: 16, min: 8, max: 32 };

/** Events per claim. The first is small, as it may be for a host that hangs; full ones double. */
export const CLAIM = { first: 32, max: 256 };

/** How many claimed events of one agency may wait; grows as it finishes some. */
export const AGENCY_BACKLOG = { first: 16, max: 192 };

/** How many claimed events may wait over all agencies, which limits a run's memory. */
export const TOTAL_BACKLOG = 2000;

/**
 * How much work may be announced but not posted, or posted but not recorded. It limits what becomes unknown if the run
 * is killed; less would mean more round trips.
 */
export const AT_RISK_MS = 250;

/** The most announced ahead for one host, however fast it is. */
export const ANNOUNCED_AHEAD = 128;

/** Outcomes recorded together. */
export const RECORD_AT_ONCE = 256;

/** How long one exchange may take, from the look-up of the name to the last byte. */
export const EXCHANGE_MS = 10_000;

/** After this, at the latest, a run claims and begins nothing more. */
export const RUN_MS = 110_000;

/** What a run takes at most to end once it begins nothing more: an exchange, and its record. */
export const END_MS = 15_000;

/**
 * CPU in milliseconds, from what the kernel counted for the function's process (two busy cores; Deno 2.9, and 2.1 a
 * tenth less): 10 to 20 for a run that finds nothing; for each event to one https target, with its share of claims,
 * handshake and records, 2.1 in a worker's first 500 and 1.5 later, when V8 knows the code. On idle cores both are half
 * as much. A body of 600 bytes is included.
 */
export const CPU = { run_ms: 15, post_ms: 2, body_ms_per_kib: 0.05 };

/** Exchanges at once, over all hosts. */
export const EXCHANGES_AT_ONCE = 256;

/** Of these, as many as hosts may hold together that time out and have not answered since. */
export const EXCHANGES_WITH_STUCK_HOSTS = 128;

/** Exchanges at once with one host: it begins in the middle, doubles with answers and halves with a timeout. */
export const EXCHANGES_WITH_A_HOST = { first: 16, min: 8, max: 32 };

/** Events in one claim: the first is small, because it may be for a host that hangs; full ones double. */
export const CLAIM = { first: 32, max: 256 };

/** Claimed events that an agency may have waiting before no more are claimed for it; grows with those it finishes. */
export const AGENCY_BACKLOG = { first: 16, max: 192 };

/** Claimed events waiting over all agencies, which bounds the memory of a run. */
export const TOTAL_BACKLOG = 2000;

/**
 * How much work a run may have announced ahead of posting, or posted and not yet recorded. It bounds what becomes
 * unknown when the run is killed; less would mean more round trips.
 */
export const AT_RISK_MS = 250;

/** No more are announced ahead for one host, however fast it is. */
export const ANNOUNCED_AHEAD = 128;

/** Outcomes that are recorded together. */
export const RECORD_AT_ONCE = 256;

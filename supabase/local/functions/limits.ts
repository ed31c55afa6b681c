import { existsSync } from "node:fs";
import { Failure } from "../../failure.ts";

/**
 * What a worker of the hosted edge runtime may use in its whole life, over all requests. It is sent no
 * new request once it has used half of one of these; at nine tenths it gets a `beforeunload` whose `detail.reason` is
 * `cpu`, `wall_clock` or `memory`; at the whole it is killed.
 *
 * What a function can know of it: `performance.now()` counts from the worker's start, on the edge runtime as on Deno
 * 2.1 and 2.9. Its CPU time it cannot read: `process.cpuUsage()` is real on Deno 2.9, but on 2.1 and on the edge
 * runtime a stub that answers zero, and `process.threadCpuUsage()` is not there at all. So a function has to count its
 * work instead, and to take `beforeunload` for the last call.
 */
export interface EdgeLimits {
  cpu_ms: number;
  wall_clock_ms: number;
  memory_bytes: number;
}

/** What is limited, as the hosted runtime calls it. */
export type Resource = "cpu" | "wall_clock" | "memory";

/** Of the free plan; the wall clock is 400 s on the paid ones. */
export const HOSTED_LIMITS: EdgeLimits = {
  cpu_ms: 2000,
  wall_clock_ms: 150_000,
  memory_bytes: 256 * 1024 * 1024,
};

/** Shares of a limit. */
export const RETIRES_AT = 0.5;
export const WARNED_AT = 0.9;

/**
 * How much of a worker's start counts, at the most. The hosted runtime counts the evaluation of the modules, which it
 * loads from one bundle. Here a start with a warm cache is nearly that: 20 ms of Deno's own (40 ms on 2.1), 50 to 100 ms
 * (drain, intake) and 120 to 190 ms (api) in all. With a cold cache Deno also strips types and analyses every package,
 * for a second and more, which a deployed function never pays. So a start counts, and compiling does not.
 */
export const MAX_START_CPU_MS = 150;

/** How often a worker's usage is read. Reading takes some 0.05 ms. */
export const POLL_INTERVAL_MS = { busy: 25, idle: 200 };

/** Without /proc nobody can tell what a process has used. */
export function requireProc(): void {
  if (existsSync("/proc/self/stat")) return;
  throw new Failure("EDGE_LIMITS needs /proc, which this system does not have");
}

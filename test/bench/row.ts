import type { TestServer } from "../stack/server.ts";

/** What every bench gets. */
export interface BenchContext {
  /** A durable Postgres (`fsync` on) of the run's own, with the schema in a template to clone. */
  server: TestServer;
  log(line: string): void;
}

/** One line of the result. */
export interface BenchRow {
  name: string;
  /** What was measured, as a multiple of what it is measured against. */
  ratio: number;
  at_least?: number;
  at_most?: number;
  /** Whether the ratio keeps its limit; a row without a limit is there for information. */
  met: boolean;
  /** The raw figures behind the ratio. */
  detail: Record<string, unknown>;
}

/** A file of benches. */
export interface BenchFile {
  run(context: BenchContext): Promise<BenchRow[]>;
}

/** Judges a ratio by its limit. */
export function row(
  name: string,
  ratio: number,
  limit: { at_least?: number; at_most?: number },
  detail: Record<string, unknown>,
): BenchRow {
  const { at_least = Number.NEGATIVE_INFINITY, at_most = Number.POSITIVE_INFINITY } = limit;
  return {
    name,
    ratio: rounded(ratio),
    ...limit,
    met: ratio >= at_least && ratio <= at_most,
    detail,
  };
}

/** Three significant digits: more would only be noise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

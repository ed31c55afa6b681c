/** One side of a comparison; it is run for a while and says what it reached. */
export interface Side<Result> {
  name: string;
  measure(seconds: number): Promise<Result>;
}

/**
 * Measures the sides in turn (A B A B …), so that whatever else the machine does meanwhile meets all of them. The
 * first, shorter turn of each only warms it up.
 */
export async function inTurn<Result>(
  sides: readonly Side<Result>[],
  options: { rounds: number; seconds: number; warm_up_seconds: number },
): Promise<Map<string, Result[]>> {
  const results = new Map<string, Result[]>(sides.map(({ name }) => [name, []]));
  for (const side of sides) await side.measure(options.warm_up_seconds);
  for (let round = 0; round < options.rounds; round++) {
    for (const side of sides) results.get(side.name)?.push(await side.measure(options.seconds));
  }
  return results;
}

/**
 * How much of the base the measured side reaches: the median over the rounds, each compared with itself, because the
 * machine is not as quick in one round as in the next.
 */
export function ratioOf(measured: readonly number[], base: readonly number[]): number {
  return median(measured.map((value, round) => value / (base[round] ?? Number.NaN)));
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

import { accessBreaks } from "./breaks/access.ts";
import type { Break, Breaks } from "./breaks/break.ts";
import { jobsBreaks } from "./breaks/jobs.ts";
import { queuesBreaks } from "./breaks/queues.ts";
import { schemaBreaks } from "./breaks/schema.ts";
import { signInBreaks } from "./breaks/sign_in.ts";
import { storageBreaks } from "./breaks/storage.ts";

export const BREAKS: Breaks = {
  ...schemaBreaks,
  ...accessBreaks,
  ...jobsBreaks,
  ...signInBreaks,
  ...storageBreaks,
  ...queuesBreaks,
};

/** One break of one check. */
export interface Case extends Break {
  check: string;
  way: string;
}

/**
 * What is broken at the same time: at most one thing of each check, because an examination takes its time. What several
 * checks see is broken alone.
 */
export function rounds(): Case[][] {
  const cases = Object.entries(BREAKS).flatMap(([check, ways]) =>
    Object.entries(ways).map(([way, one]): Case => ({ check, way, ...one })),
  );
  const [apart, together] = [true, false].map((apart) =>
    cases.filter(({ alone, also }) => (alone !== undefined || also !== undefined) === apart),
  ) as [Case[], Case[]];
  const all: Case[][] = [];
  for (const one of together) {
    const free = all.find((round) => !round.some(({ check }) => check === one.check));
    if (free === undefined) all.push([one]);
    else free.push(one);
  }
  return [...all, ...apart.map((one) => [one])];
}

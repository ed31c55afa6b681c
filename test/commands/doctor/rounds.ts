import { BREAKS, type Break, DEEP_BREAKS } from "./breaks.ts";

/** One break of one check. */
export interface Case extends Break {
  check: string;
  way: string;
  deep: boolean;
}

/**
 * What is broken at the same time: at most one thing of each check, since to look at everything takes its time. What
 * several checks see is broken by itself.
 */
export function rounds(): Case[][] {
  const cases = [...casesOf(BREAKS, false), ...casesOf(DEEP_BREAKS, true)];
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

function casesOf(breaks: Record<string, Record<string, Break>>, deep: boolean): Case[] {
  return Object.entries(breaks).flatMap(([check, ways]) =>
    Object.entries(ways).map(([way, one]) => ({ check, way, deep, ...one })),
  );
}

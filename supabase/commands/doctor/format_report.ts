import { styleText } from "node:util";
import type { Outcome } from "./check.ts";
import type { Line, Report } from "./examine.ts";

const SIGNS = { right: "✓", wrong: "✗", notice: "!", unchecked: "–" } as const;
const COLOURS = { right: "green", wrong: "red", notice: "yellow", unchecked: "gray" } as const;

/** The report for people: a line for each thing, and below it what mends it. */
export function formatReport({ url, database, version, count, lines }: Report): string {
  const width = Math.max(...lines.map(({ check }) => check.length));
  const text: string[] = [
    `Corredor ${version}: ${[url ?? "no URL", database ?? "no database"].join(", ")}`,
  ];
  let group = "";
  for (const line of lines) {
    if (line.group !== group) text.push("", line.group);
    group = line.group;
    text.push(`  ${sign(line.outcome)} ${line.check.padEnd(width)}  ${describe(line)}`);
    if (line.mend !== undefined) text.push(`    ${"".padEnd(width)}  → ${line.mend}`);
  }
  const sum = `${count.right} right, ${count.wrong} wrong, ${count.notice} to look at, ${count.unchecked} not checked`;
  return `${[...text, "", sum].join("\n")}\n`;
}

function describe({ outcome, says }: Line): string {
  return outcome === "unchecked" ? `not checked: ${says}` : says;
}

/** In colour on a terminal only. */
function sign(outcome: Outcome): string {
  return styleText(COLOURS[outcome], SIGNS[outcome], { stream: process.stdout });
}

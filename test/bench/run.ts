import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import type { BenchFile, BenchRow } from "./row.ts";
import { startBenchServer } from "./server.ts";

// npm run bench [-- create-lead http lists memory drain …]

const directory = import.meta.dirname;
const resultPath = resolve(directory, "..", "..", "bench.json");

/** A bench is a file of this folder that exports `run`; what benches share exports something else. */
function benchFiles(): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith(".ts"))
    .filter((file) =>
      /^export async function run\(/m.test(readFileSync(join(directory, file), "utf8")),
    )
    .map((file) => file.slice(0, -".ts".length))
    .sort();
}

function chosen(wanted: readonly string[]): string[] {
  const names = benchFiles();
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no bench ${unknown.join(", ")}; there are ${names.join(", ")}.`);
    process.exit(1);
  }
  return wanted.length > 0 ? [...new Set(wanted)] : names;
}

function print(rows: readonly BenchRow[]): void {
  console.table(
    rows.map(({ name, ratio, at_least, at_most, met }) => {
      const limit = [
        at_least === undefined ? [] : [`>= ${at_least}`],
        at_most === undefined ? [] : [`<= ${at_most}`],
      ].flat();
      return {
        what: name,
        ratio,
        limit: limit.join(", ") || "-",
        met: limit.length === 0 ? "-" : met ? "yes" : "NO",
      };
    }),
  );
}

async function main(): Promise<void> {
  const names = chosen(process.argv.slice(2));
  const startedAt = new Date();
  const loadBefore = loadavg();
  const rows: BenchRow[] = [];
  const server = await startBenchServer();
  const stopEarly = () => server.stop().finally(() => process.exit(130));
  process.once("SIGINT", stopEarly);
  process.once("SIGTERM", stopEarly);
  try {
    for (const name of names) {
      const file = (await import(join(directory, `${name}.ts`))) as BenchFile;
      const started = performance.now();
      rows.push(...(await file.run({ server, log: (line) => console.log(`[${name}] ${line}`) })));
      console.log(`[${name}] took ${Math.round((performance.now() - started) / 1000)} s`);
    }
  } finally {
    await server.stop();
    // What was measured before a failure is still worth having.
    print(rows);
    const result = { started_at: startedAt, load_before: loadBefore, load_after: loadavg(), rows };
    writeFileSync(resultPath, `${JSON.stringify(result, null, 2)}\n`);
    console.log(`Figures: ${resultPath}`);
  }
  // A figure that is not met fails the run, so that a script need not read the table.
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
}

await main();

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..");
const binaries = join(root, "node_modules", ".bin");

interface Count {
  passed: number;
  failed: number;
}

/** What has to hold before the tests are worth running; each counts as one. */
const checks: [name: string, program: string, args: string[]][] = [
  ["lint", "biome", ["check", "--error-on-warnings", "."]],
  ["types", "tsc", []],
  ["types of the functions", "node", ["test/stack/check_functions.ts"]],
  ["drift of migrations and types", "node", ["supabase/schema/drift.ts"]],
  ["advisors", "node", ["supabase/schema/advisors.ts"]],
];

let running: ReturnType<typeof spawn> | undefined;
let stopped = false;

async function run(program: string, args: string[]): Promise<boolean> {
  const child = spawn(join(binaries, program), args, { cwd: root, stdio: "inherit" });
  running = child;
  return new Promise((done) => {
    child.once("error", () => done(false));
    child.once("close", (code) => done(code === 0));
  });
}

async function runChecks(): Promise<Count> {
  const count = { passed: 0, failed: 0 };
  for (const [name, program, args] of checks) {
    if (stopped) break;
    const startedAt = Date.now();
    const passed = await run(program, args);
    count[passed ? "passed" : "failed"] += 1;
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    console.log(`${passed ? "ok" : "FAILED"}: ${name} (${seconds} s)`);
  }
  return count;
}

/** pgTAP, unit and end-to-end tests; arguments choose among them as vitest's do. */
async function runTests(args: string[]): Promise<Count> {
  const directory = mkdtempSync(join(tmpdir(), "corredor-results-"));
  const results = join(directory, "results.json");
  try {
    const passed = await run("vitest", [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile=${results}`,
      ...args,
    ]);
    if (!existsSync(results)) return { passed: 0, failed: 1 };
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(results, "utf8"));
    // A file that cannot even be loaded fails without a failed test.
    return { passed: numPassedTests, failed: numFailedTests || (passed ? 0 : 1) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    stopped = true;
    // The child's end is what ends us, so that nothing is left behind.
    running?.kill(signal);
  });
}
const before = await runChecks();
const tests = stopped ? { passed: 0, failed: 0 } : await runTests(process.argv.slice(2));
const passed = before.passed + tests.passed;
const failed = before.failed + tests.failed;
console.log(`${passed} passed, ${failed} failed${stopped ? ", stopped" : ""}`);
process.exit(failed === 0 && !stopped ? 0 : 1);

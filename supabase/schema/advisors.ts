import { exitWith, Failure } from "../failure.ts";
import { runSupabase } from "../local/run_supabase.ts";
import { npmScript } from "../npm_script.ts";
import { buildDatabase, withServer } from "./databases.ts";

interface Advice {
  name: string;
  level: "INFO" | "WARN" | "ERROR";
  detail: string;
  remediation: string;
}

/**
 * Warned of and meant so: a function that sets a search path is not inlined into the queries that join it. This one runs
 * as its caller and names every schema.
 */
const MEANT = ["Function `private.stage_ahead` has a role mutable search_path"];

/** What Supabase's advisors warn of in the schema of `sql/`. */
export async function askAdvisors(): Promise<Advice[]> {
  const report = await withServer(async (server) =>
    runSupabase([
      "db",
      "advisors",
      "--type=all",
      "--level=warn",
      "--fail-on=none",
      "--output-format=json",
      `--remote=${await buildDatabase(server, "sql")}`,
    ]),
  );
  return parseReport(report).filter(({ detail }) => !MEANT.some((meant) => detail.includes(meant)));
}

function parseReport(report: string): Advice[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(report.trim());
  } catch {
    throw new Failure(`the advisors' report is not JSON: ${report.slice(0, 300)}`);
  }
  return findAdvice(parsed) ?? [];
}

/** The CLI wraps the list differently from one version to the next. */
function findAdvice(value: unknown): Advice[] | undefined {
  if (Array.isArray(value)) return value as Advice[];
  if (typeof value !== "object" || value === null) return undefined;
  return Object.values(value)
    .map(findAdvice)
    .find((found) => found !== undefined);
}

if (import.meta.main) {
  npmScript("db:lint").description("Asks Supabase's advisors about the schema.").parse();
  const advice = await askAdvisors().catch(exitWith);
  for (const { level, name, detail, remediation } of advice) {
    console.error(`${level} ${name}: ${detail}\n  ${remediation}`);
  }
  if (advice.length > 0) process.exit(1);
  console.log("The advisors have nothing to warn of.");
}

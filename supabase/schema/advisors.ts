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
 * Functions that set no search path on purpose: one that does is not inlined into the queries that join it. These run as
 * their caller and name every schema.
 */
const INLINED = ["private.awaited_date", "private.stage_ahead"];

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
  const intended = INLINED.map((name) => `Function \`${name}\` has a role mutable search_path`);
  return parseReport(report).filter(({ detail }) => !intended.includes(detail));
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

import postgres from "postgres";
import type { TestStack } from "../stack/harness.ts";
import type { BenchAgency } from "./agencies.ts";

/** A page may look at this many rows that it does not show before an index is missing. */
const rowsSkippedMost = 2500;

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

/**
 * Fails unless every filter of both lists finds its page by an index, for common values and for rare ones. Returns the
 * index that each call used and how many rows it skipped.
 */
export async function assertIndexed(
  { databaseUrl, sql }: TestStack,
  { id, key }: BenchAgency,
): Promise<Record<string, string>> {
  const [one] = await sql<{ lead_id: string; agent_id: string }[]>`
    select id as lead_id, assigned_agent_id as agent_id from public.leads where agency_id = ${id} limit 1`;
  const calls = [
    "list_operations()",
    ...["qualification", "offer", "won"].map((stage) => `list_operations(stage => '${stage}')`),
    ...["buy", "rent", "sell"].map((type) => `list_operations(operation_type => '${type}')`),
    `list_operations(lead_id => '${one?.lead_id}')`,
    "list_operations(open_only => true)",
    "list_leads()",
    ...["hot", "warm", "cold"].map((temperature) => `list_leads(temperature => '${temperature}')`),
    ...["web", "walk_in", "referral"].map((origin) => `list_leads(origin => '${origin}')`),
    "list_leads(email => 'Lucia.77@Correo.example')",
    `list_leads(assigned_agent_id => '${one?.agent_id}')`,
    "list_leads(include_archived => true)",
  ];
  // Plans inside functions are shown by auto_explain alone, and only the superuser may load it.
  const url = new URL(databaseUrl);
  url.username = "supabase_admin";
  let plans: PlanNode[] = [];
  const admin = postgres(url.href, {
    max: 1,
    onnotice: ({ message = "" }) => {
      const json = /plan:\n(\{[\s\S]*\})/.exec(message)?.[1];
      if (json !== undefined) plans.push(JSON.parse(json).Plan as PlanNode);
    },
  });
  try {
    await admin.unsafe(`
      load 'auto_explain';
      set auto_explain.log_min_duration = 0;
      set auto_explain.log_nested_statements = on;
      set auto_explain.log_analyze = on;
      set auto_explain.log_format = json;
      set client_min_messages = log;
      set role anon`);
    const headers = JSON.stringify({ "x-corredor-key": key });
    await admin`select set_config('request.headers', ${headers}, false)`;
    const found: Record<string, string> = {};
    for (const call of calls) {
      plans = [];
      await admin.unsafe(`select api.${call}`);
      const table = call.startsWith("list_leads") ? "leads" : "operations";
      found[call] = judged(call, table, plans);
    }
    return found;
  } finally {
    await admin.end();
  }
}

/** The index that the page was read by. */
function judged(call: string, table: string, plans: readonly PlanNode[]): string {
  const page = plans.find((plan) =>
    nodesOf(plan).some((node) => node["Node Type"] === "WindowAgg"),
  );
  if (page === undefined) throw new Error(`${call}: no plan was shown`);
  const scans = nodesOf(page).filter((node) => node["Relation Name"] === table);
  for (const scan of scans) {
    const skipped = scan["Rows Removed by Filter"] ?? 0;
    if (!scan["Node Type"].includes("Index") && !scan["Node Type"].includes("Bitmap")) {
      throw new Error(`${call} reads ${table} by ${scan["Node Type"]}`);
    }
    if (skipped > rowsSkippedMost) throw new Error(`${call} skips ${skipped} rows of ${table}`);
  }
  return scans
    .map(
      (scan) =>
        `${scan["Index Name"] ?? scan["Node Type"]} skips ${scan["Rows Removed by Filter"] ?? 0}`,
    )
    .join();
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

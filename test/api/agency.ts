import { randomUUID } from "node:crypto";
import { Permission } from "../../types/contracts/permissions.ts";
import type { TestDatabase, TestStack } from "../stack/harness.ts";
import { type Client, clientOf } from "./client.ts";

/** How a test's API key differs from one that may do everything. */
export interface KeyOptions {
  permissions?: string[];
  expiresAt?: Date;
  requestsPerMinute?: number;
}

/** An agency with a key that may do everything, without a limit that a test could feel. */
export interface TestAgency {
  id: string;
  key: string;
  client: Client;
}

/** A new agency with a key that may do everything. */
export async function createAgency(stack: TestStack, name?: string): Promise<TestAgency> {
  const id = await stack.createAgency(name ?? `Agencia ${randomUUID()}`);
  const key = await createKey(stack, id);
  return { id, key, client: clientOf(stack.baseUrl, key) };
}

/** A key of the agency. */
export async function createKey(
  { sql }: TestDatabase,
  agencyId: string,
  options: KeyOptions = {},
): Promise<string> {
  const [row] = await sql<{ key: string }[]>`
    select admin.create_api_key(
      ${agencyId}::uuid, 'test', ${options.permissions ?? Permission.options}::text[],
      expires_at => ${options.expiresAt ?? null},
      requests_per_minute => ${options.requestsPerMinute ?? 1_000_000}) as key`;
  return (row as { key: string }).key;
}

/** An agent of the agency who takes leads. */
export async function createAgent({ sql }: TestDatabase, agencyId: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select admin.create_agent(${agencyId}::uuid, 'Ana Agente', ${`${randomUUID()}@agencia.example`}) as id`;
  return (row as { id: string }).id;
}

/** A property as the application would have stored it, with one active listing. */
export async function createProperty(
  { sql }: TestDatabase,
  agencyId: string,
  listingType: "sale" | "rent" = "sale",
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    insert into public.properties (agency_id, title, listing_type, status)
    values (${agencyId}, 'Piso en Gracia', ${listingType}, 'available')
    returning id`;
  const { id } = row as { id: string };
  await sql`
    insert into public.listings (agency_id, property_id, portal, status)
    values (${agencyId}, ${id}, 'web', 'active')`;
  return id;
}

/** A lead without an operation. */
export async function createLead({ client }: TestAgency, more: object = {}): Promise<string> {
  const answer = await client.post("/leads", { full_name: "Lucía Pérez", ...more });
  if (answer.status !== 201) throw new Error(`POST /leads answered ${answer.text}`);
  return answer.body.data.id;
}

/** An operation of a new lead, at a stage that may be named. */
export async function createOperation(
  agency: TestAgency,
  operationType: "buy" | "rent" | "sell",
  stage?: string,
): Promise<string> {
  const lead_id = await createLead(agency);
  const answer = await agency.client.post("/operations", {
    lead_id,
    operation_type: operationType,
    ...(stage ? { stage } : {}),
  });
  if (answer.status !== 201) throw new Error(`POST /operations answered ${answer.text}`);
  return answer.body.data.id;
}

/** Ticks a gate step by hand, as an agency's admin does in Studio. */
export async function tickStep(
  { sql }: TestDatabase,
  operationId: string,
  stepId: string,
  amount?: number,
): Promise<void> {
  await sql`
    update public.operation_steps set done = true, amount = coalesce(${amount ?? null}, amount)
    where operation_id = ${operationId} and step_id = ${stepId}`;
}

/**
 * A digest of every row of every table, to show that a refused request changed nothing. Left out is what a refused
 * request may change: when its key was last used, and how many requests without a credential were counted.
 */
export async function fingerprint({ sql }: TestDatabase): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('api_keys', 'request_buckets') order by 1`;
  const parts = tables.map(
    ({ name }) =>
      `select '${name} ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as part from public.${name} t`,
  );
  const rows = await sql.unsafe<{ part: string }[]>(parts.join(" union all "));
  return rows.map(({ part }) => part).join("\n");
}

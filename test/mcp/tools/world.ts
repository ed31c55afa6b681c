import { randomUUID } from "node:crypto";
import { createAgency, createKey, type TestAgency } from "../../api/agency.ts";
import type { TestStack } from "../../stack/harness.ts";
import { toolsOf } from "../client.ts";

/** An agency with an agent, and the tools as a key calls them that acts for the agent. */
export interface World extends TestAgency {
  agentId: string;
  /** As the agent. */
  call: ReturnType<typeof toolsOf>;
  /** With these permissions only. */
  callWith(permissions: string[]): Promise<ReturnType<typeof toolsOf>>;
}

/** A new agency, its one agent and a key for each. */
export async function createWorld(stack: TestStack): Promise<World> {
  const agency = await createAgency(stack);
  const agentId = await createAgentNamed(stack, agency.id, "Ana Agente");
  const key = await createKey(stack, agency.id);
  await stack.sql`update public.api_keys set agent_id = ${agentId} where prefix = ${key.split("_")[1] ?? ""}`;
  return {
    ...agency,
    agentId,
    call: toolsOf(stack.baseUrl, key),
    callWith: async (permissions) =>
      toolsOf(stack.baseUrl, await createKey(stack, agency.id, { permissions })),
  };
}

/** Another agent of the agency. */
export async function createAgentNamed({ sql }: TestStack, agencyId: string, name: string) {
  const [row] = await sql<{ id: string }[]>`
    select admin.create_agent(${agencyId}::uuid, ${name}, ${`${randomUUID()}@agencia.example`}) as id`;
  return (row as { id: string }).id;
}

/** A property with what a test says about it. */
export async function createHome(
  { sql }: TestStack,
  agencyId: string,
  home: Record<string, unknown> = {},
): Promise<string> {
  const row = { agency_id: agencyId, listing_type: "sale", title: "Piso de prueba", ...home };
  const [created] = await sql<
    { id: string }[]
  >`insert into public.properties ${sql(row)} returning id`;
  return (created as { id: string }).id;
}

/** A viewing, stored as Studio would. */
export async function createViewing(
  { sql }: TestStack,
  agencyId: string,
  viewing: Record<string, unknown>,
): Promise<string> {
  const row = { agency_id: agencyId, ...viewing };
  const [created] = await sql<
    { id: string }[]
  >`insert into public.viewings ${sql(row)} returning id`;
  return (created as { id: string }).id;
}

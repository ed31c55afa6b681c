import type { TestDatabase } from "../stack/harness.ts";

/** An agency with agents, and a key that no request limit holds back. */
export interface BenchAgency {
  id: string;
  key: string;
}

/** Makes agencies as an admin does. */
export async function newAgencies(
  { sql }: TestDatabase,
  count: number,
  agents: number,
): Promise<BenchAgency[]> {
  return await sql<BenchAgency[]>`
    with agency as materialized (
      select admin.create_agency('Agencia ' || gen_random_uuid()) as id from generate_series(1, ${count})
    ), agent as materialized (
      select admin.create_agent(agency.id, 'Agente ' || n, n || '@agencia.example')
      from agency, generate_series(1, ${agents}) n
    )
    select agency.id, admin.create_api_key(agency.id, 'bench', array[
      'leads:read', 'leads:write', 'operations:read', 'operations:write'], requests_per_minute => 1000000) as key
    from agency, (select count(*) from agent) done`;
}

import type { Sql } from "postgres";
import { type TestDatabase, testDatabase, testStack } from "../stack/harness.ts";
import { type BenchAgency, newAgencies } from "./agencies.ts";
import { startGenerator } from "./load/generator.ts";
import type { Load, PlannedRequest } from "./load/plan.ts";
import { inTurn, median, quantile, ratioOf } from "./rounds.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const timing = { rounds: 5, seconds: 3, warm_up_seconds: 2 };
/** More than one side can use up: each is moved twice. */
const operationCount = 12_000;
const agencyCount = 100;
const contactsPerAgency = 10_000;
const searchCount = 300;

/** The connector against REST for the same work, a whole case file, and a search over a million people. */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const measured = (one: BenchRow) => {
    log(`${one.name}: ${one.ratio}`);
    rows.push(one);
  };
  const stack = await testStack({ functions: ["api"] }, server);
  try {
    const [agency] = (await newAgencies(stack, 1, 1)) as [BenchAgency];
    measured(await stageMoves(stack, stack.baseUrl, agency, log));
    measured(await caseFile(stack, stack.baseUrl, agency, log));
  } finally {
    await stack.stop();
  }
  const database = await testDatabase(server);
  try {
    measured(await search(database, log));
  } finally {
    await database.stop();
  }
  return rows;
}

/** One step of the pipeline by `avanzar_etapa` against one by PATCH /operations/{id}. */
async function stageMoves(
  database: TestDatabase,
  baseUrl: string,
  agency: BenchAgency,
  log: (line: string) => void,
): Promise<BenchRow> {
  log(`opening ${operationCount * 2} operations`);
  const operations = await openOperations(database.sql, agency.id, operationCount * 2);
  const plan = (requests: PlannedRequest[]) => ({
    baseUrl,
    headers: {
      authorization: `Bearer ${agency.key}`,
      accept: "application/json, text/event-stream",
    },
    connections: 8,
    requests,
    repeat: false,
  });
  const moves = (ids: string[], request: (id: string, stage: string) => PlannedRequest) =>
    ["search", "viewings"].flatMap((stage) => ids.map((id) => request(id, stage)));
  const generators = [
    await startGenerator(
      "patch",
      plan(
        moves(operations.slice(0, operationCount), (id, stage) => ({
          method: "PATCH",
          path: `/api/v1/operations/${id}`,
          body: JSON.stringify({ stage }),
          status: 200,
        })),
      ),
    ),
    await startGenerator(
      "tool",
      plan(
        moves(operations.slice(operationCount), (operation_id, stage) =>
          toolCall("avanzar_etapa", { operation_id, stage }),
        ),
      ),
    ),
  ];
  const results = await inTurn(generators, timing);
  await Promise.all(generators.map((generator) => generator.end()));
  // A tool refuses with status 200 too, so what really moved is counted.
  const asked = sum(results.get("tool"));
  const [moved] = await database.sql<{ steps: number }[]>`
    select count(*)::int as steps from public.stage_history h
    where h.from_stage is not null and h.operation_id = any (${operations.slice(operationCount)}::uuid[])`;
  if (moved === undefined || moved.steps < asked)
    throw new Error(`${asked} calls moved ${moved?.steps} stages`);
  const perSecond = (name: string) =>
    (results.get(name) ?? []).map((load) => load.requests_per_second);
  return row(
    "avanzar_etapa against PATCH /operations/{id}",
    ratioOf(perSecond("tool"), perSecond("patch")),
    { at_least: 0.8 },
    {
      patch_per_second: rounded(median(perSecond("patch"))),
      tool_per_second: rounded(median(perSecond("tool"))),
    },
  );
}

/** The case file of a lead with 5 operations, 50 messages and 20 viewings against GET /leads/{id}. */
async function caseFile(
  { sql }: TestDatabase,
  baseUrl: string,
  agency: BenchAgency,
  log: (line: string) => void,
): Promise<BenchRow> {
  log("filling a case");
  const leadId = await fillCase(sql, agency.id);
  const plan = (request: PlannedRequest) => ({
    baseUrl,
    headers: {
      authorization: `Bearer ${agency.key}`,
      accept: "application/json, text/event-stream",
    },
    connections: 1,
    requests: [request],
    repeat: true,
  });
  const generators = [
    await startGenerator(
      "lead",
      plan({ method: "GET", path: `/api/v1/leads/${leadId}`, status: 200 }),
    ),
    await startGenerator("file", plan(toolCall("ver_expediente", { lead_id: leadId }))),
  ];
  const results = await inTurn(generators, timing);
  await Promise.all(generators.map((generator) => generator.end()));
  const latency = (name: string) => (results.get(name) ?? []).map((load) => load.latency_ms.median);
  return row(
    "ver_expediente against GET /leads/{id}, median latency",
    ratioOf(latency("file"), latency("lead")),
    { at_most: 3 },
    {
      lead_ms: rounded(median(latency("lead"))),
      file_ms: rounded(median(latency("file"))),
      round_trips: 1,
    },
  );
}

/** `buscar` in SQL over a million contacts of a hundred agencies, as a caller of one of them. */
async function search(database: TestDatabase, log: (line: string) => void): Promise<BenchRow> {
  const { sql } = database;
  log(`storing ${agencyCount * contactsPerAgency} contacts`);
  const agencies = await newAgencies(database, agencyCount, 1);
  await storeContacts(sql, log);
  const scans = async () => {
    const [found] = await sql<{ index: number; table: number }[]>`
      select i.idx_scan::int as index, t.seq_scan::int as table
      from pg_stat_user_indexes i join pg_stat_user_tables t using (relid)
      where i.indexrelname = 'contacts_by_words'`;
    return found ?? { index: 0, table: 0 };
  };
  const milliseconds: number[] = [];
  let found = 0;
  await sql`select pg_stat_force_next_flush()`;
  const before = await scans();
  const connection = await sql.reserve();
  for (let n = 0; n < searchCount; n++) {
    const { key } = agencies[n % agencies.length] as BenchAgency;
    const headers = JSON.stringify({ "x-corredor-key": key });
    await connection`begin`;
    await connection`select set_config('request.headers', ${headers}, true)`;
    await connection`set local role anon`;
    const started = performance.now();
    const [answer] = await connection<{ results: number }[]>`
      select jsonb_array_length(api.mcp_search(${SEARCHES[n % SEARCHES.length] as string}) -> 'results') as results`;
    milliseconds.push(performance.now() - started);
    found += answer?.results ?? 0;
    await connection`rollback`;
  }
  await connection`select pg_stat_force_next_flush()`;
  connection.release();
  const after = await scans();
  if (after.index <= before.index || after.table > before.table) {
    throw new Error("buscar did not use its index");
  }
  return row(
    "buscar over 1,000,000 contacts, median ms in SQL",
    median(milliseconds),
    { at_most: 30 },
    {
      p95_ms: rounded(quantile(milliseconds, 0.95)),
      searches: searchCount,
      results_mean: rounded(found / searchCount),
    },
  );
}

const SEARCHES = [
  "José García",
  "garsia lopes",
  "Martínez",
  "maria jimenez ruiz",
  "Fernandes Navarro",
  "600 123 456",
  "+34 600 000 777",
  "begoña",
  "p4242@correo.example",
  "Íñigo Domínguez Peña",
];

function toolCall(name: string, args: object): PlannedRequest {
  return {
    method: "POST",
    path: "/api/mcp",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
    status: 200,
  };
}

function sum(loads: readonly Load[] | undefined): number {
  return (loads ?? []).reduce((total, load) => total + load.requests, 0);
}

async function openOperations(sql: Sql, agencyId: string, count: number): Promise<string[]> {
  await sql`
    with contact as (
      insert into public.contacts (agency_id, full_name, phone)
      select ${agencyId}, 'Lucía Pérez ' || n, '+34' || 600000000 + n from generate_series(1, ${count}::int) n
      returning id, full_name, phone
    )
    insert into public.leads (agency_id, full_name, phone, contact_id)
    select ${agencyId}, full_name, phone, id from contact`;
  const rows = await sql<{ id: string }[]>`
    insert into public.operations (agency_id, lead_id, operation_type)
    select agency_id, id, 'buy' from public.leads where agency_id = ${agencyId}
    returning id`;
  await sql`analyze`;
  return rows.map(({ id }) => id);
}

async function fillCase(sql: Sql, agencyId: string): Promise<string> {
  const [created] = await sql<{ id: string }[]>`
    with contact as (
      insert into public.contacts (agency_id, full_name) values (${agencyId}, 'Carmen Ortiz') returning id)
    insert into public.leads (agency_id, full_name, contact_id) select ${agencyId}, 'Carmen Ortiz', id from contact
    returning id`;
  const leadId = (created as { id: string }).id;
  await sql`
    insert into public.operations (agency_id, lead_id, operation_type, stage)
    values (${agencyId}, ${leadId}, 'buy', 'viewings'), (${agencyId}, ${leadId}, 'rent', 'search'),
      (${agencyId}, ${leadId}, 'sell', 'listed'), (${agencyId}, ${leadId}, 'buy', 'cancelled'),
      (${agencyId}, ${leadId}, 'rent', 'expired')`;
  await sql`
    insert into public.messages (agency_id, lead_id, direction, channel, body, created_at)
    select ${agencyId}, ${leadId}, case when n % 2 = 0 then 'inbound' else 'outbound' end, 'email',
      repeat('Hola, ¿sigue disponible el piso? ', 10), now() - n * interval '1 hour'
    from generate_series(1, 50) n`;
  await sql`
    with property as (
      insert into public.properties (agency_id, listing_type, title, street, city)
      select ${agencyId}, 'sale', 'Piso ' || n, 'Calle Alta ' || n, 'Valencia' from generate_series(1, 20) n
      returning id)
    insert into public.viewings (agency_id, lead_id, property_id, starts_at, ends_at, status)
    select ${agencyId}, ${leadId}, id, now() - interval '2 hours', now() - interval '1 hour', 'done' from property`;
  await sql`analyze`;
  return leadId;
}

/** People with names as common as they are in Spain; the index is made afterwards, which is quicker. */
async function storeContacts(sql: Sql, log: (line: string) => void): Promise<void> {
  const [index] = await sql<{ definition: string }[]>`
    select pg_get_indexdef('public.contacts_by_words'::regclass) as definition`;
  await sql`drop index public.contacts_by_words`;
  await sql`
    insert into public.contacts (agency_id, full_name, phone, email)
    select a.id, f.names[1 + (random() * 24)::int] || ' ' || s.names[1 + (random() * 49)::int] || ' ' || s.names[1 + (random() * 49)::int],
      '+34' || 600000000 + n, 'p' || n || '@correo.example'
    from public.agencies a
    cross join generate_series(1, ${contactsPerAgency}::int) n
    cross join (select '{José,María,Antonio,Carmen,Lucía,Pablo,Ana,Luis,Marta,Javier,Elena,Sergio,Nuria,Álvaro,Íñigo,Begoña,Francisco,Isabel,Raúl,Mónica,John,Emma,Olga,Igor,Fatima}'::text[] as names) f
    cross join (select '{García,Martínez,López,Sánchez,Pérez,Gómez,Fernández,Moreno,Jiménez,Rodríguez,Navarro,Torres,Domínguez,Gil,Vázquez,Serrano,Ramos,Blanco,Sanz,Molina,Castro,Ortiz,Rubio,Marín,Iglesias,Núñez,Medina,Garrido,Cortés,Castillo,Santos,Lozano,Guerrero,Cano,Prieto,Méndez,Cruz,Calvo,Gallego,Vidal,León,Márquez,Herrera,Peña,Flores,Cabrera,Campos,Vega,Fuentes,Carrasco}'::text[] as names) s`;
  log("indexing them");
  await sql.unsafe(
    `set maintenance_work_mem = '512MB'; ${(index as { definition: string }).definition}`,
  );
  await sql`analyze public.contacts`;
}

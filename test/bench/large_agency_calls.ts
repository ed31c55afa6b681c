import postgres from "postgres";
import type { TestDatabase } from "../stack/harness.ts";

/** A statement of the service, and what lets it run. */
export interface Call {
  group: string;
  statement: string;
  role: "anon" | "service_role" | "postgres";
  /** After which the platform cuts it off. */
  limit_ms: number;
}

/** How long a statement took, or that it was cut off. */
export interface Timed extends Call {
  ms: number;
  error?: string;
}

const LIMITS_MS = { anon: 3000, service_role: 8000, postgres: 120_000 };

/** Every list by each filter, near and far, and whatever else may grow with what an agency has. */
export async function callsOf({ sql }: TestDatabase): Promise<Call[]> {
  const [one] = await sql<Record<string, string>[]>`
    select l.id as lead, l.assigned_agent_id as agent, l.operation_id as operation, l.contact_id as contact, l.full_name as name,
      (select p.id from public.properties p where p.agency_id = l.agency_id order by p.created_at limit 1) as property,
      (select o.id from public.offers o where o.agency_id = l.agency_id limit 1) as offer,
      (select max(l.email) from public.leads l) as email, (select max(l.phone) from public.leads l) as phone
    from public.leads l where l.archived_at is null order by l.created_at desc offset 40 limit 1`;
  if (one === undefined) throw new Error("there is no lead");
  const far = async (list: string) => {
    const [row] = await sql<{ cursor: string }[]>`
      select private.encode_cursor(${`${list}_created_at`}, t.created_at, t.id) as cursor from ${sql(`public.${list}`)} t
      order by t.created_at, t.id offset (select count(*) / 100 from ${sql(`public.${list}`)}) limit 1`;
    return `page_cursor => '${row?.cursor}'`;
  };
  const lists: Record<string, string[]> = {
    leads: [
      "",
      ...["hot", "warm", "cold"].map((value) => `temperature => '${value}'`),
      ...["web", "walk_in", "referral"].map((value) => `origin => '${value}'`),
      `email => '${one.email}'`,
      `assigned_agent_id => '${one.agent}'`,
      "include_archived => true",
    ],
    operations: [
      "",
      ...["qualification", "offer", "won", "lost"].map((value) => `stage => '${value}'`),
      ...["buy", "rent", "sell"].map((value) => `operation_type => '${value}'`),
      `lead_id => '${one.lead}'`,
      "open_only => true",
      "open_only => true, stage => 'viewings'",
      "open_only => true, operation_type => 'sell', stage => 'listed'",
    ],
    offers: [
      "",
      `operation_id => '${one.operation}'`,
      `lead_id => '${one.lead}'`,
      ...["received", "accepted", "withdrawn"].map((value) => `status => '${value}'`),
    ],
    properties: [
      "",
      "status => 'available'",
      "status => 'pending'",
      "listing_type => 'rent', status => 'available'",
      "property_type => 'land'",
      "city => 'Sevilla', zone => 'Norte'",
      "city => 'Nowhere'",
      "price_min => 100000, price_max => 100100",
      "price_max => 5000000, bedrooms_min => 5",
      "bedrooms_min => 5, city => 'Bilbao', listing_type => 'rent'",
      "reference => 'REF-7'",
      `owner_lead_id => '${one.lead}'`,
    ],
    viewings: [
      "",
      ...["scheduled", "done", "no_show"].map((value) => `status => '${value}'`),
      `lead_id => '${one.lead}'`,
      `property_id => '${one.property}'`,
      `operation_id => '${one.operation}'`,
    ],
    documents: [
      "",
      `operation_id => '${one.operation}'`,
      `lead_id => '${one.lead}'`,
      `property_id => '${one.property}'`,
      ...["identity", "deed"].map((value) => `kind => '${value}'`),
      ...["received", "rejected"].map((value) => `status => '${value}'`),
    ],
    signatures: [
      "",
      `operation_id => '${one.operation}'`,
      ...["signed", "declined"].map((value) => `status => '${value}'`),
      "signer_email => 'nobody@correo.example'",
    ],
  };
  const pages = await Promise.all(
    Object.entries(lists).map(async ([list, filters]) => {
      const after = await far(list);
      return filters.flatMap((filter) => [
        `api.list_${list}(${filter})`,
        `api.list_${list}(${[filter, after].filter((part) => part !== "").join(", ")})`,
      ]);
    }),
  );
  const words = [
    "García",
    "Ana",
    "ez",
    "maria garcia",
    one.name ?? "",
    "Lucía Pérez Garsia",
    "Piso con terraza en la calle",
    "calle",
    one.email ?? "",
    one.phone ?? "",
    "REF-77",
    "xqzw",
  ];
  const wishes: [filters: string, words: string][] = [
    ["{}", "{}"],
    ['{"listing_type": "sale"}', "{piso,con,terraza,en,Sevilla}"],
    ['{"price_max": 200000, "bedrooms_min": 2}', "{luminoso,balcón,Ensanche}"],
  ];
  const grouped = (group: string, role: Call["role"], statements: readonly string[]): Call[] =>
    statements.map((call) => ({
      group,
      role,
      statement: `select ${call}`,
      limit_ms: LIMITS_MS[role],
    }));
  return [
    ...grouped("a list, any filter, near or far", "anon", pages.flat()),
    ...grouped(
      "buscar",
      "anon",
      words.map((word) => `api.mcp_search('${word}')`),
    ),
    ...grouped(
      "buscar_propiedades",
      "anon",
      wishes.map(
        ([filters, given]) => `api.mcp_search_properties('${filters}'::jsonb, '${given}'::text[])`,
      ),
    ),
    ...grouped("mi_jornada", "anon", ["api.mcp_my_day()", "api.mcp_my_day(50)"]),
    ...grouped("agenda", "anon", [
      "api.mcp_agenda()",
      "api.mcp_agenda('2000-01-01', '2100-01-01')",
      `api.mcp_agenda('2000-01-01', '2100-01-01', agent_id => '${one.agent}')`,
    ]),
    ...grouped("ver_expediente, one thing", "anon", [
      `api.mcp_case_file('${one.lead}')`,
      `api.get_lead('${one.lead}')`,
      `api.get_operation('${one.operation}')`,
      `api.get_property('${one.property}')`,
      `api.get_offer('${one.offer}')`,
    ]),
    ...grouped("a lead comes in", "anon", [
      `api.create_lead('{"full_name": "Nueva Persona", "operation_type": "buy", "email": "nueva@correo.example"}'::jsonb)`,
      `api.create_lead('{"full_name": "${one.name}", "operation_type": "rent", "phone": "${one.phone}", "phone_e164": "${one.phone}"}'::jsonb)`,
    ]),
    ...grouped("drain and intake", "service_role", [
      "api.drain_claim((api.drain_begin() ->> 'run_id')::uuid, 200, '{}')",
      "api.intake_claim(20)",
    ]),
    ...grouped("minute jobs", "postgres", [
      "private.kick_drain()",
      "private.kick_intake()",
      "private.compare_contacts()",
    ]),
    ...grouped("the nightly job", "postgres", ["private.clean_up()"]),
    ...grouped("a view of Studio", "postgres", [
      "count(*) from (select * from public.stuck_operations limit 100) v",
      "count(*) from (select * from public.leads_without_agent limit 100) v",
      "count(*) from (select * from public.pipeline_by_stage limit 100) v",
      "count(*) from (select * from public.possible_sanctions_matches limit 100) v",
      "count(*) from (select * from public.failed_deliveries limit 100) v",
    ]),
  ];
}

/** Runs calls as the gateway does, each with its role's time-out, and takes back what they did. */
export async function timed(
  superuserUrl: string,
  key: string,
  calls: readonly Call[],
): Promise<Timed[]> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  const headers = JSON.stringify({ "x-corredor-key": key });
  const undo = new Error("taken back");
  const results: Timed[] = [];
  try {
    for (const call of calls) {
      let ms = Number.NaN;
      let error: string | undefined;
      await sql
        .begin(async (transaction) => {
          await transaction`
            select set_config('statement_timeout', ${String(call.limit_ms)}, true), set_config('role', ${call.role}, true),
              set_config('request.headers', ${headers}, true), set_config('request.jwt.claims', ${`{"role":"${call.role}"}`}, true)`;
          const startedAt = performance.now();
          try {
            await transaction.unsafe(call.statement);
          } finally {
            ms = performance.now() - startedAt;
          }
          throw undo;
        })
        .catch((failure: unknown) => {
          if (failure !== undo) error = String(failure);
        });
      results.push({ ...call, ms, ...(error === undefined ? {} : { error }) });
    }
    return results;
  } finally {
    await sql.end();
  }
}

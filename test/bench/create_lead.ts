import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { type TestDatabase, testDatabase } from "../stack/harness.ts";
import { urlFor } from "../stack/server.ts";
import { type BenchAgency, newAgencies } from "./agencies.ts";
import { inTurn, median, ratioOf, type Side } from "./rounds.ts";
import { type BenchContext, type BenchRow, rounded, row } from "./row.ts";

const connections = 8;
const agents = 5;
const timing = { rounds: 6, seconds: 3, warm_up_seconds: 2 };

/**
 * `api.create_lead` as the API's callers reach it (role anon, key in the request headers) against one prepared
 * statement that writes the same rows. Both take one round trip and one commit, so what differs is the database's
 * own work: the credential, the rate limit, RLS, the rules.
 */
export async function run({ server, log }: BenchContext): Promise<BenchRow[]> {
  const guarded = await testDatabase(server);
  const plain = await testDatabase(server);
  try {
    await disableUserTriggers(plain);
    const rows: BenchRow[] = [];
    for (const spread of [connections, 1]) {
      log(`${connections} connections over ${spread} ${spread === 1 ? "agency" : "agencies"}`);
      const sides = [
        await rpcSide(
          urlFor(server, nameOf(guarded), "authenticator"),
          await newAgencies(guarded, spread, agents),
        ),
        await plainSide(plain.databaseUrl, await newAgencies(plain, spread, agents)),
      ];
      const results = await inTurn(sides, timing);
      await Promise.all(sides.map((side) => side.end()));
      const [rpc, sql] = sides.map(({ name }) => results.get(name) ?? []) as [number[], number[]];
      rows.push(
        row(
          `api.create_lead against plain SQL, ${connections} connections over ${spread} ${spread === 1 ? "agency" : "agencies"}`,
          ratioOf(rpc, sql),
          // Inside one agency leads are assigned one after the other, on purpose: the turn is exact.
          spread === 1 ? {} : { at_least: 0.6 },
          {
            rpc_per_second: rpc.map(rounded),
            plain_per_second: sql.map(rounded),
            rpc_per_second_median: rounded(median(rpc)),
            plain_per_second_median: rounded(median(sql)),
          },
        ),
      );
    }
    return rows;
  } finally {
    await guarded.stop();
    await plain.stop();
  }
}

interface SqlSide extends Side<number> {
  end(): Promise<void>;
}

/** A connection keeps its role and its headers; the Data API sets them for each request. */
async function rpcSide(url: string, agencies: readonly BenchAgency[]): Promise<SqlSide> {
  return side("rpc", url, async (sql, connection) => {
    const { key } = agencies[connection % agencies.length] as BenchAgency;
    const headers = JSON.stringify({ "x-corredor-key": key });
    await sql.unsafe("set role anon");
    await sql`select set_config('request.headers', ${headers}, false)`;
    return (person) =>
      sql.unsafe(
        "select api.create_lead($1::text::jsonb)",
        [JSON.stringify({ ...person, operation_type: "buy" })],
        { prepare: true },
      );
  });
}

async function plainSide(url: string, agencies: readonly BenchAgency[]): Promise<SqlSide> {
  const statement = readFileSync(join(import.meta.dirname, "plain_lead.sql"), "utf8");
  return side("plain", url, async (sql, connection) => {
    const { id } = agencies[connection % agencies.length] as BenchAgency;
    return (person) =>
      sql.unsafe(
        statement,
        [
          id,
          person.full_name,
          person.phone,
          person.email,
          person.origin,
          person.intent,
          person.budget_max,
          person.bedrooms_min,
          person.notes,
        ],
        { prepare: true },
      );
  });
}

type Person = ReturnType<typeof newPerson>;

let people = 0;

/** Somebody the agency does not know yet, so that each lead writes a contact too. */
function newPerson() {
  people++;
  return {
    full_name: `Lucía Pérez ${people}`,
    phone: `+34${600_000_000 + people}`,
    email: `lucia.${people}@correo.example`,
    origin: "web",
    intent: "Piso de tres habitaciones con terraza",
    budget_max: 325_000,
    bedrooms_min: 3,
    notes: "Prefiere que la llamen por la tarde.",
  };
}

async function side(
  name: string,
  url: string,
  prepare: (sql: postgres.Sql, connection: number) => Promise<(person: Person) => Promise<unknown>>,
): Promise<SqlSide> {
  const clients = await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { TimeZone: "UTC" } });
      return { sql, create: await prepare(sql, connection) };
    }),
  );
  return {
    name,
    async measure(seconds) {
      const started = performance.now();
      const until = started + seconds * 1000;
      const counts = await Promise.all(
        clients.map(async ({ create }) => {
          let count = 0;
          for (; performance.now() < until; count++) await create(newPerson());
          return count;
        }),
      );
      const total = counts.reduce((sum, count) => sum + count, 0);
      return total / ((performance.now() - started) / 1000);
    },
    async end() {
      await Promise.all(clients.map(({ sql }) => sql.end()));
    },
  };
}

/** The constraints stay, foreign keys included: they are what any schema would have. */
async function disableUserTriggers({ sql }: TestDatabase): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'`;
  for (const { name } of tables) await sql.unsafe(`alter table ${name} disable trigger user`);
}

function nameOf(database: TestDatabase): string {
  return new URL(database.databaseUrl).pathname.slice(1);
}

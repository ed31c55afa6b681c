import { basename } from "node:path";
import postgres from "postgres";
import { expect, inject } from "vitest";
import type { Outcome } from "../../../supabase/commands/doctor/check.ts";
import type { Target } from "../../../supabase/commands/doctor/deployment.ts";
import { examine, type Line } from "../../../supabase/commands/doctor/examine.ts";
import { storeSecrets } from "../../../supabase/local/store_secrets.ts";
import { readSql, schemaFiles } from "../../../supabase/sql_files.ts";
import { type TestStack, testStack } from "../../stack/harness.ts";
import { urlFor } from "../../stack/server.ts";
import { type Front, openFront } from "./front.ts";

/** A deployment that is as it must be, until a test breaks it. */
export interface TestDeployment {
  stack: TestStack;
  front: Front;
  agencyId: string;
  /** As the server's superuser, for what `postgres` may not do. */
  superuser: postgres.Sql;
  target: Target;
  /** The lines that are not right, by the name of the check. */
  examine(target?: Partial<Target>): Promise<Findings>;
  close(): Promise<void>;
}

/** What is not right. */
export type Findings = Record<string, Line>;

/** Builds one, with these functions running. */
export async function testDeployment(
  functions: string[] = ["api", "drain", "intake"],
  environment: (url: string) => Record<string, string> = () => ({}),
): Promise<TestDeployment> {
  const front = await openFront();
  const stack = await testStack({
    functions,
    environment: {
      SUPABASE_URL: front.url,
      PUBLIC_BASE_URL: front.url,
      ...environment(front.url),
    },
  });
  front.target = stack.baseUrl;
  const { sql } = stack;
  await storeSecrets(sql, { project_url: front.url });
  await recordMigrations(sql);
  const resource = `${front.url}/api/mcp`;
  await sql`insert into public.token_rules (resource) values (${resource})`;
  const agencyId = await stack.createAgency();
  const name = new URL(stack.databaseUrl).pathname.slice(1);
  const superuser = postgres(urlFor(inject("testServer"), name), { max: 1, onnotice: () => {} });
  const target = {
    url: front.url,
    databaseUrl: stack.databaseUrl,
    publishableKey: stack.publishableKey,
  };
  return {
    stack,
    front,
    agencyId,
    superuser,
    target,
    async examine(other = {}) {
      const { lines, count } = await examine({ ...target, ...other });
      const kept = lines.filter(({ outcome }) => outcome !== "right");
      expect(kept.filter(({ outcome }) => outcome === "wrong")).toHaveLength(count.wrong);
      return Object.fromEntries(kept.map((line) => [line.check, line]));
    },
    async close() {
      await superuser.end({ timeout: 1 });
      await stack.stop();
      await front.close();
    },
  };
}

/** What a deployment shows that nobody broke, when no key is given. */
export const NO_KEY: Record<string, Outcome> = { "api key": "unchecked", upload: "unchecked" };

/** The checks that are not right, and how. */
export function outcomes(findings: Findings): Record<string, Outcome> {
  return Object.fromEntries(Object.values(findings).map(({ check, outcome }) => [check, outcome]));
}

/** The rows that the Supabase CLI writes beside what it applies. */
async function recordMigrations(sql: postgres.Sql): Promise<void> {
  await sql`create schema supabase_migrations`;
  await sql`
    create table supabase_migrations.schema_migrations (
      version text primary key, statements text[], name text)`;
  for (const path of schemaFiles("migrations")) {
    const [version = "", name = ""] = basename(path, ".sql").split(/_(.*)/);
    await sql`
      insert into supabase_migrations.schema_migrations
      values (${version}, array[${readSql(path)}], ${name})`;
  }
}

/** A digest of every row that a deployment has, by table. */
export async function fingerprint(sql: postgres.Sql): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
    -- Who asks without a credential is counted, as for any caller.
    where c.relkind in ('r', 'p') and c.oid <> 'public.request_buckets'::regclass and c.relnamespace::regnamespace::text in
      ('public', 'vault', 'cron', 'net', 'auth', 'storage', 'supabase_migrations')
    order by 1`;
  const digests: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await sql.unsafe(
      `select md5(coalesce(string_agg(t::text, chr(10) order by t::text), '')) as digest from ${name} t`,
    );
    digests[name] = row?.digest;
  }
  const [limits] = await sql`
    select jsonb_object_agg(sequencename, last_value) as s from pg_sequences where schemaname = 'rate_limit'`;
  return { ...digests, "the rate limits' sequences": JSON.stringify(limits?.s) };
}

import postgres from "postgres";
import { seedFiles } from "../../supabase/local/demo.ts";
import type { DatabaseLogins } from "../../supabase/local/postgres/logins.ts";
import {
  cloneDatabase,
  createEmptyDatabase,
  dropDatabase,
  startThrowawayServer,
  type ThrowawayServer,
  urlFor,
} from "../../supabase/local/postgres/throwaway.ts";
import { storeSecrets } from "../../supabase/local/store_secrets.ts";
import { loadSchema, runFiles, type SchemaSource, schemaFiles } from "../../supabase/sql_files.ts";

export { urlFor };

/** The server of a test run. */
export type TestServer = ThrowawayServer;

/** What test databases are cloned from: the schema alone, or with pgTAP beside it. */
export type Template = "schema" | "pgtap";

/** Starts the server of a test run. */
export const startTestServer = startThrowawayServer;

/** Makes what `cloneTemplate` clones. */
export async function buildTemplate(
  server: TestServer,
  template: Template = "schema",
): Promise<void> {
  const name = await createEmptyDatabase(server, `template_${template}`);
  await loadSchema(urlFor(server, name, "postgres"), defaultSource());
  if (template === "pgtap") await installPgTap(urlFor(server, name));
}

/** A new database with all that the template has. */
export async function cloneTemplate(
  server: TestServer,
  template: Template = "schema",
): Promise<{ name: string; drop(): Promise<void> }> {
  const name = await cloneDatabase(server, templateName(server, template));
  return { name, drop: () => dropDatabase(server, name) };
}

/**
 * A database with pgTAP as a person has it who works with it: the demo data, the names of the vault, and the address
 * of the connector.
 */
export async function buildSeeded(
  server: TestServer,
): Promise<{ name: string; drop(): Promise<void> }> {
  const { name, drop } = await cloneTemplate(server, "pgtap");
  const sql = postgres(urlFor(server, name, "postgres"), { max: 1, onnotice: () => {} });
  try {
    await runFiles(sql, seedFiles());
    await storeSecrets(sql, { project_url: "http://127.0.0.1:54321", secret_key: "sb_secret_x" });
    await sql`insert into public.token_rules (resource) values ('http://127.0.0.1:54321/api/mcp')`;
  } finally {
    await sql.end();
  }
  return { name, drop };
}

/** A copy of a database to which nobody is connected. */
export async function copyOf(server: TestServer, database: string) {
  const name = await cloneDatabase(server, database);
  return { name, drop: () => dropDatabase(server, name) };
}

/** The logins of a stack on a database. */
export function gatewayDatabase(server: TestServer, database: string): DatabaseLogins {
  return {
    adminUrl: urlFor(server, database, "postgres"),
    authUrl: urlFor(server, database, "supabase_auth_admin"),
    requestUrl: urlFor(server, database, "authenticator"),
  };
}

/** As `supabase test db` installs it. */
async function installPgTap(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`create extension if not exists pgtap with schema extensions`;
  } finally {
    await sql.end();
  }
}

/** The migrations are what production runs; before the first one exists there is only `sql/`. */
function defaultSource(): SchemaSource {
  const chosen = process.env.TEST_SCHEMA_FROM;
  if (chosen === "sql" || chosen === "migrations" || chosen === "nothing") return chosen;
  return schemaFiles("migrations").length > 0 ? "migrations" : "sql";
}

function templateName(server: TestServer, template: Template): string {
  return `${server.prefix}_template_${template}`;
}

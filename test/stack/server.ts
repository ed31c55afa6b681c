import postgres from "postgres";
import type { GatewayDatabase } from "../../supabase/local/gateway/connection.ts";
import {
  cloneDatabase,
  createEmptyDatabase,
  dropDatabase,
  startThrowawayServer,
  type ThrowawayServer,
  urlFor,
} from "../../supabase/local/postgres/throwaway.ts";
import { loadSchema, type SchemaSource, schemaFiles } from "../../supabase/local/schema/load.ts";

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

/** The two addresses a gateway needs. */
export function gatewayDatabase(server: TestServer, database: string): GatewayDatabase {
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

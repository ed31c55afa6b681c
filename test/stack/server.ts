import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import type { GatewayDatabase } from "../../supabase/local/gateway/connection.ts";
import { freePort } from "../../supabase/local/ports.ts";
import { bootstrapDatabase, bootstrapServer } from "../../supabase/local/postgres/bootstrap.ts";
import { startServer, superuserUrl } from "../../supabase/local/postgres/server.ts";
import { loadSchema, type SchemaSource, schemaFiles } from "../../supabase/local/schema/load.ts";

/** How to reach the server of a test run. Plain data, so that it can be handed to test workers. */
export interface TestServer {
  /** Address of the maintenance database as superuser. */
  superuserUrl: string;
  /** A folder that goes with the run. */
  directory: string;
  /** Prefix of every database of the run. */
  prefix: string;
  /** Whether the server runs cron jobs by itself. */
  realCron: boolean;
}

/** Names of the databases that are cloned. */
export type Template = "schema" | "pgtap";

/**
 * Starts a Postgres of its own with nothing in it; `TEST_DATABASE_URL` (a superuser's address)
 * points at one that runs already.
 */
export async function startTestServer(): Promise<TestServer & { stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), "corredor-test-"));
  // The server may run under another account than the tests.
  chmodSync(directory, 0o755);
  const prefix = `test_${randomBytes(4).toString("hex")}`;
  const external = process.env.TEST_DATABASE_URL;
  const remove = () => rmSync(directory, { recursive: true, force: true });
  if (external !== undefined) {
    await bootstrapServer(external);
    const realCron = await hasRealCron(external);
    const server = { superuserUrl: external, directory, prefix, realCron };
    return {
      ...server,
      async stop() {
        await dropAll(server);
        remove();
      },
    };
  }
  try {
    const port = await freePort();
    const server = await startServer({
      dataDirectory: join(directory, "postgres"),
      port,
      durable: false,
      removeOnDeath: directory,
    });
    await bootstrapServer(superuserUrl(port));
    return {
      superuserUrl: superuserUrl(port),
      directory,
      prefix,
      realCron: false,
      async stop() {
        await server.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Makes an empty Supabase database and loads the schema into it, for others to be cloned from. */
export async function buildTemplate(server: TestServer, source = defaultSource()): Promise<void> {
  const name = templateName(server, "schema");
  await createDatabase(server, name);
  await bootstrapDatabase(urlFor(server, name));
  await loadSchema(urlFor(server, name, "postgres"), source);
}

/** Adds a template with pgTAP, as `supabase test db` installs it. */
export async function buildPgTapTemplate(server: TestServer): Promise<void> {
  const name = templateName(server, "pgtap");
  await createDatabase(server, name, templateName(server, "schema"));
  const sql = postgres(urlFor(server, name), { max: 1, onnotice: () => {} });
  try {
    await sql`create extension if not exists pgtap with schema extensions`;
  } finally {
    await sql.end();
  }
}

/** A new database with all that the template has. */
export async function cloneTemplate(
  server: TestServer,
  template: Template = "schema",
): Promise<{ name: string; drop(): Promise<void> }> {
  const name = `${server.prefix}_${randomBytes(5).toString("hex")}`;
  await createDatabase(server, name, templateName(server, template));
  return { name, drop: () => maintain(server, `drop database if exists ${name} with (force)`) };
}

/** The address of a database of the run, as the superuser or as one of the roles that log in. */
export function urlFor(server: TestServer, database: string, role?: "postgres" | "authenticator") {
  const url = new URL(server.superuserUrl);
  url.pathname = `/${database}`;
  if (role !== undefined && url.username !== role) {
    url.username = role;
    url.password = "postgres";
  }
  return url.href;
}

/** The two addresses a gateway needs. */
export function gatewayDatabase(server: TestServer, database: string): GatewayDatabase {
  return {
    adminUrl: urlFor(server, database, "postgres"),
    requestUrl: urlFor(server, database, "authenticator"),
  };
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

function createDatabase(server: TestServer, name: string, template = "template1"): Promise<void> {
  return maintain(server, `create database ${name} owner postgres template ${template}`);
}

async function maintain(server: TestServer, statement: string): Promise<void> {
  const sql = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

async function dropAll(server: TestServer): Promise<void> {
  const sql = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    const left =
      await sql`select datname from pg_database where starts_with(datname, ${server.prefix})`;
    for (const { datname } of left) await sql`drop database ${sql(datname)} with (force)`;
  } finally {
    await sql.end();
  }
}

async function hasRealCron(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1 });
  try {
    const [row] = await sql<{ libraries: string }[]>`
      select current_setting('shared_preload_libraries') as libraries`;
    return row?.libraries.includes("pg_cron") ?? false;
  } finally {
    await sql.end();
  }
}

import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { freePort } from "../ports.ts";
import { bootstrapDatabase, bootstrapServer } from "./bootstrap.ts";
import { startServer, superuserUrl } from "./server.ts";

/** How to reach a server for tests and tools. Plain data, so that it can be handed to workers. */
export interface ThrowawayServer {
  /** Address of the maintenance database as superuser. */
  superuserUrl: string;
  /** A folder that goes with the server. */
  directory: string;
  /** Prefix of every database made on it. */
  prefix: string;
  /** Whether the server runs cron jobs by itself. */
  realCron: boolean;
}

/**
 * Starts a Postgres of its own with nothing in it; `TEST_DATABASE_URL` (a superuser's address)
 * points at one that runs already.
 */
export async function startThrowawayServer(): Promise<ThrowawayServer & { stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), "corredor-test-"));
  // The server may run under another account than the tests.
  chmodSync(directory, 0o755);
  const prefix = `test_${randomBytes(4).toString("hex")}`;
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const external = process.env.TEST_DATABASE_URL;
    if (external !== undefined) {
      await bootstrapServer(external);
      const realCron = await hasRealCron(external);
      const server = { superuserUrl: external, directory, prefix, realCron };
      return { ...server, stop: () => dropAll(server).finally(remove) };
    }
    const port = await freePort();
    const server = await startServer({
      dataDirectory: join(directory, "postgres"),
      port,
      durable: false,
      removeOnDeath: directory,
    });
    const url = superuserUrl(port);
    await bootstrapServer(url);
    return {
      superuserUrl: url,
      directory,
      prefix,
      realCron: false,
      stop: () => server.stop().finally(remove),
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A new database as a hosted project has it before the first migration. */
export async function createEmptyDatabase(server: ThrowawayServer, suffix: string) {
  const name = `${server.prefix}_${suffix}`;
  await createDatabase(server, name);
  await bootstrapDatabase(urlFor(server, name));
  return name;
}

/** A copy of the template, to which nobody may be connected. */
export async function cloneDatabase(server: ThrowawayServer, template: string) {
  const name = `${server.prefix}_${randomBytes(5).toString("hex")}`;
  await createDatabase(server, name, template);
  return name;
}

/** Removes a database even while somebody is connected to it. */
export function dropDatabase(server: ThrowawayServer, name: string): Promise<void> {
  return maintain(server, `drop database if exists ${name} with (force)`);
}

/** The address of a database, as the superuser or as one of the roles that log in. */
export function urlFor(
  server: ThrowawayServer,
  database: string,
  role?: "postgres" | "authenticator" | "supabase_auth_admin",
): string {
  const url = new URL(server.superuserUrl);
  url.pathname = `/${database}`;
  if (role !== undefined && url.username !== role) {
    url.username = role;
    url.password = "postgres";
  }
  return url.href;
}

function createDatabase(server: ThrowawayServer, name: string, template = "template1") {
  return maintain(server, `create database ${name} owner postgres template ${template}`);
}

async function maintain(server: ThrowawayServer, statement: string): Promise<void> {
  const sql = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

async function dropAll(server: ThrowawayServer): Promise<void> {
  const sql = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    const left = await sql<{ datname: string }[]>`
      select datname from pg_database where starts_with(datname, ${server.prefix})`;
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

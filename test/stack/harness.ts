import { join } from "node:path";
import postgres from "postgres";
import { inject } from "vitest";
import { type FunctionConfig, readFunctions } from "../../supabase/local/functions/config.ts";
import type { EdgeLimits } from "../../supabase/local/functions/limits.ts";
import { generateKeys, legacyKey, signToken } from "../../supabase/local/keys.ts";
import { startStack } from "../../supabase/local/stack.ts";
import { storeSecrets } from "../../supabase/local/store_secrets.ts";
import { Permission } from "../../types/contracts/permissions.ts";
import { cloneTemplate, gatewayDatabase, type TestServer, urlFor } from "./server.ts";

/** A database of a test's own, with the whole schema and no rows but the reference rows. */
export interface TestDatabase {
  databaseUrl: string;
  /** As `postgres`. */
  sql: postgres.Sql;
  createAgency(name?: string): Promise<string>;
  /** A key with these permissions, or with all of them. */
  createApiKey(agencyId: string, permissions?: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** A whole stack of a test's own. */
export interface TestStack extends TestDatabase {
  baseUrl: string;
  studioUrl: string;
  publishableKey: string;
  secretKey: string;
  /** The secret key of an older project. */
  serviceRoleKey: string;
  jwtSecret: string;
  /** What functions and workers printed. */
  logs: string[];
  functionPid(name: string): number | undefined;
  functionPids(name: string): number[];
  /** A token of a signed-in user, as Auth would give it. */
  accessToken(claims: Record<string, unknown>): string;
  /** Makes functions callable that the test itself created. */
  reloadSchema(): Promise<void>;
}

/** What a test wants of its stack. */
export interface TestStackOptions {
  /** Functions to run, by name of `config.toml` or with an entry file of their own. None by default. */
  functions?: readonly (string | FunctionConfig)[];
  /** Added to the functions' environment. */
  environment?: Record<string, string>;
  /**
   * Whether the functions run within the limits of the hosted runtime, or within which others. By default as
   * `EDGE_LIMITS` says, so that CI can run any test within them.
   */
  edgeLimits?: boolean | EdgeLimits;
  /** Whether cron jobs run by themselves. Off by default, so that no minute job comes between. */
  cron?: boolean;
}

/** Clones the schema's template. */
export async function testDatabase(
  server: TestServer = inject("testServer"),
): Promise<TestDatabase> {
  const { name, drop } = await cloneTemplate(server);
  const databaseUrl = urlFor(server, name, "postgres");
  const sql = postgres(databaseUrl, { max: 5, onnotice: () => {} });
  return {
    databaseUrl,
    sql,
    async createAgency(agencyName = "Agencia de prueba") {
      const [row] = await sql<{ id: string }[]>`select admin.create_agency(${agencyName}) as id`;
      return required(row).id;
    },
    async createApiKey(agencyId, permissions = Permission.options) {
      const [row] = await sql<{ key: string }[]>`
        select admin.create_api_key(${agencyId}::uuid, 'test', ${permissions}::text[]) as key`;
      return required(row).key;
    },
    async stop() {
      await sql.end({ timeout: 1 });
      await drop();
    },
  };
}

/** Starts gateway, workers and the functions asked for on a database of their own, on free ports. */
export async function testStack(
  options: TestStackOptions = {},
  server: TestServer = inject("testServer"),
): Promise<TestStack> {
  const database = await testDatabase(server);
  const logs: string[] = [];
  try {
    const keys = await generateKeys();
    const stack = await startStack({
      database: gatewayDatabase(server, new URL(database.databaseUrl).pathname.slice(1)),
      keys,
      port: 0,
      studioPort: 0,
      functions: chooseFunctions(options.functions ?? []),
      cacheDirectory: join(server.directory, "deno"),
      storageDirectory: join(server.directory, "storage"),
      oauthDirectory: join(server.directory, "oauth", new URL(database.databaseUrl).pathname),
      edgeLimits: options.edgeLimits ?? process.env.EDGE_LIMITS === "true",
      cronWorker: options.cron === true,
      log: (line) => {
        logs.push(line);
        if (process.env.TEST_LOGS) console.log(line);
      },
      ...(options.environment ? { environment: options.environment } : {}),
    });
    await storeSecrets(database.sql, {
      project_url: stack.baseUrl,
      secret_key: keys.secretKey,
      hooks_allow_private_targets: options.environment?.HOOKS_ALLOW_PRIVATE_TARGETS ?? "false",
    });
    return {
      ...database,
      baseUrl: stack.baseUrl,
      studioUrl: stack.studioUrl,
      publishableKey: keys.publishableKey,
      secretKey: keys.secretKey,
      serviceRoleKey: legacyKey(keys, "service_role"),
      jwtSecret: keys.jwtSecret,
      logs,
      functionPid: stack.functionPid,
      functionPids: stack.functionPids,
      accessToken: (claims) => signToken(keys.jwtSecret, claims),
      reloadSchema: () => stack.reloadSchema(),
      async stop() {
        await stack.stop();
        await database.stop();
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

function chooseFunctions(wanted: readonly (string | FunctionConfig)[]): FunctionConfig[] {
  const declared = wanted.some((one) => typeof one === "string") ? readFunctions() : [];
  return wanted.map((one) => {
    if (typeof one !== "string") return one;
    const found = declared.find(({ name }) => name === one);
    if (found === undefined) throw new Error(`supabase/config.toml names no function ${one}`);
    return found;
  });
}

function required<T>(row: T | undefined): T {
  if (row === undefined) throw new Error("the database returned no row");
  return row;
}

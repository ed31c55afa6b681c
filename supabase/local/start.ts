import { join } from "node:path";
import postgres from "postgres";
import { exitWith } from "../failure.ts";
import { demoKey, demoLogin, type Login, seedWhenEmpty } from "./demo.ts";
import { readFunctions } from "./functions/config.ts";
import { findDeno } from "./functions/deno.ts";
import { requireProc } from "./functions/limits.ts";
import { type Keys, loadKeys } from "./keys.ts";
import { lockDirectory } from "./lock.ts";
import { applyMigrations } from "./migrations.ts";
import { isPortFree, portInUse } from "./ports.ts";
import { bootstrapDatabase, bootstrapServer } from "./postgres/bootstrap.ts";
import { databaseUrl, startServer, superuserUrl } from "./postgres/server.ts";
import { storeSecrets } from "./secrets.ts";
import { readSettings, type Settings } from "./settings.ts";
import { onParentGone, onSignal, Shutdown } from "./shutdown.ts";
import { connectorUrl, type Stack, startStack } from "./stack.ts";

const shutdown = new Shutdown();

/** Boots the stack and stays in the foreground until a signal comes. */
async function main(): Promise<void> {
  const startedAt = Date.now();
  onSignal(() => void stop(0));
  onParentGone(() => void stop(0));
  const settings = readSettings();
  findDeno();
  if (settings.edgeLimits) requireProc();
  await shutdown.step(() => startDatabase(settings));
  const url = databaseUrl(settings.databasePort);
  const keys = await shutdown.step(() => loadKeys(settings.dataDirectory));

  const migrated = await shutdown.step(() => applyMigrations(url));
  if (migrated > 0) console.log(`Applied ${migrated} migration(s).`);
  const stack = await shutdown.step(() => startParts(settings, keys));
  if (settings.edgeLimits) {
    console.log("Functions run within the hosted limits: 2 s of CPU, 150 s and 256 MB a worker.");
  }
  const demo = await shutdown.step(() => prepareDatabase(url, settings, stack.baseUrl, keys));
  announce(stack, url, demo, Date.now() - startedAt);
}

async function startDatabase(settings: Settings): Promise<void> {
  for (const [setting, port] of [
    ["PORT", settings.port],
    ["STUDIO_PORT", settings.studioPort],
  ] as const) {
    if (!(await isPortFree(port))) throw portInUse(port, setting);
  }
  shutdown.add(lockDirectory(settings.dataDirectory));
  const server = await startServer({
    dataDirectory: join(settings.dataDirectory, "postgres"),
    port: settings.databasePort,
    durable: true,
    signal: shutdown.signal,
  });
  shutdown.add(() => server.stop());
  server.ended.then((reason) => {
    if (shutdown.begun) return;
    console.error(`corredor: Postgres ended: ${reason}`);
    void stop(1);
  });
  const superuser = superuserUrl(settings.databasePort);
  await bootstrapServer(superuser);
  await bootstrapDatabase(superuser);
}

async function startParts(settings: Settings, keys: Keys): Promise<Stack> {
  const { databasePort, dataDirectory } = settings;
  const stack = await startStack({
    database: {
      adminUrl: databaseUrl(databasePort),
      authUrl: databaseUrl(databasePort, "postgres", "supabase_auth_admin"),
      requestUrl: databaseUrl(databasePort, "postgres", "authenticator"),
    },
    keys,
    port: settings.port,
    studioPort: settings.studioPort,
    functions: readFunctions(),
    cacheDirectory: join(dataDirectory, "deno"),
    storageDirectory: join(dataDirectory, "storage"),
    oauthDirectory: join(dataDirectory, "oauth"),
    edgeLimits: settings.edgeLimits,
    cronWorker: true,
    log: (line) => console.log(line),
  });
  shutdown.add(() => stack.stop());
  return stack;
}

/** With what a person tries the demo agency. */
interface Demo {
  key: string | undefined;
  login: Login | undefined;
}

async function prepareDatabase(
  url: string,
  settings: Settings,
  baseUrl: string,
  { secretKey, publishableKey }: Keys,
): Promise<Demo> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await storeSecrets(sql, {
      project_url: baseUrl,
      secret_key: secretKey,
      // The database judges targets too, and has no environment.
      hooks_allow_private_targets: process.env.HOOKS_ALLOW_PRIVATE_TARGETS ?? "false",
    });
    await nameConnector(sql, connectorUrl(baseUrl));
    if (settings.seed) await seedWhenEmpty(sql);
    return {
      key: await demoKey(sql, settings.dataDirectory),
      login: await demoLogin(sql, { baseUrl, publishableKey }, settings.dataDirectory),
    };
  } finally {
    await sql.end();
  }
}

/** The address is the port's, which may be another one than last time. The issuer stays free: Lite's sessions name none. */
async function nameConnector(sql: postgres.Sql, resource: string): Promise<void> {
  await sql`
    insert into public.token_rules (resource) values (${resource})
    on conflict (only_row) do update set resource = excluded.resource`;
}

function announce(
  { baseUrl, studioUrl }: Stack,
  url: string,
  { key, login }: Demo,
  took_ms: number,
): void {
  const first =
    key === undefined
      ? `npm run admin -- create-agency --name "My agency"`
      : `curl -s '${baseUrl}/api/v1/operations?limit=1' -H 'Authorization: Bearer ${key}'`;
  const signIn = login && `${login.email}, password ${login.password}`;
  console.log(`
Corredor is up (${(took_ms / 1000).toFixed(1)} s). Ctrl-C stops it.

  Base URL   ${baseUrl}
  Studio     ${studioUrl}
  Database   ${url}
  API key    ${key ?? "none yet: there is no agency"}
  Connector  ${connectorUrl(baseUrl)}
  Sign-in    ${signIn ?? "none: there is no demo agency"}

Try:

  ${first}
`);
}

async function stop(code: number): Promise<void> {
  await shutdown.run();
  process.exit(code);
}

await main().catch(async (error) => {
  if (shutdown.begun) return;
  await shutdown.run();
  exitWith(error);
});

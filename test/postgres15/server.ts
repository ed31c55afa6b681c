import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { Failure } from "../../supabase/failure.ts";
import { freePort } from "../../supabase/local/ports.ts";
import { bootstrapDatabase, bootstrapServer } from "../../supabase/local/postgres/bootstrap.ts";
import { installExtensions } from "../../supabase/local/postgres/install_extensions.ts";
import { makeOwnedDirectory, serverOwner } from "../../supabase/local/postgres/owner.ts";

const binaries = "/usr/lib/postgresql/15/bin";
const extensions = "/usr/share/postgresql/15/extension";

type DebianLogin = "supabase_admin" | "postgres" | "authenticator" | "supabase_auth_admin";

/** A throw-away cluster of Debian's PostgreSQL 15 that runs the real pg_cron in one database. */
export interface DebianServer {
  /** The address of a database on it, as one of its roles. */
  url(database: string, role: DebianLogin): string;
  /** The one database that pg_cron serves, with what a hosted project has before its first migration. */
  database: string;
  /** Starts it anew: pg_cron then finds its jobs whatever it saw while the schema was being made. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes and starts the cluster. Needs Debian's packages postgresql-15, -cron and -pgtap. */
export async function startDebianServer(): Promise<DebianServer> {
  for (const file of [`${binaries}/postgres`, `${extensions}/pg_cron.control`]) {
    if (!existsSync(file)) throw new Failure(`there is no ${file}: install postgresql-15-cron`);
  }
  // pg_net and Vault are in no Debian package; the stand-ins have their signatures.
  installExtensions(extensions, ["pg_net", "supabase_vault"]);

  const directory = mkdtempSync(join(tmpdir(), "corredor-pg15-"));
  chmodSync(directory, 0o755);
  const owner = serverOwner();
  const data = join(directory, "data");
  const database = "corredor";
  const port = await freePort();
  makeOwnedDirectory(data, owner);
  const passwordFile = join(directory, "password");
  writeFileSync(passwordFile, "postgres\n");
  const initdb = spawnSync(
    `${binaries}/initdb`,
    [`--pgdata=${data}`, "--username=supabase_admin", `--pwfile=${passwordFile}`].concat([
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C.UTF-8",
      "--no-sync",
    ]),
    { ...owner, encoding: "utf8", cwd: "/" },
  );
  if (initdb.status !== 0) throw new Failure(`initdb: ${initdb.stderr}`);

  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    fsync: "off",
    shared_preload_libraries: "pg_cron",
    "cron.database_name": database,
    // Jobs then need no login of their own.
    "cron.use_background_workers": "on",
    max_worker_processes: 20,
    log_min_messages: "fatal",
  };
  let child = start();
  const url = (name: string, role: string) =>
    `postgresql://${role}:postgres@127.0.0.1:${port}/${name}`;

  function start(): ChildProcess {
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    return spawn(`${binaries}/postgres`, ["-D", data, ...options], {
      ...owner,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }

  async function halt(): Promise<void> {
    if (child.exitCode !== null) return;
    child.kill("SIGINT");
    await once(child, "exit");
  }

  async function restart(): Promise<void> {
    await halt();
    child = start();
    await untilItAnswers(url(database, "supabase_admin"));
  }

  async function stop(): Promise<void> {
    await halt();
    rmSync(directory, { recursive: true, force: true });
  }

  try {
    await untilItAnswers(url("postgres", "supabase_admin"));
    await bootstrapServer(url("postgres", "supabase_admin"));
    const server = postgres(url("postgres", "supabase_admin"), { max: 1, onnotice: () => {} });
    await server.unsafe(`create database ${database} owner postgres`);
    await server.end();
    await bootstrapDatabase(url(database, "supabase_admin"));
    await grantCron(url(database, "supabase_admin"));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, database, restart, stop };
}

/** On a hosted project the platform installs pg_cron and lets `postgres` schedule jobs. */
async function grantCron(superuserUrl: string): Promise<void> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(`
    create extension pg_cron;
    create extension pgtap with schema extensions;
    grant usage on schema cron to postgres with grant option;
    grant all on all functions in schema cron to postgres;
    grant all on all tables in schema cron to postgres;
  `);
  await sql.end();
}

async function untilItAnswers(url: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const sql = postgres(url, { max: 1, connect_timeout: 2 });
    try {
      await sql`select 1`;
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      await sql.end();
    }
  }
}

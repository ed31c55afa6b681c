import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Failure, messageOf } from "../../failure.ts";
import { isPortFree } from "../ports.ts";
import { watchdog } from "../watchdog.ts";
import { findPostgres, type PostgresBinaries } from "./find_postgres.ts";
import { installExtensions } from "./install_extensions.ts";
import { launch, makeOwnedDirectory, type Owner, serverOwner } from "./owner.ts";
import { FAST_SHUTDOWN_MS, readPostmaster, releaseDataDirectory } from "./postmaster.ts";

/** How to run the embedded server. */
export interface ServerOptions {
  /** Folder of the cluster. Made when it does not exist. */
  dataDirectory: string;
  port: number;
  /** A throw-away server need not survive a power cut, which makes it a good deal faster. */
  durable: boolean;
  /** Gives up a start that is under way. */
  signal?: AbortSignal;
  /** Removed together with the server when this process dies without stopping it. */
  removeOnDeath?: string;
}

/** A running embedded server. */
export interface Server {
  port: number;
  /** Whether this start made the cluster. */
  created: boolean;
  /** Settles, with the reason, when the server is no longer there. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

const runProgram = promisify(execFile);
const superuser = "supabase_admin";
const password = "postgres";

/** The address of a database on the embedded server, as `postgres` unless told otherwise. */
export function databaseUrl(port: number, database = "postgres", user = "postgres"): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
}

/** The address for what only the superuser may do. */
export function superuserUrl(port: number, database = "postgres"): string {
  return databaseUrl(port, database, superuser);
}

/** Starts the embedded Postgres, making its cluster first when there is none. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { dataDirectory, port } = options;
  const binaries = findPostgres();
  const owner = serverOwner();
  installExtensions(binaries.extensionDirectory);

  const created = !existsSync(join(dataDirectory, "PG_VERSION"));
  if (created) await initialise(binaries, dataDirectory, owner);
  else await releaseDataDirectory(dataDirectory);
  if (!(await isPortFree(port))) {
    throw new Failure(`port ${port} is in use (DB_PORT chooses another one for Postgres)`);
  }

  const logPath = `${dataDirectory}.log`;
  const log = openSync(logPath, "w");
  const args = ["-D", dataDirectory, ...settings(options)];
  const start = launch(owner, binaries.postgres, args, [dataDirectory]);
  const child = spawn(start.program, start.args, {
    ...start.options,
    // A session of its own, so that Ctrl-C reaches us first and the parts stop in order.
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  // From the first moment, or a server that is still starting would outlive us.
  const release =
    child.pid === undefined ? () => {} : watchdog(child.pid, "INT", options.removeOnDeath);
  try {
    await waitUntilReady(child, dataDirectory, logPath, options.signal);
  } catch (error) {
    await stopChild(child);
    release();
    throw error;
  }

  return {
    port,
    created,
    ended: new Promise((resolve) => {
      child.once("exit", () => resolve(firstError(readFileSync(logPath, "utf8"))));
    }),
    async stop() {
      await stopChild(child);
      release();
    },
  };
}

async function initialise(
  binaries: PostgresBinaries,
  dataDirectory: string,
  owner: Owner | undefined,
): Promise<void> {
  if (existsSync(dataDirectory) && readdirSync(dataDirectory).length > 0) {
    throw new Failure(`${dataDirectory} is not empty and is not a Postgres data folder`);
  }
  // Made elsewhere and moved when complete: what a killed initdb leaves behind looks like a cluster but is not one.
  const draft = `${dataDirectory}.new`;
  rmSync(draft, { recursive: true, force: true });
  makeOwnedDirectory(draft, owner);
  const passwordFile = `${dataDirectory}.password`;
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (owner !== undefined) chownSync(passwordFile, owner.uid, owner.gid);
  try {
    await runInitdb(binaries, draft, owner, passwordFile);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, dataDirectory);
}

async function runInitdb(
  binaries: PostgresBinaries,
  dataDirectory: string,
  owner: Owner | undefined,
  passwordFile: string,
): Promise<void> {
  let lastError = "";
  // Trigrams need a locale that knows accented letters; which one exists depends on the system.
  for (const locale of ["C.UTF-8", "en_US.UTF-8", "C"]) {
    const start = launch(
      owner,
      binaries.initdb,
      [
        `--pgdata=${dataDirectory}`,
        `--username=${superuser}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        `--locale=${locale}`,
        "--lc-messages=C",
        "--no-sync",
      ],
      [dataDirectory],
    );
    const options = { ...start.options, cwd: "/" };
    try {
      await runProgram(start.program, start.args, options);
      return;
    } catch (error) {
      lastError = firstError((error as { stderr?: string }).stderr || messageOf(error));
    }
  }
  throw new Failure(`Postgres cannot make its data folder ${dataDirectory}: ${lastError}`);
}

function settings(options: ServerOptions): string[] {
  const values = {
    port: options.port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 200,
    timezone: "UTC",
    log_timezone: "UTC",
    shared_buffers: "128MB",
    // The default of a hosted project.
    statement_timeout: "2min",
    ...(options.durable
      ? {}
      : { fsync: "off", synchronous_commit: "off", full_page_writes: "off", autovacuum: "on" }),
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

async function waitUntilReady(
  child: ChildProcess,
  dataDirectory: string,
  logPath: string,
  signal?: AbortSignal,
): Promise<void> {
  let ended: string | undefined;
  child.once("error", (error) => {
    ended = error.message;
  });
  child.once("exit", () => {
    ended = firstError(existsSync(logPath) ? readFileSync(logPath, "utf8") : "");
  });
  const deadline = Date.now() + 60_000;
  while (ended === undefined && Date.now() < deadline) {
    if (signal?.aborted) throw new Failure("Postgres was told to stop before it was ready");
    const postmaster = readPostmaster(dataDirectory);
    if (postmaster?.pid === child.pid && postmaster?.ready) return;
    await delay(10);
  }
  throw new Failure(`Postgres does not start on ${dataDirectory}: ${ended ?? "not ready in 60 s"}`);
}

/**
 * Fast shutdown: open transactions roll back, then the server writes its checkpoint and ends. One that
 * is still recovering can miss that, and then ends at once without a checkpoint.
 */
async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGINT");
  const urge = setTimeout(() => child.kill("SIGQUIT"), FAST_SHUTDOWN_MS);
  await exited;
  clearTimeout(urge);
}

/** The line that says what went wrong, out of a server's or initdb's output. */
function firstError(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const telling = lines.filter((line) => /FATAL|PANIC|error:|ERROR/.test(line));
  return (telling.at(0) ?? lines.at(-1) ?? "no output").replace(/^.*?(FATAL|PANIC|error):\s*/, "");
}

import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { Failure } from "../../failure.ts";
import type { FunctionConfig } from "./config.ts";

const preload = join(import.meta.dirname, "preload.ts");
const READY_TIMEOUT_MS = 30_000;
/** What the preload says once the function takes requests. */
const LISTENING = /^Listening on http:\/\/127\.0\.0\.1:(\d+)\//;

/** The Denos that functions may run on, by the value of `DENO_VERSION`, and the packages that bring them. */
const DENOS: Record<string, string> = {
  "": "deno",
  // What Supabase's edge runtime is built from.
  "2.1": "deno-2.1",
};

/** What a function process needs besides its code. */
export interface FunctionSettings {
  /** All it may read of the environment. */
  environment: Record<string, string>;
  /** Deno's cache of compiled code. */
  cacheDirectory: string;
  /** Flags for V8 besides those that every function gets. */
  v8Flags?: readonly string[];
  log(line: string): void;
}

/** One Deno that runs a function. */
export interface DenoProcess {
  readonly child: ChildProcess;
  readonly pid: number | undefined;
  /** The loopback port on which the function takes requests, or nothing when it ended before it did. */
  readonly listening: Promise<number | undefined>;
  /** Why it ended. */
  readonly exited: Promise<string>;
}

/** Starts a function in a Deno of its own. One that does not listen within 30 s is killed. */
export function spawnFunction(
  deno: string,
  config: FunctionConfig,
  settings: FunctionSettings,
): DenoProcess {
  const { environment, cacheDirectory, log } = settings;
  const child = spawn(deno, denoArguments(config, settings), {
    cwd: dirname(config.entrypoint),
    // Nothing of our own environment: a function may read all of the one it is given.
    env: {
      ...environment,
      ...certificates(),
      DENO_DIR: cacheDirectory,
      DENO_NO_UPDATE_CHECK: "1",
      NO_COLOR: "1",
    },
    // A session of its own, so that Ctrl-C reaches us first and the parts stop in order.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin?.on("error", () => {});
  const port = Promise.withResolvers<number>();
  for (const output of [child.stdout, child.stderr]) {
    if (output === null) continue;
    createInterface(output).on("line", (line) => {
      const listening = LISTENING.exec(line)?.[1];
      if (listening === undefined) log(`[${config.name}] ${line}`);
      else port.resolve(Number(listening));
    });
  }
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  const slow = setTimeout(() => child.kill("SIGKILL"), READY_TIMEOUT_MS);
  const listening = Promise.race([port.promise, exited.then(() => undefined)]).finally(() =>
    clearTimeout(slow),
  );
  return { child, pid: child.pid, listening, exited };
}

/** Stops a process in order, and by force when it does not end within 5 s. */
export async function stopProcess({ child, exited }: DenoProcess): Promise<void> {
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), 5000);
  await exited;
  clearTimeout(force);
}

/** The least a function needs: the network, its own settings, the files of the API's pages, nothing written. */
function denoArguments(config: FunctionConfig, settings: FunctionSettings): string[] {
  const imports = join(dirname(config.entrypoint), "..", "deno.json");
  // A hosted function has 256 MB. Left alone, V8 lets its young generation grow into most of that under load.
  const v8Flags = ["--max-semi-space-size=4", ...(settings.v8Flags ?? [])];
  return [
    "run",
    "--no-prompt",
    "--no-lock",
    "--no-remote",
    "--cached-only",
    "--node-modules-dir=manual",
    `--v8-flags=${v8Flags.join(",")}`,
    ...(existsSync(imports) ? [`--config=${imports}`] : ["--no-config"]),
    "--allow-net",
    `--allow-read=${dirname(findPackage("swagger-ui-dist"))}`,
    "--allow-env",
    writeMainModule(config, settings.cacheDirectory),
  ];
}

/**
 * Writes the module that Deno starts with: the preload, then the function. Deno 2.1 has no flag for a preload, and a
 * module that imports the function by a computed name would need leave to read all of its files.
 */
function writeMainModule({ name, entrypoint }: FunctionConfig, cacheDirectory: string): string {
  const code = [preload, entrypoint]
    .map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`)
    .join("");
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 12);
  const directory = join(cacheDirectory, "main");
  const file = join(directory, `${name}-${hash}.ts`);
  if (existsSync(file)) return file;
  mkdirSync(directory, { recursive: true });
  // Stacks that share a cache may write it at the same time; none may read half of it.
  const unfinished = join(directory, `${randomUUID()}.ts`);
  writeFileSync(unfinished, code);
  renameSync(unfinished, file);
  return file;
}

/** Extra certificate authorities that the caller of the stack trusts. */
function certificates(): Record<string, string> {
  const names = ["DENO_CERT", "DENO_TLS_CA_STORE"];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

function findPackage(name: string): string {
  return createRequire(import.meta.url).resolve(`${name}/package.json`);
}

/** The Deno program that `npm ci` installed; `DENO_VERSION=2.1` chooses the edge runtime's base. */
export function findDeno(version = process.env.DENO_VERSION ?? ""): string {
  const name = DENOS[version];
  if (name === undefined) {
    throw new Failure(`DENO_VERSION must be 2.1 or unset: ${version}`);
  }
  try {
    const path = join(dirname(findPackage(name)), "deno");
    if (existsSync(path)) return path;
  } catch {
    // Said below.
  }
  const where = version === "" ? "" : ", which there is for Linux on x64 alone";
  throw new Failure(`Deno is missing: the package ${name} is not installed (npm ci)${where}`);
}

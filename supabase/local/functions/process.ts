import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../failure.ts";
import type { FunctionConfig } from "./config.ts";

const preload = join(import.meta.dirname, "preload.ts");
const firstPause_ms = 100;
const longestPause_ms = 10_000;
const readyLimit_ms = 30_000;
/** What Deno says once a server takes requests. */
const LISTENING = /^Listening on http:\/\/127\.0\.0\.1:(\d+)\//;

/** What a function process needs besides its code. */
export interface FunctionSettings {
  /** All it may read of the environment. */
  environment: Record<string, string>;
  /** Deno's cache of compiled code. */
  cacheDirectory: string;
  log(line: string): void;
}

/** A function that is kept running. */
export interface FunctionProcess {
  readonly name: string;
  /** The loopback port to send requests to, or nothing while it is not running. */
  readonly port: number | undefined;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** Runs a function in a Deno of its own and starts it again, with back-off, when it dies. */
export function runFunction(config: FunctionConfig, settings: FunctionSettings) {
  return new RunningFunction(config, settings);
}

class RunningFunction implements FunctionProcess {
  readonly name: string;
  port: number | undefined;
  readonly #config: FunctionConfig;
  readonly #settings: FunctionSettings;
  /** Looked for at once: a stack that cannot run its functions says so and does not start. */
  readonly #deno = findDeno();
  readonly #stopping = new AbortController();
  readonly #loop: Promise<void>;
  #child: ChildProcess | undefined;
  #firstReady: Promise<void>;
  #resolveFirst: () => void = () => {};

  constructor(config: FunctionConfig, settings: FunctionSettings) {
    this.name = config.name;
    this.#config = config;
    this.#settings = settings;
    this.#firstReady = new Promise((resolve) => {
      this.#resolveFirst = resolve;
    });
    this.#loop = this.#keepRunning();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves once the function takes requests, or died before it did. */
  ready(): Promise<void> {
    return this.#firstReady;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    child?.kill("SIGTERM");
    const force = setTimeout(() => child?.kill("SIGKILL"), 5000);
    await this.#loop;
    clearTimeout(force);
  }

  async #keepRunning(): Promise<void> {
    let pause_ms = firstPause_ms;
    while (!this.#stopping.signal.aborted) {
      const startedAt = Date.now();
      const { listening, exited } = this.#spawn();
      const slow = setTimeout(() => this.#child?.kill("SIGKILL"), readyLimit_ms);
      this.port = await Promise.race([listening, exited.then(() => undefined)]);
      clearTimeout(slow);
      this.#resolveFirst();
      const reason = await exited;
      this.port = undefined;
      this.#child = undefined;
      if (this.#stopping.signal.aborted) return;
      if (Date.now() - startedAt > longestPause_ms) pause_ms = firstPause_ms;
      this.#settings.log(`[${this.name}] ended (${reason}), starts again in ${pause_ms} ms`);
      await delay(pause_ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
      pause_ms = Math.min(pause_ms * 2, longestPause_ms);
    }
  }

  #spawn(): { listening: Promise<number>; exited: Promise<string> } {
    const { environment, cacheDirectory, log } = this.#settings;
    const child = spawn(this.#deno, denoArguments(this.#config, Object.keys(environment)), {
      cwd: dirname(this.#config.entrypoint),
      env: {
        ...environment,
        ...certificates(),
        // A port that the system chooses cannot be taken by another process before the function listens on it.
        DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
        DENO_DIR: cacheDirectory,
        DENO_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
      },
      // A session of its own, so that Ctrl-C reaches us first and the parts stop in order.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    child.stdin?.on("error", () => {});
    const listening = Promise.withResolvers<number>();
    for (const output of [child.stdout, child.stderr]) {
      if (output === null) continue;
      createInterface(output).on("line", (line) => {
        const port = LISTENING.exec(line)?.[1];
        if (port === undefined) log(`[${this.name}] ${line}`);
        else listening.resolve(Number(port));
      });
    }
    const exited = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
    });
    return { listening: listening.promise, exited };
  }
}

/** The least a function needs: the network, its own settings, the files of the API's pages, nothing written. */
function denoArguments({ entrypoint }: FunctionConfig, environment: string[]): string[] {
  const root = join(dirname(entrypoint), "..", "deno.json");
  return [
    "run",
    "--no-prompt",
    "--no-lock",
    "--no-remote",
    "--cached-only",
    "--node-modules-dir=manual",
    // A hosted function has 256 MB. Left alone, V8 lets its young generation grow into most of that under load.
    "--v8-flags=--max-semi-space-size=4",
    ...(existsSync(root) ? [`--config=${root}`] : ["--no-config"]),
    "--allow-net",
    `--allow-read=${dirname(findPackage("swagger-ui-dist"))}`,
    `--allow-env=${environment.join(",")}`,
    // A library that looks for a variable of its own finds it unset instead of failing.
    "--ignore-env",
    `--preload=${preload}`,
    entrypoint,
  ];
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

/** The Deno program that `npm ci` installed. */
export function findDeno(): string {
  try {
    const path = join(dirname(findPackage("deno")), "deno");
    if (existsSync(path)) return path;
  } catch {
    // Said below.
  }
  throw new Failure("Deno is missing: the package deno is not installed (npm ci)");
}

import { serveConsentPage } from "./consent/serve_consent_page.ts";
import { type Handler, openFront } from "./front/server.ts";
import { type FunctionConfig, isOnDisk } from "./functions/config.ts";
import { functionEnvironment } from "./functions/environment.ts";
import { type EdgeLimits, HOSTED_LIMITS } from "./functions/limits.ts";
import { keepRunning } from "./functions/process.ts";
import type { RunningFunction } from "./functions/running.ts";
import { runWorkers } from "./functions/worker_pool.ts";
import { authSettings, type Gateway, openGateway } from "./gateway/gateway.ts";
import type { Keys } from "./keys.ts";
import { type AuthorizationServer, openAuthorizationServer } from "./oauth/server.ts";
import type { DatabaseLogins } from "./postgres/logins.ts";
import { openStorage } from "./storage/storage.ts";
import { openStudio, type Studio } from "./studio/studio.ts";
import { startCronWorker, type Worker } from "./workers/cron.ts";
import { startNetWorker } from "./workers/net.ts";

/** What a stack needs. */
export interface StackOptions {
  /** A database that has its migrations. */
  database: DatabaseLogins;
  keys: Keys;
  /** Port of the base URL; 0 takes a free one. */
  port: number;
  /** Port of Studio; 0 takes a free one. */
  studioPort: number;
  functions: readonly FunctionConfig[];
  /** Where Deno keeps compiled code. */
  cacheDirectory: string;
  /** Where Storage keeps its files. */
  storageDirectory: string;
  /** Where the authorization server keeps its keys and what it granted. */
  oauthDirectory: string;
  /** Whether functions run within the limits of the hosted runtime, or within which others. */
  edgeLimits: boolean | EdgeLimits;
  /** Added to the environment of every function. */
  environment?: Record<string, string>;
  /** Off when the server has the real pg_cron. */
  cronWorker: boolean;
  log(line: string): void;
}

/** A running stack on one database. */
export interface Stack {
  baseUrl: string;
  port: number;
  studioUrl: string;
  /** Makes functions and tables visible that were created after the start. */
  reloadSchema(): Promise<void>;
  /** The process of a function that takes requests, if there is one. */
  functionPid(name: string): number | undefined;
  /** All processes of a function: with limits, a new worker runs beside those that finish their work. */
  functionPids(name: string): number[];
  stop(): Promise<void>;
}

/** The address that a person gives to an assistant. */
export function connectorUrl(baseUrl: string): string {
  return `${baseUrl}/api/mcp`;
}

/** Starts gateway, Studio, functions, workers and the front before them. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { database, keys, log } = options;
  let gateway: Gateway | undefined;
  let studio: Studio | undefined;
  let authorizationServer: AuthorizationServer | undefined;
  let consentPage: Handler | undefined;
  const functions = new Map<string, RunningFunction>();
  const workers: Worker[] = [];
  const front = await openFront(options.port, {
    gateway: () => gateway,
    authorizationServer: () => authorizationServer?.handle,
    consentPage: () => consentPage,
    takeTurn: (name) => functions.get(name)?.take(),
  });

  const siteUrl = `${front.baseUrl}/consent`;
  const storage = openStorage({ database, keys, directory: options.storageDirectory });

  async function stop(): Promise<void> {
    await front.close();
    await Promise.all([...functions.values(), ...workers].map((part) => part.stop()));
    await authorizationServer?.close();
    await studio?.close();
    await gateway?.close();
    await storage.close();
  }

  try {
    const environment = functionEnvironment({
      baseUrl: front.baseUrl,
      keys,
      ...(options.environment ? { overrides: options.environment } : {}),
    });
    const settings = { environment, cacheDirectory: options.cacheDirectory, log };
    const limits = options.edgeLimits === true ? HOSTED_LIMITS : options.edgeLimits;
    for (const config of options.functions) {
      if (isOnDisk(config)) {
        const running = limits
          ? runWorkers(config, settings, limits)
          : keepRunning(config, settings);
        functions.set(config.name, running);
      } else {
        log(`[${config.name}] is not there: no file ${config.entrypoint}`);
      }
    }
    gateway = await openGateway({
      database,
      keys,
      siteUrl,
      storage: storage.fetch,
    });
    studio = await openStudio({
      adminUrl: database.adminUrl,
      auth: authSettings(keys, siteUrl),
      port: options.studioPort,
      log,
    });
    const opened = { gateway, studio };
    authorizationServer = openAuthorizationServer({
      baseUrl: front.baseUrl,
      siteUrl,
      connectorUrl: connectorUrl(front.baseUrl),
      database,
      gateway,
      keys,
      directory: options.oauthDirectory,
      log,
    });
    consentPage = serveConsentPage({
      supabase_url: front.baseUrl,
      publishable_key: keys.publishableKey,
      connector_url: connectorUrl(front.baseUrl),
    });
    await Promise.all([...functions.values()].map((running) => running.ready()));
    if (options.cronWorker) workers.push(startCronWorker(database.adminUrl, log));
    workers.push(startNetWorker(database.adminUrl, log));
    return {
      baseUrl: front.baseUrl,
      port: front.port,
      studioUrl: studio.url,
      async reloadSchema() {
        await Promise.all([opened.gateway.reloadSchema(), opened.studio.reloadSchema()]);
      },
      functionPid: (name) => functions.get(name)?.pid,
      functionPids: (name) => functions.get(name)?.pids ?? [],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

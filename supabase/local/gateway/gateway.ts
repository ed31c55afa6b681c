import { App } from "@supabase/lite";
import type { Keys } from "../keys.ts";
import type { DatabaseLogins } from "../postgres/logins.ts";
import { acceptLegacyKeys } from "./accept_legacy_keys.ts";
import { EXPOSED_SCHEMA, GatewayConnection } from "./connection.ts";
import { refuseAuthorization } from "./refuse_authorization.ts";

// Lite replaces this function with one that throws when a warning is an Error, as Node's own are (a leak of listeners, for
// example). A warning must not end the process.
const warn = process.emitWarning as (text: string, ...rest: unknown[]) => void;
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  if (warning instanceof Error) warn(warning.message, warning.name);
  else warn(warning, ...rest);
};

/** The one way to Data API and Auth, both by Supabase Lite, and to Storage. */
export interface Gateway {
  fetch(request: Request, context: { peerAddress: string | null }): Promise<Response>;
  /** Makes functions and tables visible that were created since. */
  reloadSchema(): Promise<void>;
  close(): Promise<void>;
}

const STORAGE = /^[^/]+\/\/[^/]+\/storage\/v1\//;
const DATA_API = /^[^/]+\/\/[^/]+\/rest\/v1\//;

/** What Supabase Lite has to know of a project's keys. */
export function authSettings(keys: Keys, siteUrl: string) {
  return {
    enabled: true,
    jwt_secret: keys.jwtSecret,
    publishable_key: keys.publishableKey,
    secret_key: keys.secretKey,
    site_url: siteUrl,
  };
}

/** Opens the gateway on a database. */
export async function openGateway(options: {
  database: DatabaseLogins;
  keys: Keys;
  siteUrl: string;
  storage(request: Request): Promise<Response>;
}): Promise<Gateway> {
  const { database, keys, siteUrl, storage } = options;
  const connection = new GatewayConnection(database);
  const acceptLegacy = acceptLegacyKeys(keys);
  const app = new App({
    connection,
    api: { enabled: true, schemas: [EXPOSED_SCHEMA] },
    auth: authSettings(keys, siteUrl),
    db: { migrations: { enabled: false } },
    studio: { enabled: false },
  });
  await app.init();
  await connection.reloadSchema();
  return {
    async fetch(request, context) {
      acceptLegacy(request);
      if (STORAGE.test(request.url)) return storage(request);
      const refused = DATA_API.test(request.url) ? refuseAuthorization(request) : undefined;
      return refused ?? app.fetch(request, context as never);
    },
    reloadSchema: () => connection.reloadSchema(),
    close: () => connection.close(),
  };
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Gateway } from "../gateway/gateway.ts";
import type { Keys } from "../keys.ts";
import type { DatabaseLogins } from "../postgres/logins.ts";
import { openDatabase } from "../postgres/pool.ts";
import { authErrors } from "./auth_error.ts";
import { consentEndpoints, type SessionUser } from "./consent.ts";
import { loadOAuthKeys } from "./keys.ts";
import { createProvider } from "./provider.ts";
import { OAuthStore } from "./store.ts";

/** The OAuth 2.1 server that hosted Auth has and Supabase Lite does not, at the same addresses. */
export interface AuthorizationServer {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

const PREFIX = "/auth/v1";
const AUTHORIZATIONS = `${PREFIX}/oauth/authorizations/`;

/** Opens the authorization server; people sign in at the gateway, and its state is kept in a folder. */
export function openAuthorizationServer(options: {
  baseUrl: string;
  siteUrl: string;
  connectorUrl: string;
  database: DatabaseLogins;
  gateway: Gateway;
  keys: Keys;
  directory: string;
  log(line: string): void;
}): AuthorizationServer {
  const { baseUrl, siteUrl, gateway, keys, log } = options;
  const issuer = `${baseUrl}${PREFIX}`;
  const database = openDatabase(options.database.authUrl, { max: 2 });
  const store = new OAuthStore(options.directory);
  const provider = createProvider({
    issuer,
    siteUrl,
    resource: options.connectorUrl,
    jwtSecret: keys.jwtSecret,
    keys: loadOAuthKeys(options.directory),
    store,
    database: database.kysely,
    log,
  });
  const toProvider = provider.callback();
  const consent = consentEndpoints({ provider, store, siteUrl, userOf });
  const toConsent = getRequestListener(consent.fetch, { overrideGlobalObjects: false });

  /** The gateway knows who a session belongs to. */
  async function userOf(request: Request): Promise<SessionUser> {
    const authorization = request.headers.get("authorization");
    if (authorization === null) throw authErrors.noToken();
    const answer = await gateway.fetch(
      new Request(`${issuer}/user`, { headers: { apikey: keys.publishableKey, authorization } }),
      { peerAddress: null },
    );
    if (!answer.ok) throw authErrors.badToken();
    return (await answer.json()) as SessionUser;
  }

  return {
    handle(request, response) {
      const url = request.url ?? "/";
      if (url.startsWith(AUTHORIZATIONS)) {
        toConsent(request, response);
        return;
      }
      const path = withoutPrefix(url);
      // The provider finds its own address in these, whichever name of this machine the caller used.
      request.headers.host = new URL(issuer).host;
      Object.assign(request, { url: path, originalUrl: `${PREFIX}${path}` });
      toProvider(request, response);
    },
    close: () => database.close(),
  };
}

/**
 * The path as the provider knows it. The documents about an issuer with a path are found both below it and, as RFC 8414
 * has it, with the path behind them: /.well-known/oauth-authorization-server/auth/v1.
 */
function withoutPrefix(url: string): string {
  return url.startsWith(PREFIX) ? url.slice(PREFIX.length) : url.replace(/\/auth\/v1(?=\?|$)/, "");
}

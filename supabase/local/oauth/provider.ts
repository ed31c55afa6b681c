import { createSecretKey, type KeyObject, randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { errors, Provider } from "oidc-provider";
import { claimsOf, throughHook } from "./access_token.ts";
import { accountOf, findUser } from "./accounts.ts";
import type { OAuthKeys } from "./keys.ts";
import type { OAuthStore } from "./store.ts";

/** The scopes of hosted Auth. */
const SCOPES = ["openid", "profile", "email", "phone", "offline_access"];

const REGISTRATION = "/oauth/clients/register";
const HOUR_S = 60 * 60;
const YEAR_S = 365 * 24 * HOUR_S;

/** What the authorization server is told about the stack around it. */
export interface ProviderOptions {
  issuer: string;
  /** Where the consent page is. */
  siteUrl: string;
  /** The connector, for clients that do not say what they want a token for. */
  resource: string;
  jwtSecret: string;
  keys: OAuthKeys;
  store: OAuthStore;
  /** As the login of Auth. */
  database: Kysely<unknown>;
  log(line: string): void;
}

/**
 * oidc-provider with the endpoints and habits of hosted Auth: anybody may register a public client, a code needs PKCE,
 * refresh tokens are used once, and access tokens are the project's own JWTs.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { issuer, siteUrl, resource, keys, store, database } = options;
  const secret = createSecretKey(options.jwtSecret, "utf8");
  const provider = new Provider(issuer, {
    adapter: store.adapter,
    jwks: { keys: [keys.signingKey] },
    cookies: { keys: [keys.cookieSecret] },
    routes: {
      authorization: "/oauth/authorize",
      token: "/oauth/token",
      registration: REGISTRATION,
      jwks: "/.well-known/jwks.json",
    },
    scopes: SCOPES,
    claims: {
      email: ["email", "email_verified"],
      phone: ["phone_number"],
      profile: ["name"],
    },
    // Hosted Auth puts what the scopes grant into the ID token.
    conformIdTokenClaims: false,
    responseTypes: ["code"],
    clientAuthMethods: ["none"],
    clientDefaults: {
      // An assistant may run on a person's machine and listen on any port there, or answer to a scheme of its own.
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      id_token_signed_response_alg: "ES256",
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      registration: {
        enabled: true,
        idFactory: () => randomUUID(),
        issueRegistrationAccessToken: false,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        getResourceServerInfo: () => resourceServer(secret),
      },
    },
    formats: {
      customizers: {
        async jwt(_context, token, jwt) {
          if (token.kind !== "AccessToken") return;
          const user = await findUser(database, token.accountId);
          if (user === undefined) throw new errors.AccessDenied("The user is gone.");
          const { iss, iat, exp } = jwt.payload as { iss: string; iat: number; exp: number };
          const refreshed = token.gty?.endsWith("refresh_token") === true;
          jwt.header = { typ: "JWT" };
          jwt.payload = await throughHook(
            database,
            claimsOf(user, token, { iss, iat, exp }),
            refreshed,
          );
        },
      },
    },
    interactions: { url: (_context, { uid }) => `${siteUrl}/?authorization_id=${uid}` },
    async findAccount(_context, id) {
      const user = await findUser(database, id);
      return user && accountOf(user);
    },
    issueRefreshToken: (_context, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    pkce: { required: () => true },
    // As everything of Auth: what counts is the token in the request, not the page that it comes from.
    clientBasedCORS: () => true,
    renderError(context, out) {
      context.type = "json";
      context.body = out;
    },
    ttl: {
      AccessToken: HOUR_S,
      AuthorizationCode: 10 * 60,
      Grant: YEAR_S,
      IdToken: HOUR_S,
      Interaction: 10 * 60,
      RefreshToken: YEAR_S,
      Session: 10 * 60,
    },
  });
  provider.use(openRegistration);
  provider.on("server_error", (_context, error) => {
    options.log(`[oauth] ${error.stack ?? error.message}`);
  });
  return provider;
}

/** Any address is taken, as hosted Auth does; for whom a token is, its hook decides. */
function resourceServer(key: KeyObject) {
  return {
    scope: SCOPES.join(" "),
    accessTokenFormat: "jwt" as const,
    jwt: { sign: { alg: "HS256" as const, key } },
  };
}

/** The one endpoint that oidc-provider keeps from pages of other origins; hosted Auth keeps none. */
const openRegistration: Provider["middleware"][number] = (context, next) => {
  if (context.path !== REGISTRATION) return next();
  context.set("Access-Control-Allow-Origin", "*");
  if (context.method !== "OPTIONS") return next();
  context.set("Access-Control-Allow-Methods", "POST");
  context.set("Access-Control-Allow-Headers", "Content-Type");
  context.status = 204;
  return Promise.resolve();
};

import { type Kysely, sql } from "kysely";
import type { AccessToken } from "oidc-provider";
import { errors } from "oidc-provider";
import type { User } from "./accounts.ts";

type Claims = Record<string, unknown>;

const METHOD = "oauth_provider/authorization_code";

/** Hosted Auth waits no longer for a hook. */
const HOOK_TIMEOUT = "2s";

/** The claims of an access token as hosted Auth makes them, before its hook has seen them. */
export function claimsOf(
  user: User,
  token: AccessToken,
  { iss, iat, exp }: { iss: string; iat: number; exp: number },
): Claims {
  return {
    iss,
    sub: user.id,
    aud: "authenticated",
    iat,
    exp,
    role: user.role,
    email: user.email ?? "",
    phone: user.phone ?? "",
    app_metadata: user.appMetadata,
    user_metadata: user.userMetadata,
    aal: "aal1",
    amr: [{ method: METHOD, timestamp: iat }],
    session_id: token.sessionUid,
    is_anonymous: user.isAnonymous,
    client_id: token.clientId,
    scope: token.scope,
  };
}

/**
 * Passes claims through the project's access-token hook, called as hosted Auth calls it: by its own login. What the hook
 * refuses is refused to the client.
 */
export async function throughHook(
  database: Kysely<unknown>,
  claims: Claims,
  refreshed: boolean,
): Promise<Claims> {
  const event = {
    user_id: claims.sub,
    claims,
    authentication_method: refreshed ? "token_refresh" : METHOD,
  };
  const answer = await database.transaction().execute(async (transaction) => {
    await sql`select set_config('statement_timeout', ${HOOK_TIMEOUT}, true)`.execute(transaction);
    const { rows } = await sql<{ answer: HookAnswer }>`
      select private.access_token_hook(${JSON.stringify(event)}::jsonb) as answer`.execute(
      transaction,
    );
    return rows[0]?.answer;
  });
  if (answer?.error) throw new errors.AccessDenied(answer.error.message);
  if (!answer?.claims) throw new Error("the access-token hook returned no claims");
  return answer.claims;
}

interface HookAnswer {
  claims?: Claims;
  error?: { http_code: number; message: string };
}

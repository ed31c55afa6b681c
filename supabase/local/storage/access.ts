import { type Kysely, sql, type Transaction } from "kysely";
import type { Keys } from "../keys.ts";
import { readToken } from "./read_token.ts";
import { storageErrorOf, storageErrors } from "./storage_error.ts";

/** Who asks Storage: a database role with the claims of its token. */
export interface StorageCaller {
  role: string;
  claims: Record<string, unknown>;
  headers: Record<string, string>;
}

/** Reads the caller as the API gateway and Storage do: an access token counts, else the project's key. */
export async function readCaller(request: Request, keys: Keys): Promise<StorageCaller> {
  const headers = Object.fromEntries(request.headers);
  const bearer = headers.authorization?.replace(/^Bearer\s+/i, "");
  const key = headers.apikey ?? bearer;
  if (bearer !== undefined && !bearer.startsWith("sb_")) {
    const claims = await readToken(bearer, keys.jwtSecret, storageErrors.noAccess);
    return { role: String(claims.role ?? "anon"), claims, headers };
  }
  if (key === keys.secretKey) return asService(headers);
  if (key === keys.publishableKey) return { role: "anon", claims: { role: "anon" }, headers };
  if (key !== undefined) throw storageErrors.noAccess("Invalid Compact JWS");
  throw storageErrors.invalidRequest("headers must have required property 'authorization'");
}

/** Storage itself, for a request whose token it has checked. */
export function asService(headers: Record<string, string>): StorageCaller {
  return { role: "service_role", claims: { role: "service_role" }, headers };
}

/** What Storage does in the database, in one transaction. */
export type Work<T> = (transaction: Transaction<unknown>) => Promise<T>;

/** Does work as the caller, with the settings that Storage gives policies and triggers. */
export async function workAs<T>(
  database: Kysely<unknown>,
  caller: StorageCaller,
  operation: string,
  work: Work<T>,
): Promise<T> {
  try {
    return await database.transaction().execute(async (transaction) => {
      await sql`
        select set_config('role', ${caller.role}, true),
          set_config('request.jwt.claim.role', ${caller.role}, true),
          set_config('request.jwt.claim.sub', ${String(caller.claims.sub ?? "")}, true),
          set_config('request.jwt.claims', ${JSON.stringify(caller.claims)}, true),
          set_config('request.headers', ${JSON.stringify(caller.headers)}, true),
          set_config('storage.operation', ${operation}, true),
          set_config('storage.allow_delete_query', 'true', true)`.execute(transaction);
      return await work(transaction);
    });
  } catch (error) {
    throw storageErrorOf(error);
  }
}

/** Fails when the caller may not do the work, which is rolled back either way. */
export async function tryAs(
  database: Kysely<unknown>,
  caller: StorageCaller,
  operation: string,
  work: Work<unknown>,
): Promise<void> {
  const undo = new Error("rolled back");
  await workAs(database, caller, operation, async (transaction) => {
    await work(transaction);
    throw undo;
  }).catch((error: unknown) => {
    if (error !== undo) throw error;
  });
}

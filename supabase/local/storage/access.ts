import { verify } from "hono/jwt";
import type postgres from "postgres";
import type { Keys } from "../keys.ts";
import { problems } from "./problem.ts";

/** Who asks Storage: a database role with the claims of its token. */
export interface StorageCaller {
  role: string;
  claims: Record<string, unknown>;
  headers: Record<string, string>;
}

/** Reads the caller as the API gateway does: an access token counts, else the project's key. */
export async function readCaller(request: Request, keys: Keys): Promise<StorageCaller> {
  const headers = Object.fromEntries(request.headers);
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  const key = headers.apikey ?? bearer;
  if (bearer !== undefined && !bearer.startsWith("sb_")) {
    const claims = await verify(bearer, keys.jwtSecret, "HS256").catch(() => {
      throw problems.invalidToken();
    });
    return { role: String(claims.role ?? "anon"), claims, headers };
  }
  if (key === keys.secretKey) {
    return { role: "service_role", claims: { role: "service_role" }, headers };
  }
  if (key === keys.publishableKey) return { role: "anon", claims: { role: "anon" }, headers };
  throw problems.invalidToken();
}

/** Runs a statement as the caller, with the settings that Storage gives its policies, and takes it back. */
export async function asCaller<T>(
  sql: postgres.Sql,
  caller: StorageCaller,
  operation: string,
  work: (transaction: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  const undo = new Error("taken back");
  let result: T | undefined;
  await sql
    .begin(async (transaction) => {
      await transaction`
        select set_config('role', ${caller.role}, true),
          set_config('request.jwt.claims', ${JSON.stringify(caller.claims)}, true),
          set_config('request.jwt.claim.sub', ${String(caller.claims.sub ?? "")}, true),
          set_config('request.headers', ${JSON.stringify(caller.headers)}, true),
          set_config('storage.operation', ${operation}, true)`;
      result = await work(transaction);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw translated(error);
    });
  return result as T;
}

/** Gives a database error the form that Storage answers it in. */
export function translated(error: unknown): unknown {
  const code = (error as { code?: unknown }).code;
  if (code === "42501") return problems.noAccess();
  if (code === "23505" || code === "PT409") return problems.duplicate();
  if (code === "23503") return problems.noBucket();
  return error;
}

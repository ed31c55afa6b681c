import { LostConnection } from "./lost_connection.ts";

/** What PostgreSQL says about a failed statement. */
interface DatabaseError {
  code: string;
  message: string;
  detail?: string;
  hint?: string;
}

/** SQLSTATEs, or their classes, and the status that PostgREST gives them. The first that fits counts. */
const statuses: readonly (readonly [prefix: string, status: number])[] = [
  ["08", 503],
  ["09", 500],
  ["0L", 403],
  ["0P", 403],
  // A query that returned too many rows; what safeupdate refuses is the caller's mistake and handled below.
  ["21000", 500],
  ["23503", 409],
  ["23505", 409],
  ["25006", 405],
  ["25", 500],
  ["28", 403],
  ["2D", 500],
  ["38", 500],
  ["39", 500],
  ["3B", 500],
  ["40", 500],
  ["42883", 404],
  ["42P01", 404],
  ["42P17", 500],
  ["53400", 500],
  ["53", 503],
  ["54", 500],
  ["55", 500],
  ["57P01", 503],
  ["57", 500],
  ["58", 500],
  ["F0", 500],
  ["HV", 500],
  ["P0001", 400],
  ["P0", 500],
  ["XX", 500],
];

/**
 * The answer to a failed call, as PostgREST gives it: the error's own code in the body, which Supabase Lite keeps for
 * some classes only. An error that was raised on purpose (SQLSTATE `PTxyz` answers with HTTP status xyz) is no news
 * for the log, so it becomes an answer before the gateway prints it.
 */
export function errorResponse(error: unknown, role: string): Response | undefined {
  if (error instanceof LostConnection) {
    const message = "Database client error. Retrying the connection.";
    return answer(503, { code: "PGRST001", details: error.message, hint: null, message });
  }
  if (!isDatabaseError(error) || error.code === "PGRST") return undefined;
  const { code, message, detail = null, hint = null } = error;
  const status = statusOf(code, message, role);
  return answer(status, { code, details: detail, hint, message });
}

/** How long PostgREST says to wait first when it has lost the database; it begins with a second. */
const RETRY_AFTER_S = 1;

function answer(status: number, body: Record<string, string | null>): Response {
  const headers = { ...(status === 503 ? { "retry-after": String(RETRY_AFTER_S) } : {}) };
  return Response.json(body, { status, headers });
}

function statusOf(code: string, message: string, role: string): number {
  const chosen = /^PT([2-5]\d\d)$/.exec(code)?.[1];
  if (chosen !== undefined) return Number(chosen);
  if (code === "42501") return role === "anon" ? 401 : 403;
  if (code === "21000" && message.endsWith("requires a WHERE clause")) return 400;
  // The role of a token that the project does not have.
  if (code === "22023" && /^role .* does not exist$/.test(message)) return 401;
  return statuses.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 400;
}

function isDatabaseError(error: unknown): error is DatabaseError {
  const code = error instanceof Error ? (error as Partial<DatabaseError>).code : undefined;
  return typeof code === "string" && (/^[0-9A-Z]{5}$/.test(code) || code === "PGRST");
}

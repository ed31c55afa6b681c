/** What PostgreSQL says about a failed statement. */
interface DatabaseError {
  code: string;
  message: string;
  detail?: string;
  hint?: string;
}

/**
 * An error that a function raised on purpose for its caller (SQLSTATE `PTxyz` answers with HTTP
 * status xyz) is no news for the log, so it becomes an answer before the gateway prints it.
 */
export function expectedErrorResponse(error: unknown): Response | undefined {
  if (!isDatabaseError(error)) return undefined;
  const status = /^PT([2-5]\d\d)$/.exec(error.code)?.[1];
  if (status === undefined) return undefined;
  const { code, message, detail = null, hint = null } = error;
  return Response.json({ code, details: detail, hint, message }, { status: Number(status) });
}

function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && typeof (error as Partial<DatabaseError>).code === "string";
}

/**
 * Writes one line of JSON, which the platform's log explorer can filter by field. Causes go here, never into an answer.
 */
export function logError(entry: {
  request_id: string;
  method: string;
  path: string;
  status: number;
  code: string;
  cause: unknown;
}): void {
  const { cause, ...rest } = entry;
  console.error(JSON.stringify({ level: "error", ...rest, cause: describe(cause) }));
}

function describe(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  return {
    name: cause.name,
    message: cause.message,
    stack: cause.stack,
    ...(cause.cause === undefined ? {} : { cause: describe(cause.cause) }),
  };
}

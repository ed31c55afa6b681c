/** The error codes of JSON-RPC 2.0, and the one it leaves to servers. */
export const RPC_CODE = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  server_error: -32000,
} as const;

export type RpcId = string | number;

/** A JSON-RPC 2.0 request; without an id, a notification. */
export interface RpcMessage {
  jsonrpc: "2.0";
  id?: RpcId;
  method: string;
  params?: Record<string, unknown>;
}

/** An error with a JSON-RPC code of its own. */
export class RpcError extends Error {
  readonly code: number;
  readonly id: RpcId | null;
  /** Of the HTTP answer. Errors of one well-formed request have 200, as its result would. */
  readonly status: 200 | 400 | 403;

  constructor(
    code: keyof typeof RPC_CODE,
    message: string,
    options: { id?: RpcId | null | undefined; status?: 200 | 400 | 403 } = {},
  ) {
    super(message);
    this.code = RPC_CODE[code];
    this.id = options.id ?? null;
    this.status = options.status ?? 200;
  }
}

/**
 * The id of a message, if it can be repeated in an answer: an error carries it even if the rest is invalid. The
 * protocol allows no fractions, and a larger integer may not survive JSON unchanged.
 */
export function idOf(body: unknown): RpcId | undefined {
  if (typeof body !== "object" || body === null || !("id" in body)) return undefined;
  const { id } = body;
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as RpcId) : undefined;
}

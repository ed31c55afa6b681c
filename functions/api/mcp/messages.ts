/** The error codes of JSON-RPC 2.0, and the one that it leaves to servers. */
export const RPC_CODE = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  server_error: -32000,
} as const;

export type RpcId = string | number;

/** A request of JSON-RPC 2.0; without an id it is a notification. */
export interface RpcMessage {
  jsonrpc: "2.0";
  id?: RpcId;
  method: string;
  params?: Record<string, unknown>;
}

/** An error that JSON-RPC has a code for. */
export class RpcError extends Error {
  readonly code: number;
  readonly id: RpcId | null;
  /** Of the HTTP answer. What concerns one well-formed request is answered with 200, as a result would be. */
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
 * The id of a message, if it has one that can be told back: an error is answered under it also when the rest does not
 * fit. A fraction is no id of the protocol, and of a larger integer JSON's numbers may mean another than was sent.
 */
export function idOf(body: unknown): RpcId | undefined {
  if (typeof body !== "object" || body === null || !("id" in body)) return undefined;
  const { id } = body;
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as RpcId) : undefined;
}

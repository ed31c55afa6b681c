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

/** A refusal that JSON-RPC has a code for. */
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

/** The id of a message, if it has a usable one: an error is answered under it also when the rest does not fit. */
export function idOf(body: unknown): RpcId | undefined {
  if (typeof body !== "object" || body === null || !("id" in body)) return undefined;
  const { id } = body;
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : undefined;
}

/** Takes a parsed body for one message, or says with -32600 why it is none. */
export function readMessage(body: unknown): RpcMessage {
  if (Array.isArray(body)) throw invalid("Batches are not taken; send one message in each POST.");
  if (typeof body !== "object" || body === null) throw invalid("The body is not a message.");
  const message = body as Record<string, unknown>;
  const id = idOf(message);
  if (message.jsonrpc !== "2.0") throw invalid('The member jsonrpc must be "2.0".', id);
  if ("id" in message && id === undefined) throw invalid("An id is a string or a number.");
  if (typeof message.method !== "string") throw invalid("The member method is missing.", id);
  const { params } = message;
  if (params !== undefined && (typeof params !== "object" || params === null)) {
    throw invalid("The member params must be an object.", id);
  }
  if (Array.isArray(params)) {
    throw new RpcError("invalid_params", "Parameters are sent by name.", { id });
  }
  return message as unknown as RpcMessage;
}

function invalid(message: string, id?: RpcId): RpcError {
  return new RpcError("invalid_request", message, { id, status: 400 });
}

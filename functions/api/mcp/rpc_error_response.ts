import { type ApiError, toApiError } from "../../_shared/errors.ts";
import type { ApiContext } from "../context.ts";
import { metadataUrl } from "../discovery.ts";
import { logApiError, orTooManyRequests, showWhenToRetry } from "../error_response.ts";
import { RPC_CODE, RpcError } from "./messages.ts";

/** Answers anything thrown, in JSON-RPC's form; never with a stack trace or text from the database. */
export async function sendRpcError(thrown: unknown, c: ApiContext): Promise<Response> {
  if (thrown instanceof RpcError) {
    return c.json(envelope(thrown.code, thrown.message, thrown.id), thrown.status);
  }
  const error = await orTooManyRequests(toApiError(thrown), c);
  if (error.code === "unauthorized") c.header("WWW-Authenticate", challenge(c));
  showWhenToRetry(c, error);
  logApiError(c, error);
  const { code, details } = error;
  const body = envelope(codeOf(error), error.message, c.get("rpcId") ?? null, { code, details });
  return c.json(body, error.details.reason === "invalid_json" ? 400 : error.status);
}

function codeOf(error: ApiError): number {
  if (error.details.reason === "invalid_json") return RPC_CODE.parse_error;
  return error.code === "internal_error" ? RPC_CODE.internal_error : RPC_CODE.server_error;
}

function envelope(code: number, message: string, id: string | number | null, data?: object) {
  return { jsonrpc: "2.0", error: { code, message, ...(data ? { data } : {}) }, id };
}

/** Starts discovery; only a caller who sent a token is told that it is invalid. */
function challenge(c: ApiContext): string {
  const sentToken = c.req.header("authorization") !== undefined;
  return `Bearer resource_metadata="${metadataUrl()}"${sentToken ? ', error="invalid_token"' : ""}`;
}

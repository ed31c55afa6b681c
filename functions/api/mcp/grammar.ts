// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import { idOf, RpcError, type RpcId, type RpcMessage } from "./messages.ts";

// The SDK silently drops what its schemas refuse, without an answer or an error. So every message is first checked here
// with the same schemas, and the SDK gets their output.

/** The supported methods, with the schema that the SDK's handler uses for each. */
const SCHEMA_OF_METHOD = new Map<string, z.ZodType>([
  ["initialize", InitializeRequestSchema],
  ["ping", PingRequestSchema],
  ["tools/list", ListToolsRequestSchema],
  ["tools/call", CallToolRequestSchema],
]);

const HINT_OF_METHOD: Record<string, string> = {
  initialize: "initialize needs protocolVersion, capabilities and clientInfo with name and version",
  "tools/call": "tools/call needs name, and arguments as an object",
};
const MAX_MESSAGE_CHARACTERS = 200;

/**
 * Reads a parsed body as one request or notification, or says why it is neither. What is not a JSON-RPC message is
 * answered with 400; invalid parameters are answered with the status that the result would have.
 */
export function readMessage(body: unknown): RpcMessage {
  if (Array.isArray(body)) throw invalid("Batches are not supported; send one message per POST.");
  if (typeof body !== "object" || body === null)
    throw invalid("The body is not a JSON-RPC message.");
  // Its id would be one of ours, so the error has none.
  if (isResponse(body)) throw invalid("No response is expected: this server sends no requests.");
  const isRequest = "id" in body;
  const id = idOf(body);
  if (isRequest && id === undefined) throw invalid("The id must be a string or an integer.");
  const parsed = (isRequest ? JSONRPCRequestSchema : JSONRPCNotificationSchema).safeParse(body);
  if (parsed.success) return parsed.data as RpcMessage;
  const { issues } = parsed.error;
  if (isRequest && "params" in body && isStructured(body.params) && issues.every(isOfParams)) {
    throw invalidParams(Array.isArray(body.params) ? "send them by name" : first(issues), id);
  }
  throw invalid(`The body is not a JSON-RPC 2.0 message: ${first(issues)}.`, id);
}

export function isKnownMethod(method: string): boolean {
  return SCHEMA_OF_METHOD.has(method);
}

/** Checks the parameters of a known method as the SDK's handler would. */
export function checkParameters({ id, method, params }: RpcMessage): void {
  const parsed = SCHEMA_OF_METHOD.get(method)?.safeParse({ method, params });
  if (parsed && !parsed.success) {
    throw invalidParams(HINT_OF_METHOD[method] ?? first(parsed.error.issues), id);
  }
  // The tools fit on one page, so no cursor was ever given.
  if (method === "tools/list" && params?.cursor !== undefined) {
    throw invalidParams("the cursor was not made by this list", id);
  }
}

function isResponse(body: object): boolean {
  return !("method" in body) && ("result" in body || "error" in body);
}

/** JSON-RPC allows parameters by name or by position, and nothing else. */
function isStructured(params: unknown): boolean {
  return typeof params === "object" && params !== null;
}

function isOfParams({ path }: z.core.$ZodIssue): boolean {
  return path[0] === "params";
}

function first(issues: readonly z.core.$ZodIssue[]): string {
  const [issue] = issues;
  const what = issue ? `${issue.path.join(".")} ${issue.message}`.trim() : "";
  return what.slice(0, MAX_MESSAGE_CHARACTERS);
}

function invalid(message: string, id?: RpcId): RpcError {
  return new RpcError("invalid_request", message, { id, status: 400 });
}

function invalidParams(what: string, id: RpcId | undefined): RpcError {
  return new RpcError("invalid_params", `The parameters are not valid: ${what}.`, { id });
}

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

// The SDK drops what its schemas refuse, without an answer and without an error. So these schemas judge every message
// first, and what goes on to the SDK is what they made of it.

/** The methods that are answered, and the schema by which the SDK's handler takes each. */
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
 * Takes a parsed body for one request or notification, or says why it is none. A message that is none of JSON-RPC is
 * an invalid request and answered with 400; one whose parameters do not fit is answered as its result would be.
 */
export function readMessage(body: unknown): RpcMessage {
  if (Array.isArray(body)) throw invalid("Batches are not taken; send one message in each POST.");
  if (typeof body !== "object" || body === null) throw invalid("The body is not a message.");
  // Its id would be one of ours, so the error has none.
  if (isResponse(body)) throw invalid("Nothing was asked, so no response is taken.");
  const isRequest = "id" in body;
  const id = idOf(body);
  if (isRequest && id === undefined) throw invalid("An id is a string or an integer.");
  const parsed = (isRequest ? JSONRPCRequestSchema : JSONRPCNotificationSchema).safeParse(body);
  if (parsed.success) return parsed.data as RpcMessage;
  const { issues } = parsed.error;
  if (isRequest && "params" in body && isStructured(body.params) && issues.every(isOfParams)) {
    throw invalidParams(Array.isArray(body.params) ? "send them by name" : first(issues), id);
  }
  throw invalid(`The message is not one of JSON-RPC 2.0: ${first(issues)}.`, id);
}

/** Whether the method of a request is one that is answered here. */
export function isKnownMethod(method: string): boolean {
  return SCHEMA_OF_METHOD.has(method);
}

/** Checks the parameters of a request of a known method, as the SDK's handler would. */
export function checkParameters({ id, method, params }: RpcMessage): void {
  const parsed = SCHEMA_OF_METHOD.get(method)?.safeParse({ method, params });
  if (parsed && !parsed.success) {
    throw invalidParams(HINT_OF_METHOD[method] ?? first(parsed.error.issues), id);
  }
  // No page of tools was ever cut, so no cursor was made here.
  if (method === "tools/list" && params?.cursor !== undefined) {
    throw invalidParams("the cursor was not made by this list", id);
  }
}

function isResponse(body: object): boolean {
  return !("method" in body) && ("result" in body || "error" in body);
}

/** JSON-RPC takes parameters by name or by position, and nothing else. */
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
  return new RpcError("invalid_params", `The parameters do not fit: ${what}.`, { id });
}

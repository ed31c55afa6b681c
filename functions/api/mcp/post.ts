import { authenticate } from "../../_shared/agency.ts";
import { readCredential } from "../../_shared/credential.ts";
import { unauthorized } from "../../_shared/errors.ts";
import { readJson } from "../body.ts";
import { type ApiContext, callerOf, showRateLimit } from "../context.ts";
import { tooManyStrangers } from "../strangers.ts";
import { callTool } from "./call.ts";
import { CATALOG } from "./catalog.ts";
import { checkParameters, isKnownMethod, readMessage } from "./grammar.ts";
import { idOf, RpcError, type RpcMessage } from "./messages.ts";
import { isAllowedOrigin } from "./origin.ts";
import { answerMessage, listingOf, PROTOCOL_VERSIONS } from "./server.ts";
import type { ToolResult } from "./tool.ts";

const LISTING = listingOf(CATALOG);
const TOOLS = new Map(CATALOG.map((tool) => [tool.name, tool]));

/** Answers one message on its own: there is no session. */
export async function answerPost(c: ApiContext): Promise<Response> {
  if (!isAllowedOrigin(c.req.header("origin"))) {
    throw new RpcError("server_error", "Requests from that origin are not allowed.", {
      status: 403,
    });
  }
  c.set("credential", readCredential(c.req.header("authorization")));
  const body = await orAuthenticate(c, () => readJson(c.req.raw));
  c.set("rpcId", idOf(body));
  // Before the token is checked, so that a client without one, or with a bad one, learns the protocol version.
  if (isInitialize(body)) {
    const message = readMessage(body);
    checkParameters(message);
    // After too many of them from one address, it takes a valid token.
    if (await tooManyStrangers(c, undefined)) await authenticated(c);
    return answered(c, message, noTool);
  }
  const message = await orAuthenticate(c, () => readMessage(body));
  if (!c.get("credential")) throw unauthorized();
  if (message.method === "tools/call" && message.id !== undefined) {
    await orAuthenticate(c, () => checkRequest(c, message));
    const tool = await orAuthenticate(c, () => namedTool(message));
    return answered(c, message, (_name, args) => callTool(c, tool, args));
  }
  await authenticated(c);
  checkRequest(c, message);
  // There is no session that a notification could change.
  if (message.id === undefined) return c.body(null, 202);
  return answered(c, message, noTool);
}

/** Whether a body is meant to be the one request that needs no token, well formed or not. */
function isInitialize(body: unknown): boolean {
  return (
    typeof body === "object" &&
    body !== null &&
    "id" in body &&
    "method" in body &&
    body.method === "initialize"
  );
}

async function answered(
  c: ApiContext,
  message: RpcMessage,
  call: (name: string, args: unknown) => Promise<ToolResult>,
): Promise<Response> {
  const answer = await answerMessage(message, LISTING, call);
  return c.body(answer, 200, { "content-type": "application/json" });
}

/** Counts the request and checks the credential, for requests that make no other RPC. */
async function authenticated(c: ApiContext): Promise<void> {
  if (!c.get("credential")) throw unauthorized();
  showRateLimit(c, (await authenticate(callerOf(c), undefined)).rateLimit);
}

/** A caller without a valid credential is told so, and not what is wrong with the message. */
async function orAuthenticate<Result>(
  c: ApiContext,
  check: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    await authenticated(c);
    throw error;
  }
}

function checkRequest(c: ApiContext, message: RpcMessage): void {
  const version = c.req.header("mcp-protocol-version");
  if (version !== undefined && !PROTOCOL_VERSIONS.includes(version)) {
    throw new RpcError(
      "server_error",
      `The protocol version is not supported; supported are ${PROTOCOL_VERSIONS.join(", ")}.`,
      { id: message.id, status: 400 },
    );
  }
  if (message.id === undefined) return;
  if (!isKnownMethod(message.method)) {
    throw new RpcError("method_not_found", "The method does not exist.", { id: message.id });
  }
  checkParameters(message);
}

function namedTool(message: RpcMessage) {
  const tool = TOOLS.get(String(message.params?.name));
  if (!tool) throw new RpcError("invalid_params", "The tool does not exist.", { id: message.id });
  return tool;
}

function noTool(): never {
  throw new Error("Only tools/call calls a tool.");
}

import type { Answer } from "../api/client.ts";

/** What a raw POST may differ in. */
export interface PostOptions {
  token?: string | undefined;
  headers?: Record<string, string>;
  method?: string;
}

/** Posts to the connector without any library in between. A string goes as it is. */
export async function post(
  baseUrl: string,
  message: unknown,
  { token, headers, method = "POST" }: PostOptions = {},
): Promise<Answer> {
  const response = await fetch(`${baseUrl}/api/mcp`, {
    method,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(message === undefined
      ? {}
      : { body: typeof message === "string" ? message : JSON.stringify(message) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

/** A request of JSON-RPC 2.0. */
export function request(method: string, params?: unknown, id: string | number = 1) {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

export const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

/** What a tool answered: its structured content, or its refusal. */
export interface ToolAnswer {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each test says what it expects to find.
  content: any;
  // biome-ignore lint/suspicious/noExplicitAny: each test says what it expects to find.
  error: any;
}

/** Calls tools as one credential does. */
export function toolsOf(baseUrl: string, token: string) {
  return async (name: string, args: unknown = {}): Promise<ToolAnswer> => {
    const params = { name, arguments: args };
    const answer = await post(baseUrl, request("tools/call", params), { token });
    const result = answer.body?.result;
    if (answer.status !== 200 || result === undefined) {
      throw new Error(`${name} answered ${answer.status} ${answer.text}`);
    }
    const text = JSON.parse(result.content[0].text);
    return {
      isError: result.isError === true,
      content: result.structuredContent,
      error: result.isError ? text.error : undefined,
    };
  };
}

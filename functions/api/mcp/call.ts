import { authenticate, countryOf } from "../../_shared/agency.ts";
import { ApiError } from "../../_shared/errors.ts";
import { type ApiContext, callerOf, rpc, showRateLimit } from "../context.ts";
import type { Tool, ToolCall, ToolResult } from "./tool.ts";
import { IN_SPANISH, isForTheModel, toolErrorOf, toolErrorOfArguments } from "./tool_error.ts";

/**
 * Runs a tool for the caller of this request. Only here do errors become results: one that a model can act on becomes a
 * result with isError, any other is thrown and answers the whole request.
 */
export async function callTool(c: ApiContext, tool: Tool, args: unknown): Promise<ToolResult> {
  try {
    const input = tool.input.safeParse(args ?? {}, IN_SPANISH);
    if (!input.success) {
      // Only callers who may use the tool learn what is wrong with the arguments, and the attempt is counted.
      showRateLimit(c, (await authenticate(callerOf(c), tool.permission)).rateLimit);
      return failed(toolErrorOfArguments(input.error.issues));
    }
    const output = tool.output.parse(await tool.run(input.data, toolCall(c, tool)));
    return {
      content: [{ type: "text", text: JSON.stringify(output) }],
      structuredContent: output as Record<string, unknown>,
    };
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || !isForTheModel(thrown)) throw thrown;
    showRateLimit(c, thrown.rateLimit);
    return failed(toolErrorOf(thrown));
  }
}

function toolCall(c: ApiContext, tool: Tool): ToolCall {
  return {
    rpc: async (name, args) => JSON.parse((await rpc(c, name, args)).json),
    country: () => countryOf(callerOf(c), tool.permission),
  };
}

function failed(error: object): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(error) }], isError: true };
}

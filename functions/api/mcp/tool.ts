import type { z } from "zod";
import type { Permission } from "../../../types/contracts/permissions.ts";
import type { Exactly, RpcArguments, RpcName } from "../../_shared/rpc.ts";

/** All that a tool can do: ask the database as the caller. */
export interface ToolCall {
  /**
   * Calls one RPC as the caller. The tool names the result's type, which the schema only knows as Json; what leaves the
   * connector is checked against the tool's output.
   */
  rpc<Name extends RpcName, Given extends RpcArguments<Name>, Result>(
    name: Name,
    args: Exactly<Given, Name>,
  ): Promise<Result>;
  /** The country to assume for a phone number without a prefix. */
  country(): Promise<string>;
}

interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** The result of a tool, in the protocol's form. */
export type ToolResult = {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

/** One tool of the connector, independent of the protocol. */
export interface Tool<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  name: string;
  /** For people. */
  title: string;
  /** For a model that has to choose the tool and fill in its arguments without help. */
  description: string;
  /** What the credential needs; the tool's RPC checks it. */
  permission: Permission;
  annotations: ToolAnnotations;
  input: Input;
  /** Only what is named here leaves the connector. */
  output: Output;
  run(args: z.output<Input>, call: ToolCall): Promise<z.input<Output>>;
}

export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const ADDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

/** Checks a tool's handler against its input and output. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  tool: Tool<Input, Output>,
): Tool {
  // The catalog holds tools of every type; only the wrapper calls them, with arguments that `input` has parsed.
  return tool as unknown as Tool;
}

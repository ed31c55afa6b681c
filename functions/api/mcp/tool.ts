import type { z } from "zod";
import type { Permission } from "../../../types/contracts/permissions.ts";
import type { Exactly, RpcArguments, RpcName } from "../../_shared/rpc.ts";

/** What a tool may do while it works: ask the database as the caller, and nothing else. */
export interface ToolCall {
  /**
   * Calls one RPC as the caller and returns what it answered, which the tool says by a contract. The schema calls all of
   * it Json; what leaves the connector is checked against the tool's output.
   */
  rpc<Name extends RpcName, Given extends RpcArguments<Name>, Result>(
    name: Name,
    args: Exactly<Given, Name>,
  ): Promise<Result>;
  /** The country in which the caller's agency reads a phone number without prefix. */
  country(): Promise<string>;
}

/** What a client may expect of a tool before it calls it. */
export interface ToolAnnotations {
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

/** One tool of the connector, free of the protocol that carries it. */
export interface Tool<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  name: string;
  /** For people. */
  title: string;
  /** For a model that has to choose the tool and fill in its arguments without help. */
  description: string;
  /** What the credential needs; the tool's RPC judges it. */
  permission: Permission;
  annotations: ToolAnnotations;
  input: Input;
  /** What it answers; nothing that is not named here leaves the connector. */
  output: Output;
  run(args: z.output<Input>, call: ToolCall): Promise<z.input<Output>>;
}

/** Annotations of a tool that only reads. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Annotations of a tool that adds something; calling it twice adds it twice. */
export const ADDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

/** Keeps the types of a tool's input and output together with its handler. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  tool: Tool<Input, Output>,
): Tool {
  // The catalog holds tools of every type, and only the wrapper calls them, with what `input` made of the arguments.
  return tool as unknown as Tool;
}

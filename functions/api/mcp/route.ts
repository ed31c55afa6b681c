import { Hono } from "hono";
import type { ApiEnv } from "../context.ts";
import { sendRpcError } from "./rpc_error_response.ts";

/**
 * The assistant connector: JSON-RPC over streamable HTTP. What answers is loaded when an assistant first comes, since
 * the SDK and the tools take a good part of the memory and of the time to start, and REST has no use for them.
 */
export const mcp = new Hono<ApiEnv>();

mcp.onError(sendRpcError);

mcp.post("/", async (c) => {
  const { answerPost } = await import("./post.ts");
  return answerPost(c);
});

mcp.all("/", (c) => {
  c.header("Allow", "POST");
  return c.json(
    {
      jsonrpc: "2.0",
      error: { code: -32000, message: "There is no session and no stream here; use POST." },
      id: null,
    },
    405,
  );
});

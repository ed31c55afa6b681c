import { Hono } from "hono";
import type { ApiEnv } from "../context.ts";
import { sendRpcError } from "./rpc_error_response.ts";

/**
 * The assistant connector: JSON-RPC over streamable HTTP. The SDK and the tools take much of the memory and the
 * start-up time, and REST does not need them, so they are loaded on the first call.
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
      error: { code: -32000, message: "There are no sessions or streams here; use POST." },
      id: null,
    },
    405,
  );
});

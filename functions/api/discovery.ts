import { Hono } from "hono";
import { publicBaseUrl, publicSupabaseUrl } from "../_shared/environment.ts";
import type { ApiEnv } from "./context.ts";

/**
 * Tells clients where to get a token for the connector (RFC 9728). The document is at the root form and the path form;
 * a proxy in front of the function, as in the local stack, maps /.well-known/* here.
 */
export const discovery = new Hono<ApiEnv>();

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/**
 * The smallest scope of Supabase Auth. What a token may do here is decided by the agent's role, not by scopes.
 */
const SCOPES = ["email"];

discovery.on("GET", ["/", "/api/mcp"], (c) => {
  c.header("Cache-Control", "public, max-age=3600");
  return c.json({
    resource: `${publicBaseUrl()}/api/mcp`,
    resource_name: "Corredor",
    authorization_servers: [`${publicSupabaseUrl()}/auth/v1`],
    bearer_methods_supported: ["header"],
    scopes_supported: SCOPES,
  });
});

/**
 * Where the document really is. A base URL with a path belongs to a plain project, whose root we do not serve, so there
 * the document is under the function's own path.
 */
export function metadataUrl(): string {
  const base = publicBaseUrl();
  return `${base}${new URL(base).pathname === "/" ? "" : "/api"}${WELL_KNOWN}`;
}

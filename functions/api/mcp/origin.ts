import { publicBaseUrl } from "../../_shared/environment.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Whether a browser page of this origin may call the connector. Programs send no origin. Other pages could only call
 * with a token of their own, but the protocol has them refused anyway, because of DNS rebinding: a name that is made to
 * point here must not reach a server on the user's machine.
 */
export function isAllowedOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  const own = new URL(publicBaseUrl());
  if (from.origin === own.origin || allowedByOperator().has(from.origin)) return true;
  return LOOPBACK.has(own.hostname) && LOOPBACK.has(from.hostname);
}

function allowedByOperator(): Set<string> {
  return new Set((Deno.env.get("MCP_ALLOWED_ORIGINS") ?? "").split(",").map((one) => one.trim()));
}

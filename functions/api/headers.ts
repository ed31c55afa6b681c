import type { MiddlewareHandler } from "hono";
import type { ApiEnv } from "./context.ts";

export const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const EXPOSED = [
  "Allow",
  "ETag",
  "Idempotent-Replayed",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");

/** Headers that every answer has, errors included. Any origin may read it: no cookie is ever looked at. */
export const standardHeaders: MiddlewareHandler<ApiEnv> = (c, next) => {
  const given = c.req.header("x-request-id");
  const requestId = given && SANE_REQUEST_ID.test(given) ? given : crypto.randomUUID();
  c.set("requestId", requestId);
  c.header("X-Request-Id", requestId);
  c.header("Cache-Control", "no-store");
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", EXPOSED);
  return next();
};

/** Answers a browser that asks whether it may send the real request. */
export const preflight: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.req.method !== "OPTIONS") return next();
  c.header("Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE");
  c.header(
    "Access-Control-Allow-Headers",
    "Authorization, Content-Type, Idempotency-Key, MCP-Protocol-Version, X-Request-Id",
  );
  c.header("Access-Control-Max-Age", "86400");
  return c.body(null, 204);
};

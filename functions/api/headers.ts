import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { ApiEnv } from "./context.ts";

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Headers that every answer has, errors included. hono/request-id would refuse ids with a dot or a colon. */
export const standardHeaders: MiddlewareHandler<ApiEnv> = (c, next) => {
  const given = c.req.header("x-request-id");
  const requestId = given && REQUEST_ID.test(given) ? given : crypto.randomUUID();
  c.set("requestId", requestId);
  c.header("X-Request-Id", requestId);
  c.header("Cache-Control", "no-store");
  return next();
};

/** Pages of any origin may call, since no cookie is ever looked at. */
export const crossOrigin = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
  allowHeaders: [
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "MCP-Protocol-Version",
    "X-Request-Id",
  ],
  exposeHeaders: [
    "Allow",
    "ETag",
    "Idempotent-Replayed",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
    "WWW-Authenticate",
    "X-Request-Id",
  ],
  maxAge: 86_400,
});

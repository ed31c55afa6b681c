import { Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { publicBaseUrl } from "../_shared/environment.ts";
import { methodNotAllowed as notAllowed, notFound, RequestError } from "../_shared/errors.ts";
import type { ApiEnv } from "./context.ts";
import { discovery } from "./discovery.ts";
import { sendError } from "./error_response.ts";
import { crossOrigin, standardHeaders } from "./headers.ts";
import { mcp } from "./mcp/route.ts";
import { agents } from "./v1/agents.ts";
import { descriptionOf } from "./v1/description.ts";
import { documents } from "./v1/documents.ts";
import { flows } from "./v1/flows.ts";
import { health } from "./v1/health.ts";
import { hooks } from "./v1/hooks.ts";
import { leads } from "./v1/leads.ts";
import { offers } from "./v1/offers.ts";
import { operations } from "./v1/operations.ts";
import { properties } from "./v1/properties.ts";
import { signatures } from "./v1/signatures.ts";
import { viewings } from "./v1/viewings.ts";

/** The function `api`. The platform gives it every path under /api. */
export const app = new Hono<ApiEnv>().basePath("/api");

app.use(standardHeaders);
app.use(crossOrigin);
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      c.header("Allow", methods.join(", "));
      return sendError(notAllowed(methods), c);
    },
  }),
);
app.notFound((c) => sendError(isRoot(c.req.path) ? nothingAtTheRoot() : notFound(), c));
app.onError(sendError);

app.route("/v1/agents", agents);
app.route("/v1/documents", documents);
app.route("/v1/flows", flows);
app.route("/v1/health", health);
app.route("/v1/hooks", hooks);
app.route("/v1/leads", leads);
app.route("/v1/offers", offers);
app.route("/v1/operations", operations);
app.route("/v1/properties", properties);
app.route("/v1/signatures", signatures);
app.route("/v1/viewings", viewings);
app.route(
  "/v1",
  descriptionOf(() => app.routes),
);
app.route("/mcp", mcp);
app.route("/.well-known/oauth-protected-resource", discovery);

function isRoot(path: string): boolean {
  return /^\/api(?:\/v1)?\/?$/.test(path);
}

/** For people who open the address that they were given. */
function nothingAtTheRoot(): RequestError {
  const at = `${publicBaseUrl()}/api/v1`;
  return new RequestError(
    "not_found",
    `There is nothing here. The API is described for people at ${at}/docs, and for programs at ${at}/openapi.json.`,
  );
}

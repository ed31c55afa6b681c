import type { RouterRoute } from "hono/types";
import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import { isEndpoint } from "../endpoint.ts";
import { chapters } from "./chapters.ts";
import { components } from "./components.ts";
import { operationOf } from "./operation.ts";
import { overview, TAGS } from "./overview.ts";
import type { Described } from "./prose.ts";
import { webhooks } from "./webhooks.ts";

const PREFIX = "/api/v1";

/** The API as OpenAPI 3.1, made from the router's table and the contracts of its endpoints. */
export function describeApi(routes: readonly RouterRoute[], baseUrl: string) {
  const paths: ZodOpenApiPathsObject = {};
  for (const one of endpointsOf(routes)) {
    paths[one.path] = { ...paths[one.path], [one.method]: operationOf(one) };
  }
  return createDocument({
    openapi: "3.1.1",
    info: {
      title: "Corredor",
      version: "1.0.0",
      summary: "The REST API of a real-estate brokerage.",
      description: overview(baseUrl),
      contact: { name: "Corredor", url: `${baseUrl}${PREFIX}/docs` },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: `${baseUrl}${PREFIX}` }],
    tags: TAGS.map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components,
  });
}

/** The routes that are endpoints, with the prose that belongs to them. */
function endpointsOf(routes: readonly RouterRoute[]): Described[] {
  return routes.flatMap(({ path: routed, method, handler }) => {
    if (!isEndpoint(handler)) return [];
    const path = routed.slice(PREFIX.length).replace(/:(\w+)/g, "{$1}");
    const segment = path.split("/")[1] ?? "";
    const prose = chapters[handler.operationId];
    if (!prose) throw new Error(`${handler.operationId} has no prose.`);
    const tag = TAGS.find(([name]) => name.toLowerCase() === segment)?.[0] ?? "Service";
    return {
      path,
      tag,
      method: method.toLowerCase() as Described["method"],
      endpoint: handler,
      prose,
    };
  });
}

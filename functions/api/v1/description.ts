import { Hono } from "hono";
import { etag, RETAINED_304_HEADERS } from "hono/etag";
import type { RouterRoute } from "hono/types";
import { z } from "zod";
import { publicBaseUrl } from "../../_shared/environment.ts";
import { notFound } from "../../_shared/errors.ts";
import type { ApiEnv } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { noQuery } from "../request.ts";

const get = endpoint({
  operationId: "getDescription",
  access: "anybody",
  answers: {
    200: z
      .looseObject({ openapi: z.literal("3.1.1").describe("The version of OpenAPI.") })
      .describe("An OpenAPI document."),
    304: null,
  },
});
const FIVE_MINUTES = "public, max-age=300";
const ONE_DAY = "public, max-age=86400";
const withEtag = etag({
  retainedHeaders: [
    ...RETAINED_304_HEADERS,
    "access-control-allow-origin",
    "access-control-expose-headers",
    "x-request-id",
  ],
});

/**
 * The description of the API: a document for programs, and pages for people. Their code is loaded on first use, since
 * other requests do not need it and memory is tight.
 */
export function descriptionOf(routes: () => readonly RouterRoute[]): Hono<ApiEnv> {
  const description = new Hono<ApiEnv>();
  let document: string | undefined;

  description.get("/openapi.json", withEtag, get, async (c) => {
    noQuery(c);
    const { describeApi } = await import("../openapi/document.ts");
    document ??= JSON.stringify(describeApi(routes(), publicBaseUrl()));
    c.header("Cache-Control", FIVE_MINUTES);
    return c.body(document, 200, { "content-type": "application/json" });
  });

  description.get("/docs", withEtag, async (c) => {
    const { pageHeaders, pageFor } = await import("../docs/page.ts");
    c.header("Cache-Control", FIVE_MINUTES);
    return c.body(pageFor(publicBaseUrl()), 200, pageHeaders(publicBaseUrl()));
  });

  description.get("/docs/:file", async (c) => {
    const { openViewerFile, viewerType } = await import("../docs/viewer.ts");
    const name = c.req.param("file");
    const type = viewerType(name);
    if (!type) throw notFound();
    c.header("Cache-Control", ONE_DAY);
    c.header("Content-Type", type);
    c.header("X-Content-Type-Options", "nosniff");
    // For HEAD nobody would read the file, and so close it.
    if (c.req.method === "HEAD") return c.body(null);
    return c.body(await openViewerFile(name));
  });

  return description;
}

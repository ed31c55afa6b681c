import { extname } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { type ConsentProject, consentFiles, consentHeaders } from "./page.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
};

/** Serves the consent page below a path, as a static host would. */
export function serveConsentPage(project: ConsentProject, path: "/consent/" | "/" = "/consent/") {
  const headers = { ...consentHeaders(project), "Cache-Control": "no-cache" };
  const files = consentFiles(project);
  const app = new Hono();
  if (path !== "/") {
    app.get(path.slice(0, -1), (c) => c.redirect(`${path}${new URL(c.req.url).search}`));
  }
  app.get(path, (c) => serve(c, "index.html"));
  app.get(`${path}:name`, (c) => serve(c, c.req.param("name") ?? ""));

  function serve(c: Context, name: string) {
    const file = files.get(name);
    if (file === undefined) return c.notFound();
    return c.body(file, 200, { ...headers, "Content-Type": TYPES[extname(name)] ?? "" });
  }

  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}

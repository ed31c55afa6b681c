import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";

const lite = fileURLToPath(import.meta.resolve("@supabase/lite"));
const assets = new Hono().use(
  "/static/*",
  serveStatic({
    root: join(dirname(lite), "static"),
    rewriteRequestPath: (path) => path.slice("/static".length),
  }),
);

/** Serves Studio's scripts and styles from Supabase Lite's package; Lite itself leaves them to its host. */
export const serveStudioAssets = getRequestListener(assets.fetch, { overrideGlobalObjects: false });

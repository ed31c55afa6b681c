// Run by Deno: prints, as JSON, what the router of the function takes below /api/v1.
import { app } from "../../../functions/api/app.ts";

const routes = app.routes
  .filter(({ method, path }) => method !== "ALL" && path.startsWith("/api/v1/"))
  .map(({ method, path }) => `${method} ${path.slice("/api/v1".length)}`);
console.log(JSON.stringify([...new Set(routes)]));

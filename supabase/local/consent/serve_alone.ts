import { createServer } from "node:http";
import { exitWith, Failure } from "../../failure.ts";
import { serveConsentPage } from "./serve_consent_page.ts";

/*
 * The consent page on a port of its own, beside Supabase's own local stack: its gateway has no place for one. The
 * address is the site_url of supabase/config.toml.
 */

const { DOCKER_PUBLIC_URL: url = "", DOCKER_PUBLISHABLE_KEY: key = "" } = process.env;
const port = Number(process.env.CONSENT_PORT || 54330);

if (!URL.canParse(url) || key === "") {
  exitWith(
    new Failure(
      "DOCKER_PUBLIC_URL and DOCKER_PUBLISHABLE_KEY are missing: supabase/docker.env has them",
    ),
  );
}
const handle = serveConsentPage(
  { supabase_url: url, publishable_key: key, connector_url: `${url}/functions/v1/api/mcp` },
  "/",
);
const server = createServer(handle);
server.once("error", (error: NodeJS.ErrnoException) => {
  const taken = `port ${port} is in use (CONSENT_PORT chooses another one)`;
  exitWith(error.code === "EADDRINUSE" ? new Failure(taken) : error);
});
server.listen(port, "127.0.0.1", () => {
  console.log(`The consent page is at http://127.0.0.1:${port}/. Ctrl-C stops it.`);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { answerMalformedRequests } from "../front/malformed.ts";
import { listen } from "../ports.ts";
import { isFromThisMachine } from "./is_from_this_machine.ts";
import { serveStudioAssets } from "./serve_studio_assets.ts";

type Fetch = (request: Request, context: { peerAddress: string | null }) => Promise<Response>;

const REFUSED = JSON.stringify({
  error: {
    code: "forbidden",
    message: "Studio is for its own pages and for programs on this machine.",
    details: {},
  },
});

/** Lite's list of tables does not scroll, and ours is longer than most screens. */
const SCROLLING_LIST = "<style>.w-72.bg-dash-sidebar{overflow-y:auto}</style>";
/** Says on the page what Studio would say in a dialogue of the browser's. */
const notices = `<script>${readFileSync(join(import.meta.dirname, "notices.js"), "utf8")}</script>`;

/** Serves Studio to this machine alone. */
export async function openStudioServer(
  port: number,
  fetch: Fetch,
): Promise<{ url: string; close(): Promise<void> }> {
  const toStudio = getRequestListener(
    async (request, { incoming }) => {
      const peerAddress = (incoming as IncomingMessage).socket.remoteAddress ?? null;
      return withNotices(await fetch(request, { peerAddress }));
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer((request, response) => {
    if (!isFromThisMachine(request, actualPort)) {
      request.resume();
      response.writeHead(403, { "content-type": "application/json" }).end(REFUSED);
      return;
    }
    // Nobody frames a page on which a click edits.
    response.setHeader("x-frame-options", "DENY");
    if (request.url?.startsWith("/static/")) serveStudioAssets(request, response);
    else toStudio(request, response);
  });
  answerMalformedRequests(server);
  const actualPort = await listen(server, port, "STUDIO_PORT");
  return {
    url: `http://127.0.0.1:${actualPort}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function withNotices(answer: Response): Promise<Response> {
  if (!answer.headers.get("content-type")?.startsWith("text/html")) return answer;
  const page = await answer.text();
  const headers = new Headers(answer.headers);
  headers.delete("content-length");
  return new Response(
    page.replace("</head>", () => `${SCROLLING_LIST}${notices}</head>`),
    {
      status: answer.status,
      headers,
    },
  );
}

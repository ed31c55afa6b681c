import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Failure } from "../failure.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { Forwarder } from "./forward.ts";
import { routeOf } from "./routes.ts";
import { serveStudioAssets } from "./studio-assets.ts";

/** The one address of the stack. */
export interface Front {
  port: number;
  baseUrl: string;
  close(): Promise<void>;
}

/** Answers requests of one part of the stack. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What the front sends requests to. All of it may still be starting when the first request comes. */
export interface FrontTargets {
  gateway(): Gateway | undefined;
  authorizationServer(): Handler | undefined;
  consentPage(): Handler | undefined;
  functionPort(name: string): number | undefined;
}

/** Listens on the loopback interface; port 0 takes a free one. */
export async function openFront(port: number, targets: FrontTargets): Promise<Front> {
  const forwarder = new Forwarder();
  const toGateway = getRequestListener(
    (request, { incoming }) => {
      const gateway = targets.gateway();
      if (gateway === undefined) return unavailableResponse();
      const peerAddress = (incoming as IncomingMessage).socket.remoteAddress ?? null;
      return gateway.fetch(request, { peerAddress });
    },
    { overrideGlobalObjects: false },
  );

  const server = createServer((request, response) => {
    const route = routeOf(request.url ?? "/");
    if (route === "gateway") {
      toGateway(request, response);
      return;
    }
    if (route === "studio assets") {
      serveStudioAssets(request, response);
      return;
    }
    if (route === "authorization server" || route === "consent page") {
      const { authorizationServer, consentPage } = targets;
      const handle = route === "consent page" ? consentPage() : authorizationServer();
      (handle ?? refuse)(request, response);
      return;
    }
    const functionPort = targets.functionPort(route.function);
    if (functionPort === undefined) refuse(request, response);
    else forwarder.forward(request, response, functionPort, route.path, refuse);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE"
          ? new Failure(`port ${port} is in use (PORT chooses another one for the stack)`)
          : error,
      );
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return {
    port: actualPort,
    baseUrl: `http://127.0.0.1:${actualPort}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      forwarder.close();
      await closed;
    },
  };
}

const unavailable = JSON.stringify({
  error: {
    code: "unavailable",
    message: "The service is starting. Try again in a moment.",
    details: {},
  },
});
const unavailableHeaders = { "content-type": "application/json", "retry-after": "1" };

function unavailableResponse(): Response {
  return new Response(unavailable, { status: 503, headers: unavailableHeaders });
}

/** A function that is restarting answers in the service's own error shape. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (response.headersSent) response.destroy();
  else response.writeHead(503, unavailableHeaders).end(unavailable);
}

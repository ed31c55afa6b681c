import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Turn } from "../functions/running.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { listen } from "../ports.ts";
import { Forwarder } from "./forward.ts";
import { answerMalformedRequests } from "./malformed.ts";
import { routeOf } from "./routes.ts";

/** The one address of the stack. */
export interface Front {
  port: number;
  baseUrl: string;
  close(): Promise<void>;
}

/** Answers requests of one part of the stack. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Where the front sends requests. Any part may still be starting when the first request arrives. */
export interface FrontTargets {
  gateway(): Gateway | undefined;
  authorizationServer(): Handler | undefined;
  consentPage(): Handler | undefined;
  takeTurn(name: string): Turn | undefined | Promise<Turn | undefined>;
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

  function call(
    turn: Turn | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): void {
    if (turn === undefined) {
      refuse(request, response);
      return;
    }
    // The caller may have gone while the request waited for a worker.
    if (response.closed) turn.over();
    else response.once("close", () => turn.over());
    forwarder.forward(request, response, turn.port, path, () =>
      refuse(request, response, turn.killed() ? OVER_LIMIT : STARTING),
    );
  }

  const server = createServer((request, response) => {
    const route = routeOf(request.url ?? "/");
    if (route === "gateway") {
      toGateway(request, response);
      return;
    }
    if (route === "nothing") {
      refuse(request, response, NOTHING_HERE);
      return;
    }
    if (route === "authorization server" || route === "consent page") {
      const { authorizationServer, consentPage } = targets;
      const handle = route === "consent page" ? consentPage() : authorizationServer();
      (handle ?? refuse)(request, response);
      return;
    }
    const turn = targets.takeTurn(route.function);
    if (turn instanceof Promise)
      void turn.then((turn) => call(turn, request, response, route.path));
    else call(turn, request, response, route.path);
  });
  answerMalformedRequests(server);
  server.keepAliveTimeout = 60_000;
  const actualPort = await listen(server, port, "PORT");
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

/** An answer of the runtime, in the service's own error shape. */
interface Refusal {
  status: number;
  body: string;
}

function refusal(status: number, code: string, message: string): Refusal {
  return { status, body: JSON.stringify({ error: { code, message, details: {} } }) };
}

/** For paths that have nothing on a custom domain either. */
const NOTHING_HERE = refusal(
  404,
  "not_found",
  "There is nothing here. The API is at /api/v1, described at /api/v1/docs; Studio has a port of its own.",
);

/** A function that is restarting. */
const STARTING = refusal(503, "unavailable", "The service is starting. Try again in a moment.");

/** Status and name are the hosted runtime's, for a request whose worker was killed. */
const OVER_LIMIT = refusal(
  546,
  "worker_resource_limit",
  "The function exceeded its limits and was stopped. Try again.",
);

function headersOf({ status }: Refusal): Record<string, string> {
  const again = status >= 500 ? { "retry-after": "1" } : {};
  return { "content-type": "application/json", ...again };
}

function unavailableResponse(): Response {
  return new Response(STARTING.body, { status: STARTING.status, headers: headersOf(STARTING) });
}

function refuse(request: IncomingMessage, response: ServerResponse, answer = STARTING): void {
  request.resume();
  if (response.headersSent) response.destroy();
  else response.writeHead(answer.status, headersOf(answer)).end(answer.body);
}

import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** What the line between a function and the Data API does to one request. */
export type Fault =
  | "none"
  /** The request is done, and the answer is lost with the connection. */
  | "reset after the work"
  /** The request is taken and never answered. */
  | "hang"
  /** A proxy answers that it cannot reach the Data API. */
  | "bad gateway"
  /** The database meets an error that it did not raise on purpose. */
  | "mistake";

/** A line to the Data API on which faults happen at will. */
export interface FaultyGateway {
  url: string;
  /** The fault that requests meet from now on. */
  fault: Fault;
  /** Names of the RPCs that arrived, in order. */
  arrived: string[];
  /** Where requests go. */
  target: string;
  close(): Promise<void>;
}

/** Opens one on a free port; its target is set once the stack behind it is up. */
export async function openFaultyGateway(): Promise<FaultyGateway> {
  const server = createServer((request, response) => pass(line, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const line: FaultyGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: "none",
    arrived: [],
    target: "",
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
  return line;
}

function pass(line: FaultyGateway, request: IncomingMessage, response: ServerResponse): void {
  const { fault } = line;
  line.arrived.push(request.url?.split("/").at(-1) ?? "");
  if (fault === "hang") return void request.resume();
  if (fault === "bad gateway") {
    request.resume();
    response.writeHead(502, { "content-type": "text/html" }).end("<h1>secret proxy</h1>");
    return;
  }
  if (fault === "mistake") {
    request.resume();
    response.writeHead(500, { "content-type": "application/json" });
    response.end('{"code":"XX000","message":"secret","details":null,"hint":null}');
    return;
  }
  const { method, headers } = request;
  const outgoing = httpRequest(
    line.target + request.url,
    { method, headers } as object,
    (answer) => {
      if (fault === "reset after the work") {
        answer.resume();
        answer.on("end", () => request.socket.resetAndDestroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    },
  );
  request.pipe(outgoing);
}

import {
  Agent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";

/** Headers of a single connection, which are not forwarded. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-forwarded-for",
]);

/** Answers when the function cannot be reached. */
export type Refuse = () => void;

/** Forwards requests to a function over kept-alive connections, bodies as streams. */
export class Forwarder {
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 256, scheduling: "lifo" });

  forward(
    request: IncomingMessage,
    response: ServerResponse,
    port: number,
    path: string,
    refuse: Refuse,
  ): void {
    const outgoing = httpRequest({
      agent: this.#agent,
      host: "127.0.0.1",
      port,
      method: request.method,
      path,
      headers: forwardedHeaders(request),
      setHost: false,
    });
    let answered = false;
    outgoing.on("response", (answer) => {
      answered = true;
      response.writeHead(
        answer.statusCode ?? 502,
        answer.statusMessage,
        endToEnd(answer.rawHeaders),
      );
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    // A function may answer before it has read the whole body. The rest is then read and dropped, because the caller's
    // next request follows it on the same connection.
    const dropRest = () => {
      request.unpipe(outgoing);
      request.resume();
    };
    outgoing.on("error", () => {
      if (answered) dropRest();
      else refuse();
    });
    response.on("finish", () => {
      if (request.complete) return;
      dropRest();
      outgoing.destroy();
    });
    response.on("close", () => {
      if (!response.writableFinished) outgoing.destroy();
    });
    if (hasBody(request)) request.pipe(outgoing);
    else outgoing.end();
  }

  close(): void {
    this.#agent.destroy();
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** A list of names and values; Node takes it as it is, without building an object of it. */
function forwardedHeaders(request: IncomingMessage): string[] {
  const headers = endToEnd(request.rawHeaders);
  const before = request.headers["x-forwarded-for"];
  const peer = request.socket.remoteAddress ?? "unknown";
  headers.push("x-forwarded-for", before === undefined ? peer : `${before}, ${peer}`);
  if (request.headers["transfer-encoding"] !== undefined) {
    headers.push("transfer-encoding", "chunked");
  }
  return headers;
}

function endToEnd(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (!hopByHop.has(name.toLowerCase())) headers.push(name, rawHeaders[i + 1] as string);
  }
  return headers;
}

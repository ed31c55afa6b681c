import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

interface Answer {
  status: number;
  phrase: string;
  code: string;
  message: string;
}

const MALFORMED: Answer = {
  status: 400,
  phrase: "Bad Request",
  code: "bad_request",
  message: "The request is not well-formed HTTP.",
};

/** By the code of Node's parser; anything else is malformed. */
const BY_ERROR: Record<string, Answer> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    phrase: "Request Header Fields Too Large",
    code: "headers_too_large",
    message: "The headers of a request may not exceed 16 KiB.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    phrase: "Request Timeout",
    code: "request_timeout",
    message: "The request did not arrive in time.",
  },
};

/** Gives what Node refuses before any handler sees it the error shape of every other answer. */
export function answerMalformedRequests(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    const answer = BY_ERROR[error.code ?? ""] ?? MALFORMED;
    const body = bodyOf(answer);
    socket.end(
      [
        `HTTP/1.1 ${answer.status} ${answer.phrase}`,
        "content-type: application/json",
        `content-length: ${Buffer.byteLength(body)}`,
        "connection: close",
        "",
        body,
      ].join("\r\n"),
    );
  });
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    // Whether a body follows is not known, so nothing more can be read from this connection.
    response.writeHead(417, { "content-type": "application/json", connection: "close" }).end(
      bodyOf({
        code: "expectation_failed",
        message: "The only supported expectation is 100-continue.",
      }),
    );
  });
}

function bodyOf({ code, message }: Pick<Answer, "code" | "message">): string {
  return JSON.stringify({ error: { code, message, details: {} } });
}

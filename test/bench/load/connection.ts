import { connect, type Socket } from "node:net";

/** An answer, as far as a load generator looks at it. */
export interface Answer {
  status: number;
  body: string;
}

/** What is sent. */
export interface Request {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const headerEnd = Buffer.from("\r\n\r\n");

/**
 * One kept HTTP/1.1 connection with one request at a time. Client and service share the machine's cores, and this
 * spends a fraction of what fetch or node:http would.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #head: string;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket, head: string) {
    this.#socket = socket;
    this.#head = head;
    socket.setNoDelay(true);
    socket.on("data", (data) => this.#take(data));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the connection was closed")));
  }

  /** Connects; the headers go with each request. */
  static async open(baseUrl: string, headers: Record<string, string>): Promise<Connection> {
    const { hostname, port, host } = new URL(baseUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new Connection(socket, headerLines({ host, ...headers }));
  }

  send({ method, path, headers = {}, body }: Request): Promise<Answer> {
    const own = headerLines(headers);
    const content =
      body === undefined
        ? "\r\n"
        : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#socket.destroyed)
        this.#fail(new Error("the connection was closed while it was idle"));
      this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${own}${content}`);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(data: Buffer): void {
    this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
    const end = this.#received.indexOf(headerEnd);
    if (end < 0) return;
    const head = this.#received.toString("latin1", 0, end).toLowerCase();
    const content = this.#received.subarray(end + headerEnd.length);
    const body = /\r\ntransfer-encoding: chunked/.test(head)
      ? unchunked(content)
      : fixed(content, Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0));
    if (body === undefined) return;
    this.#received = Buffer.alloc(0);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status: Number(head.slice(9, 12)), body });
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}

function fixed(content: Buffer, length: number): string | undefined {
  return content.length < length ? undefined : content.toString("utf8", 0, length);
}

function unchunked(content: Buffer): string | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = content.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(content.toString("latin1", at, lineEnd), 16);
    const start = lineEnd + 2;
    if (content.length < start + size + 2) return undefined;
    if (size === 0) return Buffer.concat(parts).toString("utf8");
    parts.push(content.subarray(start, start + size));
    at = start + size + 2;
  }
}

import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./certificates.ts";

/** A request as it arrived, byte for byte. */
export interface Received {
  path: string;
  method: string;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  at: number;
}

/** What a target does with a request that it has read; nothing answered means that it hangs. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers with a status and nothing else. */
export function answer(status: number, headers: Record<string, string> = {}): Behaviour {
  return (_, response) => response.writeHead(status, headers).end();
}

/** Reads the request and never answers. */
export const hang: Behaviour = () => {};

/** Reads the request and resets the connection. */
export const reset: Behaviour = (request) => request.socket.destroy(new Error("reset"));

/** An https target that remembers what it got. Each path can behave in its own way; by default it answers 200. */
export class Receiver {
  readonly #server;
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #waiting = new Set<() => void>();
  readonly received: Received[] = [];
  /** TLS connections made so far. */
  connections = 0;

  private constructor(certificate: Certificate) {
    this.#server = createServer(certificate, (request, response) => this.#take(request, response));
    this.#server.on("secureConnection", () => {
      this.connections += 1;
    });
  }

  static async open(certificate: Certificate): Promise<Receiver> {
    const receiver = new Receiver(certificate);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string, host = "127.0.0.1"): string {
    return `https://${host}:${this.port}${path}`;
  }

  /** Makes a path behave so from now on. */
  on(path: string, behaviour: Behaviour): void {
    this.#behaviours.set(path, behaviour);
  }

  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  /** Resolves once a path has got so many requests. */
  async count(path: string, wanted: number, within_ms = 15_000): Promise<Received[]> {
    const deadline = Date.now() + within_ms;
    while (this.at(path).length < wanted) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`${path} got ${this.at(path).length} of ${wanted} requests`);
      await this.#next(left);
    }
    return this.at(path);
  }

  /** Cuts all connections, those also whose request was never answered. */
  hangUp(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.hangUp();
    this.#server.close();
    await once(this.#server, "close");
  }

  #next(within_ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, within_ms);
      this.#waiting.add(done);
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const path = request.url ?? "";
    this.received.push({
      path,
      method: request.method ?? "",
      headers: request.headers,
      bytes: Buffer.concat(parts),
      at: Date.now(),
    });
    (this.#behaviours.get(path) ?? answer(200))(request, response);
    for (const done of [...this.#waiting]) done();
  }
}

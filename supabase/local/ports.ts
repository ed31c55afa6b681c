import { createServer, type Server } from "node:net";
import { Failure } from "../failure.ts";

/** A free loopback port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no loopback port");
  return address.port;
}

/** Whether a server can listen on this loopback port. */
export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

export function portInUse(port: number, setting: string): Failure {
  return new Failure(`port ${port} is in use (${setting} chooses another one for the stack)`);
}

/** Listens on the loopback interface, on a free port when given 0; returns the port. */
export async function listen(server: Server, port: number, setting: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? portInUse(port, setting) : error),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

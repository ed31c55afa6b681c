import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";

/** What stands before a whole stack, as a proxy with a domain of its own does, and answers some requests by itself. */
export interface Front {
  url: string;
  /** The stack behind it. */
  target: string;
  /** Answers to give instead, by method and the beginning of the path. */
  instead: Map<string, (request: Request) => Response>;
  /** Everything that was asked, with the keys that were shown. */
  asked: { path: string; key: string | null }[];
  close(): Promise<void>;
}

/** Opens one on a free port; its target is set once the stack behind it is up. */
export async function openFront(): Promise<Front> {
  const server = createServer(
    getRequestListener((request) => answer(front, request), { overrideGlobalObjects: false }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: "",
    instead: new Map(),
    asked: [],
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
  return front;
}

const HOP_BY_HOP = ["connection", "content-length", "keep-alive", "transfer-encoding"];

async function answer(front: Front, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  front.asked.push({ path: pathname, key: request.headers.get("apikey") });
  for (const [which, give] of front.instead) {
    const [method, path = ""] = which.split(" ");
    if (request.method === method && pathname.startsWith(path)) return give(request);
  }
  const headers = new Headers(request.headers);
  for (const name of ["host", ...HOP_BY_HOP]) headers.delete(name);
  const hasBody = !["GET", "HEAD"].includes(request.method);
  const response = await fetch(front.target + pathname + search, {
    method: request.method,
    headers,
    redirect: "manual",
    ...(hasBody ? { body: await request.arrayBuffer() } : {}),
  });
  const passed = new Headers(response.headers);
  for (const name of ["content-encoding", ...HOP_BY_HOP]) passed.delete(name);
  if (response.status === 204) return new Response(null, { status: 204, headers: passed });
  // The stack names itself by its own address, and is known by this one.
  const text = (await response.text()).replaceAll(front.target, front.url);
  return new Response(text, { status: response.status, headers: passed });
}

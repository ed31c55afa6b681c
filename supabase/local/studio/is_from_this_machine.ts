import type { IncomingMessage } from "node:http";

/** Names of this machine under which nobody else can answer. */
const NAMES = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Whether a request comes from Studio's own pages or a program of this machine. Studio needs no key, so a page of the
 * web must not reach it through a person's browser: neither by a name of its own that it lets point here (the Host names
 * it then), nor from another origin, which the browser tells; a port of this machine is another origin, too.
 */
export function isFromThisMachine(
  { headers, method, url }: IncomingMessage,
  port: number,
): boolean {
  const hosts = NAMES.map((name) => `${name}:${port}`);
  if (!hosts.includes(headers.host ?? "")) return false;
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) return false;
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return true;
  // A link to Studio may stand anywhere; what it opens is a page.
  const opensPage = method === "GET" && headers["sec-fetch-dest"] === "document";
  return opensPage && !/^\/(rest|auth|storage|_system)(\/|$)/.test(url ?? "");
}

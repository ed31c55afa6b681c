/** Where a request goes: a function, with the path it sees, or a part of the stack. */
export type Route =
  | { function: string; path: string }
  | "gateway"
  | "authorization server"
  | "consent page"
  | "nothing";

/** What hosted Auth answers besides what the gateway does, and where clients look for what they are told about it. */
const AUTHORIZATION_SERVER =
  /^\/auth\/v1\/(oauth|\.well-known)\/|^\/\.well-known\/(oauth-authorization-server|openid-configuration)\/auth\/v1(?=\?|$)/;

/** What of a project the stack has behind its gateway. */
const GATEWAY = /^\/(rest|auth|storage)\/v1(?=[/?]|$)/;

/** The URL table of the stack; hosted projects have the second form, a custom domain the first. */
export function routeOf(url: string): Route {
  if (startsWithSegment(url, "/api")) return { function: "api", path: url };
  if (url.startsWith("/functions/v1/")) {
    const path = url.slice("/functions/v1".length);
    const name = /^\/([^/?]+)/.exec(path)?.[1];
    if (name !== undefined) return { function: name, path };
  }
  if (AUTHORIZATION_SERVER.test(url)) return "authorization server";
  if (startsWithSegment(url, "/consent")) return "consent page";
  if (url.startsWith("/.well-known/")) return { function: "api", path: `/api${url}` };
  return GATEWAY.test(url) ? "gateway" : "nothing";
}

function startsWithSegment(url: string, segment: string): boolean {
  if (!url.startsWith(segment)) return false;
  const next = url[segment.length];
  return next === undefined || next === "/" || next === "?";
}

/** Where a request goes: a function, with the path it sees, the gateway, or the files of Studio. */
export type Route = { function: string; path: string } | "gateway" | "studio assets";

/** The URL table of the stack; hosted projects have the second form, a custom domain the first. */
export function routeOf(url: string): Route {
  if (startsWithSegment(url, "/api")) return { function: "api", path: url };
  if (url.startsWith("/functions/v1/")) {
    const path = url.slice("/functions/v1".length);
    const name = /^\/([^/?]+)/.exec(path)?.[1];
    if (name !== undefined) return { function: name, path };
  }
  if (url.startsWith("/.well-known/")) return { function: "api", path: `/api${url}` };
  return url.startsWith("/static/") ? "studio assets" : "gateway";
}

function startsWithSegment(url: string, segment: string): boolean {
  if (!url.startsWith(segment)) return false;
  const next = url[segment.length];
  return next === undefined || next === "/" || next === "?";
}

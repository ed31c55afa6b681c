import { missing, type Need } from "./environment.ts";
import { unavailable } from "./errors.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/**
 * Takes a function's requests. Where the project has not given what it needs, each is answered 503: the log says once
 * what is missing, and the answer nothing of it.
 */
export function serve(needs: readonly Need[], answer: Answer): void {
  const lacks = missing(needs);
  if (lacks.length === 0) {
    Deno.serve(answer);
    return;
  }
  console.error(JSON.stringify({ level: "error", cause: lacks.join("; ") }));
  Deno.serve(() =>
    Response.json(unavailable(lacks), { status: 503, headers: { "retry-after": "60" } }),
  );
}

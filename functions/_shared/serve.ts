import { missing, type Need } from "./environment.ts";
import { unavailable } from "./errors.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/**
 * Serves a function's requests. If a setting is missing, each is answered 503; only the log says which one, once.
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

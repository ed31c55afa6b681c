import { supabaseUrl } from "../_shared/environment.ts";
import { secretKey, showsSecretKey } from "../_shared/secret_key.ts";
import { Database } from "./database.ts";
import { type Qualify, qualifier } from "./qualify.ts";
import { Run, type Summary } from "./run.ts";
import { type Screen, sanctionsService } from "./sanctions_service.ts";

declare const EdgeRuntime: { waitUntil(work: Promise<unknown>): void };

const key = secretKey();
const database = new Database(supabaseUrl(), key);
const qualify: Qualify = await qualifier();
const screen: Screen | undefined = sanctionsService();

let running: Run | undefined;
let next: Promise<Summary> | undefined;
let current: Promise<Summary> | undefined;

Deno.serve(async (request) => {
  if (!showsSecretKey(request, key)) {
    return refusal(401, "unauthorized", "The intake is called with the project's secret key.");
  }
  if (request.method !== "POST") {
    return refusal(405, "method_not_allowed", "The intake takes POST.", { allow: "POST" });
  }
  const work = ask();
  if (await wantsToWait(request)) {
    try {
      return Response.json(await work);
    } catch (error) {
      console.error(error);
      return refusal(503, "unavailable", "The database does not answer.");
    }
  }
  EdgeRuntime.waitUntil(work);
  return Response.json({ status: "started" }, { status: 202 });
});

// The runtime is about to end this worker: claim nothing more.
addEventListener("beforeunload", () => running?.stop());

/**
 * Starts a run. Each new lead asks for one, so while one is at work a single next one is lined up for all who ask: it
 * sees what the first came too early for.
 */
function ask(): Promise<Summary> {
  if (current === undefined) {
    current = work().finally(() => {
      current = undefined;
    });
    return current;
  }
  next ??= current
    .catch(() => {})
    .then(() => {
      next = undefined;
      return ask();
    });
  return next;
}

async function work(): Promise<Summary> {
  running = new Run(database, qualify, screen);
  return running.work();
}

async function wantsToWait(request: Request): Promise<boolean> {
  try {
    return (await request.json()).wait === true;
  } catch {
    return false;
  }
}

function refusal(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error: { code, message, details: {} } }, { status, headers });
}

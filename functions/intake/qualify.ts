import type { Attempt, Message } from "./job_queue.ts";
import { qualifyByRules, RULES_VERSION } from "./rules/qualify.ts";

/** Reads a message for a lead's wishes; `attempt` counts from 1. */
export type Qualify = (message: Message, attempt: number) => Promise<Attempt>;

/** After these, the rules read the message, so that no lead waits for a provider for ever. */
const MAX_MODEL_ATTEMPTS = 3;

/** A model if one is configured, otherwise the built-in rules. */
export async function qualifier(): Promise<Qualify> {
  const baseUrl = Deno.env.get("QUALIFIER_BASE_URL");
  const model = Deno.env.get("QUALIFIER_MODEL");
  if (!baseUrl || !model) return byRules;

  // Loaded only if used: the client is by far the largest part of this function.
  const { modelQualifier } = await import("./model/qualify.ts");
  const byModel = modelQualifier({
    baseUrl,
    model,
    apiKey: Deno.env.get("QUALIFIER_API_KEY") ?? "",
    timeout_ms: Number(Deno.env.get("QUALIFIER_TIMEOUT_MS")) || undefined,
  });
  return (message, attempt) => (attempt > MAX_MODEL_ATTEMPTS ? byRules(message) : byModel(message));
}

function byRules({ subject, body }: Message): Promise<Attempt> {
  const startedAt = performance.now();
  const result = qualifyByRules(subject, body);
  return Promise.resolve({
    status: "done",
    qualifier: "rules",
    version: RULES_VERSION,
    result,
    duration_ms: Math.round(performance.now() - startedAt),
  });
}

import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { Qualification } from "../../../types/contracts/qualification.ts";
import type { Attempt, Message } from "../job_queue.ts";
import { groundedIn } from "./grounding.ts";
import { promptFor } from "./prompt.ts";

/** Which OpenAI-compatible service to ask. */
interface ModelSettings {
  baseUrl: string;
  apiKey: string;
  model: string;
  timeout_ms?: number | undefined;
}

const TRY_MS = 20_000;
const ALL_TRIES_MS = 45_000;
/** Retries, with the client's own back-off, which honours Retry-After. */
const MAX_RETRIES = 2;
const MAX_ANSWER_TOKENS = 500;
const FORMAT = zodResponseFormat(Qualification, "qualification");

/** A qualifier that asks a language model. Its answer is used only if it fits the contract. */
export function modelQualifier({ baseUrl, apiKey, model, timeout_ms = TRY_MS }: ModelSettings) {
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey,
    timeout: timeout_ms,
    maxRetries: MAX_RETRIES,
  });

  return async (message: Message): Promise<Attempt> => {
    const startedAt = performance.now();
    const outcome = await ask(message).catch((error: unknown) => ({
      status: "failed" as const,
      error: describe(error),
    }));
    return {
      ...outcome,
      qualifier: "model",
      version: model.slice(0, 200),
      duration_ms: Math.round(performance.now() - startedAt),
    };
  };

  async function ask(
    message: Message,
  ): Promise<Pick<Attempt, "status" | "result" | "error" | "answer">> {
    const completion = await client.chat.completions.create(
      {
        model,
        temperature: 0,
        max_completion_tokens: MAX_ANSWER_TOKENS,
        messages: promptFor(message),
        response_format: FORMAT,
      },
      { signal: AbortSignal.timeout(ALL_TRIES_MS) },
    );
    const choice = completion.choices?.[0]?.message;
    const answer = choice?.content ?? "";
    if (choice?.refusal) return refused(choice.refusal, "The model declined.");
    const parsed = Qualification.safeParse(parseJson(answer));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refused(
        answer,
        `The answer does not fit: ${issue?.path.join(".") || "answer"} ${issue?.message}.`,
      );
    }
    return { status: "done", result: groundedIn(message, parsed.data) };
  }
}

function refused(answer: string, error: string) {
  return { status: "refused" as const, error, answer: storable(answer) };
}

/** Text that Postgres can store. */
function storable(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Says what went wrong without quoting the request: neither the key nor the mail belongs in a log. */
function describe(error: unknown): string {
  if (error instanceof OpenAI.APIError && error.status)
    return `The model's service answered ${error.status}.`;
  if (error instanceof OpenAI.APIConnectionTimeoutError)
    return "The model's service did not answer in time.";
  if (error instanceof OpenAI.APIUserAbortError)
    return "The model's service did not answer in time.";
  return "The model's service could not be reached.";
}

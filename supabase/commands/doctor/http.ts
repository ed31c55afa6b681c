/** What came back, or why nothing did. */
export interface Answer {
  /** 0 when nobody answered. */
  status: number;
  headers: Headers;
  text: string;
  /** Why nobody answered. */
  failure?: string;
}

const ANSWER_TIMEOUT_MS = 8_000;
const MAX_TEXT_CHARS = 1_000_000;

/** Asks once. No redirect is followed, since what is sent along is for this address alone. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const text = (await response.text()).slice(0, MAX_TEXT_CHARS);
    return { status: response.status, headers: response.headers, text };
  } catch (error) {
    return { status: 0, headers: new Headers(), text: "", failure: whyNot(error) };
  }
}

/** The answer's JSON, or nothing when it is none. */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    return undefined;
  }
}

/** A member of a JSON object, if that is what it is. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** An answer in a few words. */
export function describeAnswer({ status, failure }: Answer): string {
  return failure ?? `answered ${status}`;
}

/** Whether a host is this machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127\./.test(hostname);
}

function whyNot(error: unknown): string {
  if ((error as Error)?.name === "TimeoutError") {
    return `gave no answer within ${ANSWER_TIMEOUT_MS / 1000} s`;
  }
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  return `does not answer (${cause?.code ?? cause?.message ?? (error as Error).message})`;
}

// Run by Deno: what the drain would be with no queue, no log and no care. It signs and posts each line of its input
// with the drain's own client, and prints how many milliseconds that took.
import { exchange } from "../../../functions/drain/exchange.ts";
import { signature } from "../../../functions/drain/sign.ts";

const [target = "", secret = "", concurrency = ""] = Deno.args;
const bodies = (await new Response(Deno.stdin.readable).text()).split("\n").filter(Boolean);
const url = new URL(target);
const encoder = new TextEncoder();

const startedAt = performance.now();
let next = 0;
async function work(): Promise<void> {
  while (next < bodies.length) {
    const body = encoder.encode(bodies[next++]);
    const headers = {
      "content-type": "application/json",
      "x-service-event": "document_completed",
      "x-service-delivery": crypto.randomUUID(),
      "x-service-signature": signature(secret, body),
    };
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), 10_000);
    const outcome = await exchange(
      { url, addresses: ["127.0.0.1"] },
      headers,
      body,
      deadline.signal,
    );
    clearTimeout(timer);
    if (outcome.error !== undefined) throw new Error(outcome.detail);
  }
}
await Promise.all(Array.from({ length: Number(concurrency) }, work));
console.log(performance.now() - startedAt);

// Run by Deno: posts once to the URL and the addresses in its arguments, and prints the outcome as JSON.
import { exchange } from "../../functions/drain/exchange.ts";

const [url = "", ...addresses] = Deno.args;
const outcome = await exchange(
  { url: new URL(url), addresses },
  { "content-type": "application/json" },
  new TextEncoder().encode("{}"),
  AbortSignal.timeout(10_000),
);
console.log(JSON.stringify(outcome));

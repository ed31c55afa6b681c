// Run by Deno: prints, as JSON, what the rules for targets say of the cases on its input.
import { checkUrl, resolveTarget } from "../../functions/_shared/target.ts";

interface Case {
  url: string;
  /** What the name resolves to; the system's resolver is asked when it is left out. */
  addresses?: string[];
}

const cases = (await new Response(Deno.stdin.readable).json()) as Case[];
const verdicts = cases.map(async ({ url, addresses }) => {
  const checked = checkUrl(url);
  if ("code" in checked) return checked.code;
  const target = await resolveTarget(checked, addresses && (() => Promise.resolve(addresses)));
  return "code" in target ? target.code : target.addresses.join(" ");
});
console.log(JSON.stringify(await Promise.all(verdicts)));

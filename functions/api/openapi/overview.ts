import { REASONS } from "../../../types/contracts/reasons.ts";

/** The groups of endpoints, in the order in which they are read. */
export const TAGS = [
  ["Leads", "People who want to buy, rent or sell. The work hangs off a lead's operations."],
  ["Operations", "Deals that walk through the stages of their flow, one gate at a time."],
  ["Flows", "The stages of each type of operation, and what their gates wait for."],
  ["Offers", "Offers recorded on operations, and their public links."],
  ["Viewings", "Appointments to see a property."],
  ["Properties", "What the agency sells and lets."],
  ["Documents", "Papers of a deal, and their files."],
  ["Signatures", "Documents that are sent to be signed."],
  ["Agents", "The people of the agency."],
  ["Hooks", "Subscriptions to the four events."],
  ["Events", "What is posted to the targets of subscriptions."],
  ["Service", "The service itself."],
] as const;

/** What holds for the whole API, in Markdown. */
export function overview(baseUrl: string): string {
  return `The back office of real-estate brokerages: leads, a deal pipeline whose gates nobody can bypass, offers, and signed events.

Send \`Authorization: Bearer <API key>\`, or an access token obtained through OAuth. A credential belongs to one agency and carries permissions; each endpoint says which one it takes. Whatever is not a success is \`{"error":{"code","message","details"}}\`.

<details>
<summary>Requests: JSON, pages, retries, limits</summary>

- Bodies are JSON (\`Content-Type: application/json\`), at most 1 MiB. Members and query parameters that are not known are refused, never ignored.
- Lists are newest first. \`limit\` is 50 by default and 200 at most; \`next_cursor\`, given back as \`cursor\`, gets the next page, and is null on the last. Rows that come in between do not shift a page.
- Every POST takes an \`Idempotency-Key\`. For 24 hours the same key with the same body gets the first answer again, marked \`Idempotent-Replayed: true\`.
- A credential has 120 requests a minute unless its agency gave it another number. They come back one by one; refused and failed requests count too.
- GET paths take HEAD as well. Pages of any origin may call (CORS); no cookie is ever looked at.

</details>

<details>
<summary>Answers: headers, codes, and the reasons of a 422</summary>

Moments are ISO 8601 in UTC. Answers are not to be cached, but for this description. Each has an \`X-Request-Id\`; each to a valid credential has \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. Requests without a valid credential are counted too, 300 a minute from one address and 60 with one key's name, and then refused with 429; who has a valid credential never feels it.

Each code has one status. A path that does not exist is answered 404 \`not_found\`, before any credential is looked at. A 422 is always \`validation_error\`, with one of these in \`details.reason\`:

| reason | means |
|---|---|
${Object.entries(REASONS)
  .map(([reason, { meaning }]) => `| \`${reason}\` | ${meaning} |`)
  .join("\n")}

</details>

Four events are posted to https targets: see the webhooks, and POST /hooks. \`POST ${baseUrl}/api/mcp\` speaks MCP under the same credentials, permissions and request limit.`;
}

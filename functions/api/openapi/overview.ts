import { REASONS } from "../../../types/contracts/reasons.ts";

/** The groups of endpoints, in reading order. */
export const TAGS = [
  ["Leads", "People who want to buy, rent or sell. The work itself is in a lead's operations."],
  ["Operations", "Deals that move through the stages of their flow, one gate at a time."],
  ["Flows", "The stages of each type of operation, and the steps of their gates."],
  ["Offers", "Offers recorded on operations, and their public links."],
  ["Viewings", "Appointments to see a property."],
  ["Properties", "What the agency sells and lets."],
  ["Documents", "Papers of a deal, and their files."],
  ["Signatures", "Requests to sign documents."],
  ["Agents", "The people of the agency."],
  ["Hooks", "Subscriptions to the four events."],
  ["Events", "What is posted to subscribed URLs."],
  ["Service", "The service itself."],
] as const;

/** What applies to the whole API, in Markdown. */
export function overview(baseUrl: string): string {
  return `The back office of real-estate brokerages: leads, a deal pipeline whose gates cannot be bypassed, offers, and signed events.

Send \`Authorization: Bearer <API key>\`, or an access token obtained through OAuth. A credential belongs to one agency and carries permissions; each endpoint names the one it needs. Every error has the form \`{"error":{"code","message","details"}}\`.

<details>
<summary>Requests: JSON, pages, retries, limits</summary>

- Bodies are JSON (\`Content-Type: application/json\`), at most 1 MiB. Unknown members and query parameters are refused, never ignored.
- Lists are newest first. \`limit\` is 50 by default and 200 at most; send \`next_cursor\` back as \`cursor\` to get the next page; it is null on the last. New rows do not shift the pages.
- Every POST takes an \`Idempotency-Key\`. For 24 hours, the same key with the same body returns the first answer again, marked \`Idempotent-Replayed: true\`.
- A credential may make 120 requests a minute unless its agency chose another number. The budget refills continuously; refused and failed requests count too.
- GET paths support HEAD too. Pages of any origin may call (CORS); cookies are never used.

</details>

<details>
<summary>Answers: headers, codes, and the reasons of a 422</summary>

Times are ISO 8601 in UTC. Only this description may be cached. Every answer has an \`X-Request-Id\`; with a valid credential it also has \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. Requests without a valid credential are limited to 300 a minute per address and 60 per key, and then answered 429; valid credentials are never affected.

Each code has one status. A path that does not exist is answered 404 \`not_found\` before the credential is checked. A 422 is always \`validation_error\`, with one of these in \`details.reason\`:

| reason | means |
|---|---|
${Object.entries(REASONS)
  .map(([reason, { meaning }]) => `| \`${reason}\` | ${meaning} |`)
  .join("\n")}

</details>

Four events are posted to https URLs: see the webhooks and POST /hooks. \`POST ${baseUrl}/api/mcp\` speaks MCP with the same credentials, permissions and limits.`;
}

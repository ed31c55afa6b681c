import { hook, listed, wonOperation } from "../examples.ts";
import { type Chapter, describeList } from "../prose.ts";

export const hooks: Chapter = {
  listHooks: describeList(
    "subscriptions",
    "The agency's subscriptions to events that the credential may read.",
    listed(hook),
  ),
  sampleHook: {
    summary: "Sample an event",
    description:
      "Rows that are already in the event's state, latest first, each exactly as the event would send it. Also useful for polling where hooks are not possible.",
    gives: { 200: ["A page of rows, here for deal_won.", listed(wonOperation)] },
    refuses: { invalid_cursor: "cursor" },
  },
  createHook: {
    summary: "Subscribe to an event",
    description:
      "Each event is posted to the URL once; see the webhooks. The URL must be https and on the public internet; any port is fine. An event has at most 20 hooks. Subscribing the same URL to the same event again returns the existing id.",
    sends: {
      "Won deals, to an automation": {
        event_type: hook.event_type,
        target_url: hook.target_url,
      },
    },
    gives: { 201: ["The subscription's id, without an envelope.", { id: hook.id }] },
    refuses: { invalid_target: "target_url", too_many_hooks: "event_type" },
  },
  deleteHook: {
    summary: "Unsubscribe",
    description:
      "The answer is the same whether or not the subscription existed. Another agency's subscriptions are not affected.",
    gives: { 204: ["The subscription does not exist now."] },
  },
};

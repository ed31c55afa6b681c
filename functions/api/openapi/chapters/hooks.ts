import { hook, listed, wonOperation } from "../examples.ts";
import { type Chapter, describeList } from "../prose.ts";

export const hooks: Chapter = {
  listHooks: describeList(
    "subscriptions",
    "The agency's subscriptions to the events that the credential may read.",
    listed(hook),
  ),
  sampleHook: {
    summary: "Sample an event",
    description:
      "Rows that are in the event's state already, latest first, each exactly as the event would carry it. Also good for polling, where a hook cannot be.",
    gives: { 200: ["A page of rows; here of deal_won.", listed(wonOperation)] },
    refuses: { invalid_cursor: "cursor" },
  },
  createHook: {
    summary: "Subscribe to an event",
    description:
      "Each event is posted to the URL once; see the webhooks. The URL has to be https and on the public internet, on any port. An event has at most 20 hooks. The same event and URL again give the id that exists.",
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
      "The answer is the same whether or not there was such a subscription. One of another agency is left alone.",
    gives: { 204: ["There is no such subscription now."] },
  },
};

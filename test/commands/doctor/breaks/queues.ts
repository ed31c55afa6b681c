import type { Breaks } from "./break.ts";

export const EVENT = `
  insert into public.subscriptions (agency_id, event_type, target_url)
  select id, 'deal_won', 'https://target.example/hook' from public.agencies limit 1;
  insert into public.events (agency_id, event_type, subject_id, subscription_ids, available_at)
  select agency_id, 'deal_won', gen_random_uuid(), array[id], now() - interval '2 hours' from public.subscriptions;`;
export const FAILED = `
  insert into public.deliveries (agency_id, event_id, subscription_id, target_url, round, attempt, run_id, state, status_code, error)
  select e.agency_id, e.id, s.id, s.target_url, 1, 1, gen_random_uuid(), 'failed', 500, 'http_status'
  from public.events e join public.subscriptions s on s.id = any (e.subscription_ids);
  update public.events set available_at = now();`;
export const NO_EVENTS =
  "delete from public.deliveries; delete from public.events; delete from public.subscriptions";

/** Breaks in the queues. */
export const queuesBreaks: Breaks = {
  "pending events": {
    "one waits for hours": {
      breaks: EVENT,
      says: /^1 events wait, the oldest for 2 hours$/,
      mend: /^select private\.kick_drain\(\);/,
      mended: NO_EVENTS,
    },
    "a run died with one": {
      breaks: `${EVENT} update public.events set status = 'claimed', run_id = gen_random_uuid(), lease_until = now() - interval '1 hour'`,
      says: /^1 events wait/,
      mend: /^select private\.kick_drain\(\);/,
      mended: NO_EVENTS,
    },
  },
  deliveries: {
    "no target takes anything": {
      alone: true,
      breaks: EVENT + FAILED,
      says: /^no target accepted anything in the last day: target\.example \(1 attempts\)$/,
      mend: /failed_deliveries; .*admin\.replay_event/,
      mended: NO_EVENTS,
    },
  },
};

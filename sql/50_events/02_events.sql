create table public.events (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  event_type text not null,
  subject_id uuid not null,
  subscription_ids uuid[] not null,
  status text not null default 'pending',
  reason text,
  attempts int not null default 0,
  round int not null default 1,
  body text,
  queued_at timestamptz not null default now(),
  available_at timestamptz not null default now(),
  run_id uuid,
  lease_until timestamptz,
  delivered_at timestamptz,
  lost_claims int not null default 0,
  primary key (agency_id, id),
  constraint event_type_is_known check (event_type in ('deal_won', 'offer_accepted', 'signature_signed', 'document_completed')),
  -- The first qualifying transition queues, and only the first one.
  constraint subject_is_queued_once unique (agency_id, event_type, subject_id),
  constraint status_is_known check (status in ('pending', 'claimed', 'delivered')),
  constraint reason_is_known check (reason in (
    'every_target_failed', 'some_targets_failed', 'attempts_spent', 'outcome_unknown', 'no_subscription_left',
    'not_serializable')),
  constraint attempts_are_limited check (attempts between 0 and 3),
  constraint lost_claims_are_limited check (lost_claims between 0 and 3),
  constraint round_is_counted check (round >= 1),
  constraint claimed_has_a_lease check ((status = 'claimed') = (run_id is not null and lease_until is not null)),
  constraint delivered_is_dated check ((status = 'delivered') = (delivered_at is not null)),
  constraint has_a_target check (cardinality(subscription_ids) > 0)
);
create index events_pending on public.events (agency_id, available_at, id) where status = 'pending';
create index events_leased on public.events (lease_until) where status = 'claimed';

comment on table public.events is 'The queue of events and what became of them. A row exists only when the agency had a subscription at the transition.';
comment on column public.events.id is 'Identifier; sent to targets as x-service-delivery.';
comment on column public.events.event_type is 'deal_won, offer_accepted, signature_signed or document_completed.';
comment on column public.events.subject_id is 'The operation, offer, signature or document.';
comment on column public.events.subscription_ids is 'The subscriptions that existed when the event was queued. Those that still exist are its targets.';
comment on column public.events.status is 'pending (waits for a drain), claimed (a drain works on it) or delivered (nothing more is sent).';
comment on column public.events.reason is 'Null when every target accepted. every_target_failed: tried again in the next run. Delivered with some_targets_failed, attempts_spent, outcome_unknown (a drain died after it may have posted), no_subscription_left or not_serializable: the row public.deliveries tells the rest.';
comment on column public.events.attempts is 'Attempts so far, counted when a drain claims the event. At most 3 a round.';
comment on column public.events.lost_claims is 'Claims by runs that died before they announced a POST; they cost no attempt. At most 3 a round: any more count as attempts, so that an event that kills drains ends as well.';
comment on column public.events.round is '1, and one more for each admin.replay_event.';
comment on column public.events.body is 'The bytes that are signed and posted, serialized once, at the first claim.';
comment on column public.events.queued_at is 'When the transition happened.';
comment on column public.events.available_at is 'Since when it may be claimed. A drain takes what was available when it started, so a failure waits for the next run.';
comment on column public.events.run_id is 'The drain run that holds the event; it alone may write its outcome.';
comment on column public.events.lease_until is 'Until when the run holds it. Afterwards the run is taken for dead.';
comment on column public.events.delivered_at is 'When nothing more was left to send.';

-- No grant goes with the policy: callers have no list of events yet, and operators read it in Studio.
alter table public.events enable row level security;
create policy select_own on public.events for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

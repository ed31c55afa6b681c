create table public.deliveries (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  event_id uuid not null,
  subscription_id uuid not null,
  target_url text not null,
  round int not null,
  attempt int not null,
  run_id uuid not null,
  state text not null default 'posting',
  status_code int,
  error text,
  error_detail text,
  duration_ms int,
  started_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, event_id) references public.events (agency_id, id) on delete cascade,
  constraint state_is_known check (state in ('posting', 'accepted', 'failed', 'unknown')),
  constraint status_code_is_http check (status_code between 100 and 999),
  constraint accepted_means_2xx check (state <> 'accepted' or (coalesce(status_code, 0) between 200 and 299 and error is null)),
  constraint failure_is_explained check (state not in ('failed', 'unknown') or error is not null),
  constraint error_is_a_word check (error ~ '^[a-z0-9_]{1,60}$'),
  constraint error_detail_is_short check (char_length(error_detail) <= 300)
);
-- No index but the key begins with agency_id: on a small table, the planner would take such a one for the key.
-- At most once: no second POST to a target that has the event, or may have it.
create unique index target_gets_an_event_once on public.deliveries (event_id, subscription_id, round, agency_id)
  where state in ('posting', 'accepted', 'unknown');
create index deliveries_by_event on public.deliveries (event_id, agency_id);

comment on table public.deliveries is 'The delivery log: one row for each attempt at each target, written before the POST. Kept 90 days.';
comment on column public.deliveries.event_id is 'The event that was posted, as in events.id.';
comment on column public.deliveries.subscription_id is 'The subscription; it may be gone since.';
comment on column public.deliveries.target_url is 'Where it was posted to.';
comment on column public.deliveries.round is 'The event''s round: 1, and one more for each replay.';
comment on column public.deliveries.attempt is 'The event''s attempt, 1 to 3.';
comment on column public.deliveries.run_id is 'The drain run that posted; it alone may write the outcome.';
comment on column public.deliveries.state is 'posting, then accepted (2xx) or failed; unknown when the drain died in between, and then it is never posted again.';
comment on column public.deliveries.status_code is 'HTTP status of the answer, if one came.';
comment on column public.deliveries.error is 'Why it failed, as a word: http_status, redirect, timeout, dns_failed, connection_refused, connection_lost, connect_failed, tls_failed, bad_response, not_sent (the run ended before its turn), drain_died, or a rule of the target such as private_address.';
comment on column public.deliveries.error_detail is 'The failure in words.';
comment on column public.deliveries.duration_ms is 'How long the exchange took, if there was one.';
comment on column public.deliveries.started_at is 'When the POST was announced.';

-- No grant goes with the policy: callers have no list of deliveries yet, and operators read it in Studio.
alter table public.deliveries enable row level security;
create policy select_own on public.deliveries for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

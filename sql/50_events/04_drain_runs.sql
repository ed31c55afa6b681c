create table public.drain_runs (
  id uuid primary key default gen_random_uuid(),
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  reclaimed int not null default 0,
  claimed int not null default 0,
  posted int not null default 0,
  accepted int not null default 0,
  failed int not null default 0,
  delivered int not null default 0,
  to_retry int not null default 0,
  released int not null default 0,
  error text,
  due_before timestamptz not null default clock_timestamp(),
  continues uuid,
  share int not null default 0,
  shares int not null default 1,
  calls_again boolean not null default true,
  handed_over_at timestamptz,
  constraint share_is_one_of_the_shares check (share >= 0 and share < shares)
);
create index drain_runs_newest on public.drain_runs (started_at desc);

comment on table public.drain_runs is 'What each run of the drain did. It serves all agencies, so it belongs to none: for operators only.';
comment on column public.drain_runs.id is 'Identifier; the token with which the run writes.';
comment on column public.drain_runs.started_at is 'When it started.';
comment on column public.drain_runs.finished_at is 'When it finished. Null: at work, or dead.';
comment on column public.drain_runs.reclaimed is 'Events it took back from runs that died.';
comment on column public.drain_runs.claimed is 'Events it claimed.';
comment on column public.drain_runs.posted is 'Deliveries it attempted.';
comment on column public.drain_runs.accepted is 'Deliveries answered with 2xx.';
comment on column public.drain_runs.failed is 'Deliveries that failed.';
comment on column public.drain_runs.delivered is 'Events for which nothing more is sent.';
comment on column public.drain_runs.to_retry is 'Events left to the next run after a failure.';
comment on column public.drain_runs.released is 'Events given back untried because the time was up.';
comment on column public.drain_runs.error is 'What stopped the run early, if anything.';
comment on column public.drain_runs.due_before is 'It takes events that were available by then: its own start, or that of the run with which its minute''s drain began. So a failure waits for the next minute, however many runs the drain goes through.';
comment on column public.drain_runs.continues is 'The run whose work it goes on with, because that one''s worker had given what it had.';
comment on column public.drain_runs.share is 'Which share of the agencies it serves first, from 0; then it helps with the others.';
comment on column public.drain_runs.shares is 'How many runs were called side by side.';
comment on column public.drain_runs.calls_again is 'Whether it has itself continued while events are due.';
comment on column public.drain_runs.handed_over_at is 'When it had itself continued by another run.';

-- No policy and no grant: no caller sees it.
alter table public.drain_runs enable row level security;

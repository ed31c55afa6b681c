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
  error text
);
create index drain_runs_newest on public.drain_runs (started_at desc);

comment on table public.drain_runs is 'What each run of the drain did. It serves all agencies, so it belongs to none: for operators only.';
comment on column public.drain_runs.id is 'Identifier; the token with which the run writes.';
comment on column public.drain_runs.started_at is 'When it started. It takes events that were available by then.';
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

-- No policy and no grant: no caller sees it.
alter table public.drain_runs enable row level security;

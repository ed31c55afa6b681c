create table public.intake_jobs (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  message_id uuid,
  screen_id uuid,
  attempts int not null default 0,
  available_at timestamptz not null default now(),
  claim_id uuid,
  last_error text,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, message_id) references public.messages (agency_id, id) on delete cascade,
  foreign key (agency_id, screen_id) references public.sanctions_screens (agency_id, id) on delete cascade,
  constraint has_one_subject check (num_nonnulls(message_id, screen_id) = 1),
  constraint attempts_are_limited check (attempts between 0 and 5),
  constraint claimed_after_an_attempt check (claim_id is null or attempts > 0),
  constraint last_error_is_short check (char_length(last_error) <= 1000)
);
-- In each agency's own order, so that a claim reads a few jobs of every agency, however many wait in one of them.
create index intake_messages_by_turn on public.intake_jobs (agency_id, available_at, id) where message_id is not null;
create index intake_screens_by_turn on public.intake_jobs (agency_id, available_at, id) where screen_id is not null;
create index intake_jobs_spent on public.intake_jobs (available_at) where attempts >= 5;
create index intake_jobs_by_claim on public.intake_jobs (claim_id) where claim_id is not null;
create unique index message_waits_once on public.intake_jobs (agency_id, message_id) where message_id is not null;
create unique index screen_waits_once on public.intake_jobs (agency_id, screen_id) where screen_id is not null;

comment on table public.intake_jobs is 'What waits for the intake: a message to qualify or a person to screen. The row goes when the work is done.';
comment on column public.intake_jobs.message_id is 'The message to qualify, or null.';
comment on column public.intake_jobs.screen_id is 'The sanctions screen to resolve, or null.';
comment on column public.intake_jobs.attempts is 'Attempts so far, counted when a run claims the job. At most 5.';
comment on column public.intake_jobs.available_at is 'Since when it may be claimed. A claim moves it past the end of the lease and a failure past the pause, so that a job whose run died comes back by itself.';
comment on column public.intake_jobs.claim_id is 'The claim that holds the job; only that claim may write its outcome.';
comment on column public.intake_jobs.last_error is 'Why the last attempt failed.';
comment on column public.intake_jobs.created_at is 'When the work was ordered.';

-- No grant goes with the policy: it is the intake's queue, and operators read it in Studio.
alter table public.intake_jobs enable row level security;
create policy select_own on public.intake_jobs for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create function private.call_intake(message_agency_ids uuid[], screen_agency_ids uuid[]) returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  agency_ids text := concat('messages of ', message_agency_ids, ', screens of ', screen_agency_ids);
  is_called boolean;
begin
  -- Once a transaction: the request goes out when it commits, and the run takes all that it queued. Nor is it looked up
  -- again whether a run is on its way to the same agencies; of the many leads of one statement each would read what the
  -- run has claimed since.
  if current_setting('corredor.intake_called', true) in ('true', agency_ids) then
    return null;
  end if;
  -- Every job is called for, so one that nobody has claimed says that a call is on its way, and its run goes on until
  -- nothing of its kind waits: a hundred leads at once do not call a hundred times. Each agency counts its own jobs, so
  -- that it waits for no other's call; mail and screens have runs of their own. What is older than a minute was forgotten.
  is_called := not exists (
      select from unnest(message_agency_ids) a (id)
      where not exists (
        select from public.intake_jobs j
        where j.agency_id = a.id and j.message_id is not null and j.attempts = 0
          and j.available_at between now() - interval '1 minute' and now()))
    and not exists (
      select from unnest(screen_agency_ids) a (id)
      where not exists (
        select from public.intake_jobs j
        where j.agency_id = a.id and j.screen_id is not null and j.attempts = 0
          and j.available_at between now() - interval '1 minute' and now()));
  if is_called then
    perform set_config('corredor.intake_called', agency_ids, true);
    return null;
  end if;
  perform set_config('corredor.intake_called', 'true', true);
  return private.call_function('intake');
end
$$;
comment on function private.call_intake(uuid[], uuid[]) is
  'Calls the intake for mail and screens of these agencies that this transaction is about to queue; the request goes out only if it commits. Returns the request''s id in pg_net; null when one is on its way already. What slips through is found by the minute job.';

-- For each statement, not for each row: a new list may start a hundred thousand screens at once.
create function private.tg_messages__queue_qualification() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  agency_ids uuid[];
begin
  select array_agg(distinct n.agency_id) into agency_ids from new_rows n where n.qualification_status = 'pending';
  if agency_ids is not null then
    -- Before there are jobs, which would say that it was called for.
    perform private.call_intake(agency_ids, null);
    insert into public.intake_jobs (agency_id, message_id)
    select n.agency_id, n.id from new_rows n where n.qualification_status = 'pending'
    on conflict do nothing;
  end if;
  return null;
end
$$;
comment on function private.tg_messages__queue_qualification() is
  'Queues messages that are to be qualified, and has the intake called for them.';

create trigger _500_queue_qualification after insert on public.messages
  referencing new table as new_rows
  for each statement execute function private.tg_messages__queue_qualification();
create trigger _500_queue_qualification_again after update on public.messages
  referencing new table as new_rows
  for each statement execute function private.tg_messages__queue_qualification();

create function private.tg_sanctions_screens__queue() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  agency_ids uuid[];
begin
  select array_agg(distinct n.agency_id) into agency_ids from new_rows n where n.status = 'pending';
  if agency_ids is not null then
    perform private.call_intake(null, agency_ids);
    insert into public.intake_jobs (agency_id, screen_id)
    select n.agency_id, n.id from new_rows n where n.status = 'pending'
    on conflict do nothing;
  end if;
  return null;
end
$$;
comment on function private.tg_sanctions_screens__queue() is
  'Queues sanctions screens that are to be resolved, and has the intake called for them.';

create trigger _500_queue after insert on public.sanctions_screens
  referencing new table as new_rows
  for each statement execute function private.tg_sanctions_screens__queue();
create trigger _500_queue_again after update on public.sanctions_screens
  referencing new table as new_rows
  for each statement execute function private.tg_sanctions_screens__queue();

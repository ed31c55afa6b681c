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
create index intake_jobs_by_turn on public.intake_jobs (available_at);
create index intake_jobs_by_claim on public.intake_jobs (claim_id) where claim_id is not null;
create unique index message_waits_once on public.intake_jobs (agency_id, message_id) where message_id is not null;
create unique index screen_waits_once on public.intake_jobs (agency_id, screen_id) where screen_id is not null;

comment on table public.intake_jobs is 'What waits for the intake: a message to qualify or a person to screen. The row goes when the work is done.';
comment on column public.intake_jobs.agency_id is 'The agency.';
comment on column public.intake_jobs.id is 'Identifier.';
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

create function private.tg_messages__queue_qualification() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into public.intake_jobs (agency_id, message_id) values (new.agency_id, new.id) on conflict do nothing;
  return null;
end
$$;
comment on function private.tg_messages__queue_qualification() is 'Queues a message that is to be qualified.';

create trigger _500_queue_qualification after insert or update of qualification_status on public.messages
  for each row when (new.qualification_status = 'pending')
  execute function private.tg_messages__queue_qualification();

create function private.tg_sanctions_screens__queue() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into public.intake_jobs (agency_id, screen_id) values (new.agency_id, new.id) on conflict do nothing;
  return null;
end
$$;
comment on function private.tg_sanctions_screens__queue() is 'Queues a sanctions screen that is to be resolved.';

create trigger _500_queue after insert or update of status on public.sanctions_screens
  for each row when (new.status = 'pending')
  execute function private.tg_sanctions_screens__queue();

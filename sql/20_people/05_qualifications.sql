create table public.qualifications (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  lead_id uuid not null,
  message_id uuid not null,
  status text not null,
  qualifier text not null,
  version text not null,
  result jsonb,
  filled text[] not null default '{}',
  error text,
  answer text,
  duration_ms int,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, message_id) references public.messages (agency_id, id) on delete restrict,
  constraint status_is_known check (status in ('done', 'refused', 'failed')),
  constraint qualifier_is_known check (qualifier in ('rules', 'model')),
  constraint version_is_named check (btrim(version) <> '' and char_length(version) <= 200),
  constraint done_has_a_result check ((status = 'done') = (result is not null)),
  constraint done_has_no_error check ((status = 'done') = (error is null)),
  constraint error_is_short check (char_length(error) <= 1000),
  constraint answer_is_short check (char_length(answer) <= 4000)
);
create index qualifications_by_lead on public.qualifications (agency_id, lead_id, created_at desc, id desc);
create index qualifications_by_message on public.qualifications (agency_id, message_id, created_at desc, id desc);

comment on table public.qualifications is 'Who or what read a message for a lead''s wishes, and what came of it. Each attempt is a row.';
comment on column public.qualifications.lead_id is 'The lead that was qualified.';
comment on column public.qualifications.message_id is 'The message that was read.';
comment on column public.qualifications.status is 'done; refused (the model''s answer did not fit the contract and was not used); failed (no answer came).';
comment on column public.qualifications.qualifier is 'model (a language model) or rules (built in).';
comment on column public.qualifications.version is 'The name of the model, or the version of the rules.';
comment on column public.qualifications.result is 'What was read from the message, also where the lead had a value already.';
comment on column public.qualifications.filled is 'The columns of the lead that were blank and took the result.';
comment on column public.qualifications.error is 'Why an answer was refused or did not come.';
comment on column public.qualifications.answer is 'The beginning of a refused answer.';
comment on column public.qualifications.duration_ms is 'How long it took.';
comment on column public.qualifications.created_at is 'When it was done.';

-- No grant goes with the policy: callers see the lead, and operators read this in Studio.
alter table public.qualifications enable row level security;
create policy select_own on public.qualifications for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create trigger _100_refuse_change before update on public.qualifications
  for each row execute function private.tg__refuse_change();

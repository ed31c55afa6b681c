create table public.sanctions_screens (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  lead_id uuid not null,
  contact_id uuid not null,
  status text not null default 'pending',
  source text,
  score numeric(4, 3),
  entries jsonb,
  error text,
  resolution text,
  resolution_reason text,
  resolution_by text,
  resolution_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  resolved_at timestamptz,
  screened_name text,
  birth_date date,
  country text,
  primary key (agency_id, id),
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, contact_id) references public.contacts (agency_id, id) on delete restrict,
  constraint status_is_known check (status in ('pending', 'clear', 'possible_match', 'error')),
  constraint resolved_is_dated check ((status = 'pending') = (resolved_at is null)),
  constraint score_is_a_share check (score between 0 and 1),
  constraint possible_match_names_entries check (status <> 'possible_match' or jsonb_array_length(entries) > 0),
  constraint error_is_short check (char_length(error) <= 1000),
  constraint resolution_is_known check (resolution in ('cleared', 'confirmed')),
  constraint resolution_has_reason check ((resolution is null) = (btrim(resolution_reason) is null)),
  constraint resolution_reason_is_short check (btrim(resolution_reason) <> '' and char_length(resolution_reason) <= 1000),
  constraint resolution_has_an_author check ((resolution is null) = (resolution_by is null or resolution_at is null)),
  constraint cleared_is_clear check (resolution <> 'cleared' or status = 'clear'),
  constraint confirmed_stays_a_match check (resolution <> 'confirmed' or status = 'possible_match')
);
create index sanctions_screens_by_lead on public.sanctions_screens (agency_id, lead_id, created_at desc);
create index sanctions_screens_by_contact on public.sanctions_screens (agency_id, contact_id);
create index sanctions_screens_possible on public.sanctions_screens (agency_id, created_at) where status = 'possible_match';

comment on table public.sanctions_screens is 'One screening of a person against sanctions lists, started with each lead.';
comment on column public.sanctions_screens.lead_id is 'The lead that started it.';
comment on column public.sanctions_screens.contact_id is 'The person screened.';
comment on column public.sanctions_screens.status is 'pending, clear, possible_match or error.';
comment on column public.sanctions_screens.source is 'What it was screened against: list (public.sanctions_entries) or the host of a match service.';
comment on column public.sanctions_screens.score is 'How much the person resembles the entry most like them, 0 to 1; 0 when none comes near.';
comment on column public.sanctions_screens.entries is 'The entries that may be the person: [{id, name, score, …}], best first. One that an earlier screen of the lead gave, and that still stands, says by what: found_by, {source, name, birth_date, country}.';
comment on column public.sanctions_screens.error is 'Why there is no result.';
comment on column public.sanctions_screens.resolution is 'What a person decided about a possible match: cleared (somebody else; the status becomes clear) or confirmed (it is them; the status stays).';
comment on column public.sanctions_screens.resolution_reason is 'Why; required with a resolution.';
comment on column public.sanctions_screens.resolution_by is 'Who decided.';
comment on column public.sanctions_screens.resolution_at is 'When it was decided.';
comment on column public.sanctions_screens.created_at is 'When it was started.';
comment on column public.sanctions_screens.resolved_at is 'When the result was known.';
comment on column public.sanctions_screens.screened_name is 'The name screened: the lead''s when the screen was started; null on screens from before it was kept.';
comment on column public.sanctions_screens.birth_date is 'The birth date that was compared, where one is known of a person of that name.';
comment on column public.sanctions_screens.country is 'The nationality that was compared, where one is known of a person of that name.';

alter table public.sanctions_screens enable row level security;
create policy select_own on public.sanctions_screens for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.sanctions_screens for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
grant select, insert (agency_id, lead_id, contact_id) on public.sanctions_screens to anon, authenticated;

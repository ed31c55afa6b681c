create table public.contact_suggestions (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  contact_id uuid not null,
  similar_id uuid not null,
  reasons text[] not null,
  score numeric(4, 3) not null,
  status text not null default 'open',
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, contact_id) references public.contacts (agency_id, id) on delete cascade,
  foreign key (agency_id, similar_id) references public.contacts (agency_id, id) on delete cascade,
  constraint names_two_contacts check (contact_id <> similar_id),
  constraint reasons_are_known check (reasons <@ array['same_phone', 'similar_name', 'similar_email']::text[] and reasons <> '{}'),
  constraint score_is_a_share check (score between 0 and 1),
  constraint status_is_known check (status in ('open', 'merged', 'dismissed')),
  constraint decision_is_dated check ((status = 'open') = (decided_at is null))
);
create unique index pair_is_suggested_once on public.contact_suggestions (
  agency_id, least(contact_id, similar_id), greatest(contact_id, similar_id));
create index contact_suggestions_open on public.contact_suggestions (agency_id, score desc, created_at desc) where status = 'open';
create index contact_suggestions_by_contact on public.contact_suggestions (agency_id, contact_id);
create index contact_suggestions_by_similar on public.contact_suggestions (agency_id, similar_id);

comment on table public.contact_suggestions is 'Two contacts that may be one person and were not merged. Merge them with admin.merge_contacts, or set the status to dismissed.';
comment on column public.contact_suggestions.contact_id is 'The contact that came later.';
comment on column public.contact_suggestions.similar_id is 'The contact it resembles.';
comment on column public.contact_suggestions.reasons is 'same_phone, similar_name, similar_email (the same before the @).';
comment on column public.contact_suggestions.score is 'How much the names are alike, 0 to 1.';
comment on column public.contact_suggestions.status is 'open, merged or dismissed (two people; not suggested again).';
comment on column public.contact_suggestions.decided_by is 'Who merged or dismissed.';
comment on column public.contact_suggestions.decided_at is 'When it was merged or dismissed.';
comment on column public.contact_suggestions.created_at is 'When it was noticed.';

-- No grant goes with the policy: it is for admins, in Studio.
alter table public.contact_suggestions enable row level security;
create policy select_own on public.contact_suggestions for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create function private.tg_contact_suggestions__decision() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.decided_at := case when new.status <> 'open' then clock_timestamp() end;
  new.decided_by := case when new.status <> 'open' then coalesce(nullif(new.decided_by, old.decided_by), session_user) end;
  return new;
end
$$;
comment on function private.tg_contact_suggestions__decision() is 'Notes who decided on a suggestion, and when.';

create trigger _100_decision before update of status on public.contact_suggestions
  for each row execute function private.tg_contact_suggestions__decision();

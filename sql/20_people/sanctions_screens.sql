create table public.sanctions_screens (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  lead_id uuid not null,
  contact_id uuid not null,
  status text not null default 'pending',
  created_at timestamptz not null default now(),
  resolved_at timestamptz,
  primary key (agency_id, id),
  foreign key (agency_id, lead_id) references public.leads (agency_id, id) on delete restrict,
  foreign key (agency_id, contact_id) references public.contacts (agency_id, id) on delete restrict,
  constraint status_is_known check (status in ('pending', 'clear', 'possible_match', 'error')),
  constraint resolved_is_dated check ((status = 'pending') = (resolved_at is null))
);
create index sanctions_screens_by_lead on public.sanctions_screens (agency_id, lead_id, created_at desc);
create index sanctions_screens_by_contact on public.sanctions_screens (agency_id, contact_id);
create index sanctions_screens_possible on public.sanctions_screens (agency_id, created_at) where status = 'possible_match';
create index sanctions_screens_to_resolve on public.sanctions_screens (created_at) where status = 'pending';

comment on table public.sanctions_screens is 'One screening of a person against sanctions lists, started with each lead.';
comment on column public.sanctions_screens.agency_id is 'The agency.';
comment on column public.sanctions_screens.id is 'Identifier.';
comment on column public.sanctions_screens.lead_id is 'The lead that started it.';
comment on column public.sanctions_screens.contact_id is 'The person screened.';
comment on column public.sanctions_screens.status is 'pending, clear, possible_match or error.';
comment on column public.sanctions_screens.created_at is 'When it was started.';
comment on column public.sanctions_screens.resolved_at is 'When the result was known.';

alter table public.sanctions_screens enable row level security;
create policy select_own on public.sanctions_screens for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.sanctions_screens for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
grant select, insert (agency_id, lead_id, contact_id) on public.sanctions_screens to anon, authenticated;

create table public.listings (
  agency_id uuid not null,
  id uuid not null default gen_random_uuid(),
  property_id uuid not null,
  portal text not null default 'own_site',
  status text not null default 'active',
  url text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, property_id) references public.properties (agency_id, id) on delete cascade,
  constraint portal_is_not_blank check (btrim(portal) <> '' and char_length(portal) <= 100),
  constraint status_is_known check (status in ('draft', 'active', 'paused', 'closed')),
  constraint url_is_http check (url ~ '^https?://')
);
create index listings_by_property on public.listings (agency_id, property_id, status);

comment on table public.listings is 'An advertisement of a property on a portal or on the agency''s own site.';
comment on column public.listings.property_id is 'The property advertised.';
comment on column public.listings.portal is 'Where: own_site, idealista, fotocasa, …';
comment on column public.listings.status is 'draft, active, paused (an offer on the property was accepted) or closed.';
comment on column public.listings.url is 'Address of the advertisement.';
comment on column public.listings.created_at is 'When it was created.';

-- No grant goes with the policy: callers have no list of listings, and admins keep them in Studio.
alter table public.listings enable row level security;
create policy select_own on public.listings for select to anon, authenticated
  using (agency_id = (select private.agency_id()));

create trigger _900_updated_at before update on public.listings
  for each row execute function private.tg__updated_at();

create table public.properties (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  reference text,
  title text,
  listing_type text not null,
  status text not null default 'available',
  property_type text not null default 'flat',
  price numeric(12, 2),
  bedrooms int,
  bathrooms int,
  area_m2 numeric(8, 2),
  street text,
  zone text,
  city text,
  postal_code text,
  description text,
  owner_lead_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  city_key text generated always as (lower(city)) stored,
  zone_key text generated always as (lower(zone)) stored,
  price_cents bigint generated always as ((price * 100)::bigint) stored,
  search tsvector generated always as (
    setweight(to_tsvector('pg_catalog.spanish'::regconfig, private.plain_text(coalesce(title, ''))), 'A')
    || setweight(to_tsvector('pg_catalog.spanish'::regconfig, private.plain_text(coalesce(description, ''))), 'B')) stored,
  primary key (agency_id, id),
  foreign key (agency_id, owner_lead_id) references public.leads (agency_id, id) on delete restrict,
  constraint property_reference_is_unique_in_agency unique (agency_id, reference),
  constraint listing_type_is_known check (listing_type in ('sale', 'rent')),
  constraint status_is_known check (status in ('available', 'pending', 'sold', 'rented', 'withdrawn')),
  constraint property_type_is_known check (property_type in (
    'flat', 'house', 'penthouse', 'duplex', 'studio', 'office', 'premises', 'garage', 'storage', 'land', 'building', 'other')),
  constraint price_is_in_range check (price > 0 and price <= 1000000000),
  constraint bedrooms_are_in_range check (bedrooms between 0 and 200),
  constraint bathrooms_are_in_range check (bathrooms between 0 and 200),
  constraint area_is_positive check (area_m2 > 0)
);
create index properties_newest on public.properties (agency_id, created_at desc, id desc);
create index properties_by_status on public.properties (agency_id, status, created_at desc, id desc);
create index properties_by_listing_type on public.properties (agency_id, listing_type, created_at desc, id desc);
create index properties_by_type on public.properties (agency_id, property_type, created_at desc, id desc);
create index properties_by_city on public.properties (agency_id, city_key, created_at desc, id desc);
create index properties_by_zone on public.properties (agency_id, zone_key, created_at desc, id desc);
create index properties_by_price on public.properties (agency_id, price_cents);
create index properties_by_bedrooms on public.properties (agency_id, bedrooms);
-- For `buscar`: words of what people call the property, and its words nearly as written.
create index properties_by_words on public.properties
  using gin (private.search_vector(agency_id, private.searched_text(reference, title, street, zone, city, postal_code)))
  with (gin_pending_list_limit = 256);
create index properties_by_owner on public.properties (agency_id, owner_lead_id, created_at desc, id desc);

comment on table public.properties is 'A home, premises or land the agency sells or lets.';
comment on column public.properties.reference is 'The agency''s own reference, unique in the agency.';
comment on column public.properties.title is 'One line for people.';
comment on column public.properties.listing_type is 'sale or rent; an offer takes its type from here when it names none.';
comment on column public.properties.status is 'available, pending (an offer is accepted), sold, rented or withdrawn.';
comment on column public.properties.property_type is 'flat, house, penthouse, duplex, studio, office, premises, garage, storage, land, building or other.';
comment on column public.properties.price is 'Asking price in EUR; a month''s rent when listing_type is rent.';
comment on column public.properties.bedrooms is 'Number of bedrooms.';
comment on column public.properties.bathrooms is 'Number of bathrooms.';
comment on column public.properties.area_m2 is 'Built area in square metres.';
comment on column public.properties.street is 'Street and number.';
comment on column public.properties.zone is 'Neighbourhood.';
comment on column public.properties.city is 'Town or city.';
comment on column public.properties.postal_code is 'Postal code.';
comment on column public.properties.description is 'Text for the advertisement.';
comment on column public.properties.owner_lead_id is 'The listing lead of the owner, if known.';
comment on column public.properties.created_at is 'When the property was taken in.';
comment on column public.properties.city_key is 'The city in lower case, for filters; follows from city. Row level security uses an index only for plain comparisons of columns.';
comment on column public.properties.zone_key is 'The zone in lower case, for filters; follows from zone.';
comment on column public.properties.price_cents is 'The price in cents, for filters; follows from price.';
comment on column public.properties.search is 'Words of title and description for described searches, in Spanish, without accents.';

alter table public.properties enable row level security;
create policy select_own on public.properties for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
grant select on public.properties to anon, authenticated;

create trigger _900_updated_at before update on public.properties
  for each row execute function private.tg__updated_at();

create function private.property_json(property public.properties) returns jsonb
language plpgsql stable set search_path = '' set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', property.id,
    'reference', property.reference,
    'title', property.title,
    'listing_type', property.listing_type,
    'status', property.status,
    'property_type', property.property_type,
    'price', trim_scale(property.price),
    'bedrooms', property.bedrooms,
    'bathrooms', property.bathrooms,
    'area_m2', trim_scale(property.area_m2),
    'street', property.street,
    'zone', property.zone,
    'city', property.city,
    'postal_code', property.postal_code,
    'description', property.description,
    'owner_lead_id', property.owner_lead_id,
    'created_at', property.created_at,
    'updated_at', property.updated_at
  );
end
$$;
comment on function private.property_json(public.properties) is 'The property as lists and answers show it.';

create table public.agencies (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  slug text not null,
  time_zone text not null default 'Europe/Madrid',
  country text not null default 'ES',
  created_at timestamptz not null default now(),
  constraint name_has_1_to_200_characters check (btrim(name) <> '' and char_length(name) <= 200),
  constraint slug_is_a_url_part check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 63),
  constraint agency_slug_is_unique unique (slug),
  constraint country_is_iso_3166_alpha_2 check (country ~ '^[A-Z]{2}$')
);
comment on table public.agencies is 'A brokerage. All other data belongs to exactly one.';
comment on column public.agencies.id is 'Identifier; the first part of every other table''s key.';
comment on column public.agencies.name is 'Name as clients know it.';
comment on column public.agencies.slug is 'Short name for commands and URLs: lower-case letters, digits, hyphens.';
comment on column public.agencies.time_zone is 'IANA time zone in which the agency works; viewings are shown in it.';
comment on column public.agencies.country is 'ISO 3166-1 alpha-2 country; phone numbers without a prefix are read as from here.';
comment on column public.agencies.created_at is 'When the agency was created.';

create function private.tg_agencies__time_zone() returns trigger
language plpgsql set search_path = ''
as $$
begin
  -- pg_timezone_names is too slow for a check on each write; asking Postgres to use the zone is the same question.
  perform now() at time zone new.time_zone;
  return new;
exception when invalid_parameter_value then
  perform private.refuse('invalid_time_zone', format('"%s" is not an IANA time zone.', new.time_zone));
  return null;
end
$$;
comment on function private.tg_agencies__time_zone() is 'Refuses a time zone that Postgres does not know (invalid_time_zone).';

create trigger _100_time_zone before insert or update of time_zone on public.agencies
  for each row execute function private.tg_agencies__time_zone();

alter table public.agencies enable row level security;
create policy select_own on public.agencies for select to anon, authenticated
  using (id = (select private.agency_id()));
grant select on public.agencies to anon, authenticated;

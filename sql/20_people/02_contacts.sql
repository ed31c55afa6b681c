create table public.contacts (
  agency_id uuid not null references public.agencies (id) on delete restrict,
  id uuid not null default gen_random_uuid(),
  full_name text not null,
  phone text,
  phone_e164 text generated always as (case when private.is_e164(phone) then phone end) stored,
  email text,
  email_is_valid boolean generated always as (private.is_email(email)) stored,
  birth_date date,
  nationality text,
  merged_into uuid,
  compared_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agency_id, id),
  foreign key (agency_id, merged_into) references public.contacts (agency_id, id) on delete restrict,
  constraint is_not_merged_into_itself check (merged_into <> id),
  constraint full_name_is_not_blank check (btrim(full_name) <> '' and char_length(full_name) <= 200),
  constraint phone_is_short check (char_length(phone) <= 500),
  constraint email_is_short check (char_length(email) <= 500),
  constraint birth_date_is_of_a_living_person check (birth_date between date '1900-01-01' and date '2100-01-01'),
  constraint nationality_is_iso_3166_alpha_2 check (nationality ~ '^[A-Z]{2}$')
);
-- What is no address may say "none" and be anybody's.
create unique index contact_email_is_unique_in_agency on public.contacts (agency_id, email) where email_is_valid;
-- For `buscar`: names and e-mails nearly as written, phones by their last digits.
create index contacts_by_words on public.contacts using gin (private.search_vector(agency_id, private.searched_text(full_name, email)))
  with (gin_pending_list_limit = 256);
create index contacts_by_phone_end on public.contacts (agency_id, reverse(phone_e164) text_pattern_ops) where phone_e164 is not null;
create index contacts_by_phone on public.contacts (agency_id, phone_e164, created_at) where phone_e164 is not null;
create index contacts_merged on public.contacts (agency_id, merged_into) where merged_into is not null;
create index contacts_to_compare on public.contacts (agency_id, created_at, id) where compared_at is null;

comment on table public.contacts is 'A person the agency knows. Leads of one person share a contact, found by e-mail, else by phone.';
comment on column public.contacts.full_name is 'Name as first given.';
comment on column public.contacts.phone is 'Phone in E.164, for example +34600111222, or as it came when it could not be read.';
comment on column public.contacts.phone_e164 is 'The phone where it could be read, else null; by it a new lead finds its contact.';
comment on column public.contacts.email is 'E-mail, trimmed and lower case, or as it came when it is no address; no two contacts of an agency share one.';
comment on column public.contacts.email_is_valid is 'Whether the e-mail is an address; only then does a new lead find its contact by it.';
comment on column public.contacts.birth_date is 'Birth date, where the agency knows it; tells namesakes apart in the sanctions screen.';
comment on column public.contacts.nationality is 'ISO 3166-1 alpha-2 country of nationality, where the agency knows it; used in the sanctions screen.';
comment on column public.contacts.merged_into is 'The contact that an admin found to be the same person; new leads that match this one are given to that one.';
comment on column public.contacts.compared_at is 'When it was last compared with the others for near-duplicates; null: to be compared.';
comment on column public.contacts.created_at is 'When the person was first seen.';

alter table public.contacts enable row level security;
create policy select_own on public.contacts for select to anon, authenticated
  using (agency_id = (select private.agency_id()));
create policy insert_own on public.contacts for insert to anon, authenticated
  with check (agency_id = (select private.agency_id()));
create policy update_own on public.contacts for update to anon, authenticated
  using (agency_id = (select private.agency_id()))
  with check (agency_id = (select private.agency_id()));
grant select, insert (agency_id, full_name, phone, email), update (phone, email) on public.contacts to anon, authenticated;

create trigger _050_normal_forms before insert or update of phone, email on public.contacts
  for each row when (
    new.phone is distinct from private.normal_phone(new.phone) or new.email is distinct from private.normal_email(new.email))
  execute function private.tg__normal_forms();
-- Not of compared_at: that the contact was compared with others is no change of it.
create trigger _900_updated_at
  before update of full_name, phone, email, birth_date, nationality, merged_into on public.contacts
  for each row execute function private.tg__updated_at();

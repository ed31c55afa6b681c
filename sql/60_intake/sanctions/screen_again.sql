create function private.tg_leads__screen_again() returns trigger
language plpgsql set search_path = ''
as $$
begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id) values (new.agency_id, new.id, new.contact_id);
  return null;
end
$$;
comment on function private.tg_leads__screen_again() is 'A lead that gets another name is screened again under it.';

create trigger _500_screen_again after update of full_name on public.leads
  for each row when (private.screening_name(new.full_name) <> private.screening_name(old.full_name))
  execute function private.tg_leads__screen_again();
grant execute on function private.screening_name(text) to anon, authenticated;

create function private.screen_contacts_again(agency_id uuid, contact_ids uuid[]) returns void
language plpgsql set search_path = ''
as $$
begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id from public.leads l
  where l.agency_id = screen_contacts_again.agency_id and l.contact_id = any (contact_ids) and l.archived_at is null;
end
$$;
comment on function private.screen_contacts_again(uuid, uuid[]) is
  'Starts a screen for each lead of these contacts that is not archived, because what is known of the person changed.';

create function private.tg_contacts__screen_again() returns trigger
language plpgsql set search_path = ''
as $$
begin
  perform private.screen_contacts_again(new.agency_id, array[new.id]);
  return null;
end
$$;
comment on function private.tg_contacts__screen_again() is
  'A birth date or nationality that becomes known or changes may make another person of a contact, so their leads are screened again.';

create trigger _500_screen_again after update of birth_date, nationality on public.contacts
  for each row when ((new.birth_date, new.nationality) is distinct from (old.birth_date, old.nationality))
  execute function private.tg_contacts__screen_again();

create function private.identities_differ(a public.contacts, b public.contacts) returns boolean
language plpgsql stable set search_path = ''
as $$
begin
  return (a.birth_date, a.nationality) is distinct from (b.birth_date, b.nationality)
    or not private.same_name(a.full_name, b.full_name)
    or exists (
      select from public.sanctions_screens s
      where s.agency_id = a.agency_id and s.contact_id in (a.id, b.id) and s.resolution = 'cleared');
end
$$;
comment on function private.identities_differ(public.contacts, public.contacts) is
  'Whether a lead may screen otherwise under one contact than under the other: by name, birth date, nationality or what a person cleared.';

create function private.tg_leads__screen_again() returns trigger
language plpgsql
set search_path = ''
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

create function private.tg_contacts__screen_again() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into public.sanctions_screens (agency_id, lead_id, contact_id)
  select l.agency_id, l.id, l.contact_id from public.leads l
  where l.agency_id = new.agency_id and l.contact_id = new.id and l.archived_at is null;
  return null;
end
$$;
comment on function private.tg_contacts__screen_again() is
  'A birth date or nationality that becomes known may tell a person from a namesake, so their leads are screened again.';

create trigger _500_screen_again after update of birth_date, nationality on public.contacts
  for each row when ((new.birth_date, new.nationality) is distinct from (old.birth_date, old.nationality))
  execute function private.tg_contacts__screen_again();

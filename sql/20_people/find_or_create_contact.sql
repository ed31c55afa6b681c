create function private.find_or_create_contact(agency_id uuid, full_name text, phone text, email text) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  -- Two leads with one e-mail or phone that come in at once must find one contact. Taken in a fixed order, these
  -- locks cannot deadlock; one of what is missing is none.
  perform
    pg_advisory_xact_lock(hashtextextended('contact:' || agency_id || ':' || least(email, phone), 0)),
    pg_advisory_xact_lock(hashtextextended('contact:' || agency_id || ':' || greatest(email, phone), 0));

  select c.* into contact from public.contacts c
  where c.agency_id = find_or_create_contact.agency_id and c.email = find_or_create_contact.email;
  if contact.id is null then
    -- Couples share a phone: the name must fit, unless the contact has no e-mail that could tell them apart.
    select c.* into contact from public.contacts c
    where c.agency_id = find_or_create_contact.agency_id and c.phone = find_or_create_contact.phone
      and (c.email is null or private.names_compatible(c.full_name, find_or_create_contact.full_name))
    order by private.names_compatible(c.full_name, find_or_create_contact.full_name) desc, c.created_at, c.id
    limit 1;
  end if;

  if contact.id is null then
    insert into public.contacts (agency_id, full_name, phone, email)
    values (agency_id, full_name, phone, email)
    returning id into contact.id;
  elsif contact.merged_into is not null then
    -- An admin found the two to be one person. What this one knows stays with it, so that a merge can be undone.
    return contact.merged_into;
  elsif (contact.email is null and email is not null or contact.phone is null and phone is not null)
    and private.names_compatible(contact.full_name, full_name) then
    update public.contacts c
    set email = coalesce(c.email, find_or_create_contact.email),
        phone = coalesce(c.phone, find_or_create_contact.phone)
    where c.agency_id = find_or_create_contact.agency_id and c.id = contact.id;
  end if;
  return contact.id;
end
$$;
comment on function private.find_or_create_contact(uuid, text, text, text) is
  'The contact of a new lead: found by e-mail, else by phone where the name fits, else created. A contact that was merged stands for the one it was merged into. Fills a blank e-mail or phone of a contact whose name fits. Exact under concurrency.';
grant execute on function private.find_or_create_contact(uuid, text, text, text) to anon, authenticated;
grant execute on function private.names_compatible(text, text) to anon, authenticated;

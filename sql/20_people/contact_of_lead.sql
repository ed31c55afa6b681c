create function private.names_compatible(a text, b text) returns boolean
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  words_a text[] := private.plain_words(a);
  words_b text[] := private.plain_words(b);
begin
  -- "José García" and "Jose Garcia López" may be one person; "Ana Ruiz" and "Luis Ruiz" are two.
  return a = b or (words_a <> '{}' and words_b <> '{}' and (words_a <@ words_b or words_b <@ words_a));
end
$$;
comment on function private.names_compatible(text, text) is 'Whether two names may belong to one person: one has all the words of the other.';

create function private.find_or_create_contact(
  agency_id uuid, full_name text, phone text, email text, out contact_id uuid, out is_known boolean)
language plpgsql set search_path = ''
as $$
declare
  -- What could not be read finds nobody: two people may both have written "none".
  known_phone text := case when private.is_e164(phone) then phone end;
  known_email text := case when private.is_email(email) then email end;
  contact public.contacts;
begin
  -- Two leads with one e-mail or phone that come in at once must find one contact. Taken in a fixed order, these
  -- locks cannot deadlock; one of what is missing is none.
  perform
    pg_advisory_xact_lock(hashtextextended('contact:' || agency_id || ':' || least(known_email, known_phone), 0)),
    pg_advisory_xact_lock(hashtextextended('contact:' || agency_id || ':' || greatest(known_email, known_phone), 0));

  select c.* into contact from public.contacts c
  where c.agency_id = find_or_create_contact.agency_id and c.email = known_email and c.email_is_valid;
  if contact.id is null then
    -- Couples share a phone: the name must fit, unless the contact has no e-mail that could tell them apart.
    select c.* into contact from public.contacts c
    where c.agency_id = find_or_create_contact.agency_id and c.phone_e164 = known_phone
      and (c.email is null or private.names_compatible(c.full_name, find_or_create_contact.full_name))
    order by private.names_compatible(c.full_name, find_or_create_contact.full_name) desc, c.created_at, c.id
    limit 1;
  end if;

  is_known := contact.id is not null;
  if not is_known then
    insert into public.contacts (agency_id, full_name, phone, email)
    values (agency_id, full_name, phone, email)
    returning id into contact_id;
  elsif contact.merged_into is not null then
    -- An admin found the two to be one person. What this one knows stays with it, so that a merge can be undone.
    contact_id := contact.merged_into;
  else
    contact_id := contact.id;
    if (contact.email_is_valid is not true and known_email is not null or contact.phone_e164 is null and known_phone is not null)
      and private.names_compatible(contact.full_name, full_name) then
      update public.contacts c
      set email = case when c.email_is_valid then c.email else coalesce(known_email, c.email) end,
          phone = coalesce(c.phone_e164, known_phone, c.phone)
      where c.agency_id = find_or_create_contact.agency_id and c.id = contact.id;
    end if;
  end if;
end
$$;
comment on function private.find_or_create_contact(uuid, text, text, text) is
  'The contact of a new lead: found by e-mail, else by phone where the name fits, else created; and whether it was known before. Takes phone and e-mail in their normal forms; only what could be read finds a contact. A contact that was merged stands for the one it was merged into. Gives a contact whose name fits the e-mail or phone it has not, or has unreadably. Exact under concurrency.';
grant execute on function private.find_or_create_contact(uuid, text, text, text) to anon, authenticated;
grant execute on function private.names_compatible(text, text) to anon, authenticated;

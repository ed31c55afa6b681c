create index contacts_by_name_trigram on public.contacts
  using gin (agency_id, private.screening_name(full_name) extensions.gin_trgm_ops) where merged_into is null;

create function private.tg_contacts__compare_again() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.compared_at := null;
  return new;
end
$$;
comment on function private.tg_contacts__compare_again() is 'A contact whose name, phone or e-mail changed is compared again.';

create trigger _100_compare_again before update of full_name, phone, email on public.contacts
  for each row when ((new.full_name, new.phone, new.email) is distinct from (old.full_name, old.phone, old.email))
  execute function private.tg_contacts__compare_again();

create function private.suggest_duplicates(contact public.contacts) returns void
language plpgsql
set search_path = ''
as $$
declare
  wanted text := private.screening_name(contact.full_name);
begin
  perform set_config('pg_trgm.similarity_threshold', '0.6', true);
  insert into public.contact_suggestions (agency_id, contact_id, similar_id, reasons, score)
  select contact.agency_id, contact.id, near.id, near.reasons, round(near.score::numeric, 3)
  from (
    select c.id, s.score, array_remove(array[
      case when c.phone_e164 = contact.phone_e164 then 'same_phone' end,
      -- One name alone is shared by too many.
      case when s.score >= 0.85 and wanted like '% %' then 'similar_name' end,
      case when c.email_is_valid and contact.email_is_valid
        and split_part(c.email, '@', 1) = split_part(contact.email, '@', 1) and s.score >= 0.5 then 'similar_email' end
    ], null) as reasons
    from (
      select o.* from public.contacts o where o.agency_id = contact.agency_id and o.phone_e164 = contact.phone_e164
      union
      select o.* from public.contacts o
      where o.agency_id = contact.agency_id and o.merged_into is null
        and private.screening_name(o.full_name) operator(extensions.%) wanted
    ) c
    cross join lateral (select private.name_score(wanted, private.screening_name(c.full_name)) as score) s
    where c.id <> contact.id and c.merged_into is null
  ) near
  where near.reasons <> '{}'
  order by near.score desc
  limit 20
  on conflict do nothing;
end
$$;
comment on function private.suggest_duplicates(public.contacts) is
  'Suggests to merge a contact with those of the agency that have its phone or a name like its own. A pair is suggested once.';

create function private.compare_contacts(max_contacts int default 1000, may_take interval default '20 seconds') returns int
language plpgsql
set search_path = ''
as $$
declare
  contact public.contacts;
  compared int := 0;
  ends_at timestamptz := clock_timestamp() + may_take;
begin
  for contact in
    select c.* from public.contacts c where c.compared_at is null order by c.created_at limit max_contacts
    for no key update skip locked
  loop
    if contact.merged_into is null then
      perform private.suggest_duplicates(contact);
    end if;
    update public.contacts c set compared_at = clock_timestamp() where c.agency_id = contact.agency_id and c.id = contact.id;
    compared := compared + 1;
    -- A name that thousands have is slow to compare. A run that the server cut off would leave nothing done, and the
    -- next would begin with the same contacts.
    exit when clock_timestamp() >= ends_at;
  end loop;
  return compared;
end
$$;
comment on function private.compare_contacts(int, interval) is
  'Compares new and changed contacts with the others of their agency for near-duplicates, the longest waiting first, until so many are done or the time is up; the next run goes on. Run each minute by pg_cron, so that no request waits for it. Returns how many.';

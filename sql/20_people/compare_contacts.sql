create index contacts_by_name_trigram on public.contacts
  using gin (agency_id, private.screening_name(full_name) extensions.gin_trgm_ops)
  -- Each comparison reads all that is not yet in order.
  with (gin_pending_list_limit = 256) where merged_into is null;
create index contacts_by_mailbox on public.contacts (agency_id, split_part(email, '@', 1))
  where email_is_valid and merged_into is null;

create function private.tg_contacts__compare_again() returns trigger
language plpgsql set search_path = ''
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

create function private.contacts_named_like(agency_id uuid, wanted text, likeness numeric, at_most int) returns uuid[]
language plpgsql set search_path = '' set enable_seqscan = off
as $$
begin
  perform set_config('pg_trgm.similarity_threshold', likeness::text, true);
  return array(
    select c.id from public.contacts c
    where c.agency_id = contacts_named_like.agency_id and c.merged_into is null
      and private.screening_name(c.full_name) operator(extensions.%) wanted
    -- In no order, so that it ends with the last one wanted.
    limit at_most);
end
$$;
comment on function private.contacts_named_like(uuid, text, numeric, int) is
  'Contacts of an agency whose names have so many trigrams in common with one, at most so many of them.';

create function private.near_duplicates(contact public.contacts, like_named uuid[]) returns setof public.contact_suggestions
language plpgsql stable set search_path = ''
as $$
declare
  -- More than that share nothing but a placeholder.
  candidates_max constant int := 100;
  wanted text := private.screening_name(contact.full_name);
  -- Gathered first, so that names are compared with these alone.
  candidate_ids uuid[] := like_named || array(
    select o.id from public.contacts o
    where o.agency_id = contact.agency_id and o.phone_e164 = contact.phone_e164
    order by o.created_at limit candidates_max);
begin
  if contact.email_is_valid then
    candidate_ids := candidate_ids || array(
      select o.id from public.contacts o
      where o.agency_id = contact.agency_id and o.email_is_valid and o.merged_into is null
        and split_part(o.email, '@', 1) = split_part(contact.email, '@', 1)
      limit candidates_max);
  end if;
  return query
  select contact.agency_id, gen_random_uuid(), contact.id, near.id, near.reasons, near.score::numeric(4, 3), 'open',
    null::text, null::timestamptz, now()
  from (
    select c.id, s.score, array_remove(array[
      case when c.phone_e164 = contact.phone_e164 then 'same_phone' end,
      -- One name alone is shared by too many.
      case when s.score >= 0.85 and wanted like '% %' then 'similar_name' end,
      case when c.email_is_valid and contact.email_is_valid
        and split_part(c.email, '@', 1) = split_part(contact.email, '@', 1) and s.score >= 0.5 then 'similar_email' end
    ], null) as reasons
    from public.contacts c
    cross join lateral (select private.name_score(wanted, private.screening_name(c.full_name)) as score) s
    where c.agency_id = contact.agency_id and c.id = any (candidate_ids) and c.id <> contact.id and c.merged_into is null
  ) near
  where near.reasons <> '{}'
  order by near.score desc
  limit 20;
end
$$;
comment on function private.near_duplicates(public.contacts, uuid[]) is
  'The suggestions for a contact, from those of its agency that have its phone, its mailbox (the e-mail up to the @) or, as given, a name like its own.';

create function private.contacts_to_compare(max_contacts int) returns setof public.contacts
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
begin
  -- Agencies take turns, so that one with many does not stand before all others.
  return query
  with recursive agency (id) as (
    select (select c.agency_id from public.contacts c where c.compared_at is null order by c.agency_id limit 1)
    union all
    select (
      select c.agency_id from public.contacts c
      where c.compared_at is null and c.agency_id > a.id order by c.agency_id limit 1)
    from agency a where a.id is not null
  ),
  turn as (
    select a.id as agency_id, t.id, row_number() over (partition by a.id order by t.created_at, t.id) as turn, t.created_at
    from agency a
    cross join lateral (
      select c.id, c.created_at from public.contacts c
      where c.agency_id = a.id and c.compared_at is null
      order by c.created_at, c.id limit max_contacts) t
    order by turn, t.created_at
    limit max_contacts
  )
  select c.* from turn t join public.contacts c on c.agency_id = t.agency_id and c.id = t.id
  order by t.turn, t.created_at, t.id;
end
$$;
comment on function private.contacts_to_compare(int) is 'The next contacts to compare: the longest waiting of each agency, turn by turn.';

create function private.compare_contacts(max_contacts int default 1000, may_take interval default '20 seconds') returns int
language plpgsql set search_path = ''
as $$
declare
  like_max constant int := 100;
  contact public.contacts;
  name_key text;
  like_named uuid[];
  -- Names that so many have that a name alone says nothing; found once in a run.
  common_names text[] := '{}';
  compared public.contacts[] := '{}';
  suggestions public.contact_suggestions[] := '{}';
  ends_at timestamptz := clock_timestamp() + may_take;
begin
  -- Nothing is locked while it compares: a lead of one of these people comes in meanwhile as quickly as any other.
  for contact in select c.* from private.contacts_to_compare(max_contacts) c loop
    if contact.merged_into is null then
      name_key := contact.agency_id || ' ' || private.screening_name(contact.full_name);
      like_named := '{}';
      if name_key <> all (common_names) then
        like_named := private.contacts_named_like(contact.agency_id, private.screening_name(contact.full_name), 0.6, like_max + 1);
        if cardinality(like_named) > like_max then
          like_named := private.contacts_named_like(contact.agency_id, private.screening_name(contact.full_name), 0.9, like_max + 1);
        end if;
        if cardinality(like_named) > like_max then
          common_names := common_names || name_key;
          like_named := '{}';
        end if;
      end if;
      suggestions := suggestions || array(select s from private.near_duplicates(contact, like_named) s);
    end if;
    compared := compared || contact;
    exit when clock_timestamp() >= ends_at;
  end loop;

  -- All writing comes last and at once. Whoever holds a contact is not waited for, and one that changed since it was read
  -- is as it was before: both are compared by the next run.
  insert into public.contact_suggestions (agency_id, contact_id, similar_id, reasons, score)
  select s.agency_id, s.contact_id, s.similar_id, s.reasons, s.score
  from unnest(suggestions) s
  where not exists (
    select from public.contacts c
    where c.agency_id = s.agency_id and c.id in (s.contact_id, s.similar_id) and c.merged_into is not null)
  on conflict do nothing;
  update public.contacts c set compared_at = clock_timestamp()
  from (
    select h.agency_id, h.id
    from unnest(compared) d
    join public.contacts h on h.agency_id = d.agency_id and h.id = d.id
    where (h.full_name, h.phone, h.email, h.merged_into) is not distinct from (d.full_name, d.phone, d.email, d.merged_into)
    order by h.id
    for no key update of h skip locked
  ) held
  where c.agency_id = held.agency_id and c.id = held.id;
  return cardinality(compared);
end
$$;
comment on function private.compare_contacts(int, interval) is
  'Compares new and changed contacts with the others of their agency for near-duplicates, agency by agency in turn, until so many are done or the time is up; the next run goes on. Suggests to merge those that have one phone, or a name and mailbox alike; a pair once. Run each minute by pg_cron, so that no request waits for it. Returns how many it compared.';

create function private.found_contacts(query text, max_rows int)
returns table (contact_id uuid, score real, matched text)
language plpgsql
stable
security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- As the owner, because row level security uses an index only for plain comparisons; so each row is asked for its
  -- agency here, which is the caller's and no other.
  caller_agency_id uuid := private.agency_id();
  digits text := regexp_replace(query, '[^0-9]', '', 'g');
  -- The last nine digits say who it is, with or without the country's prefix.
  phone_end text := reverse(right(digits, 9));
  words text[] := (private.plain_words(query))[1:8];
  as_written tsquery := private.search_query(caller_agency_id, words, false);
  with_errors tsquery := private.search_query(caller_agency_id, words, true);
begin
  -- What a merged contact was called still finds the person, under the contact that was kept.
  if char_length(digits) >= 6 and query !~ '[[:alpha:]@]' then
    return query
    select c.id, 1::real, 'phone' from (
      select coalesce(c.merged_into, c.id) as id from public.contacts c
      where c.agency_id = caller_agency_id and reverse(c.phone_e164) like phone_end || '%'
      union
      select l.contact_id from public.leads l
      where l.agency_id = caller_agency_id and reverse(l.phone_e164) like phone_end || '%'
    ) c
    order by c.id limit max_rows;
    return;
  end if;
  -- Candidates are bounded: a name that half the agency has is not found any better by reading all of them.
  return query
  select c.id, max(c.score), (array_agg(c.matched order by c.score desc))[1] from (
    select coalesce(c.merged_into, c.id) as id, 1::real as score, 'email' as matched from public.contacts c
    where c.agency_id = caller_agency_id and c.email = lower(btrim(query)) and c.email_is_valid
    union all
    select l.contact_id, 1::real, 'email' from public.leads l
    where l.agency_id = caller_agency_id and l.email_key = lower(btrim(query))
    union all
    select c.id, private.likeness(words, c.text), case when query like '%@%' then 'email' else 'full_name' end from (
      (select coalesce(c.merged_into, c.id) as id, private.searched_text(c.full_name, c.email) as text from public.contacts c
      where c.agency_id = caller_agency_id
        and private.search_vector(c.agency_id, private.searched_text(c.full_name, c.email)) @@ as_written
      limit 300)
      union
      (select coalesce(c.merged_into, c.id), private.searched_text(c.full_name, c.email) from public.contacts c
      where c.agency_id = caller_agency_id
        and private.search_vector(c.agency_id, private.searched_text(c.full_name, c.email)) @@ with_errors
      limit 700)
      union
      (select l.contact_id, l.full_name from public.leads l
      where l.agency_id = caller_agency_id and private.search_vector(l.agency_id, l.full_name) @@ with_errors
      limit 300)
    ) c
  ) c
  where c.score >= 0.5
  group by c.id
  order by 2 desc, c.id
  limit max_rows;
end
$$;
comment on function private.found_contacts(text, int) is
  'The people of an agency that a text means: by phone in any spelling, e-mail or name; with how likely each is, from 0 to 1, and by what it was found.';
grant execute on function private.found_contacts(text, int) to anon, authenticated;

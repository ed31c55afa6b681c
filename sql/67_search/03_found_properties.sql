create function private.found_properties(query text, max_rows int)
returns table (property_id uuid, score real)
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
  words text[] := (private.plain_words(query))[1:8];
  as_written tsquery := private.search_query(caller_agency_id, words, false);
  with_errors tsquery := private.search_query(caller_agency_id, words, true);
  wanted text := btrim(query);
begin
  -- Candidates are bounded: a word that half the stock has finds nothing better by reading all of it. A reference that
  -- is the whole query is looked up by itself, since many others may begin with it.
  return query
  select p.id, p.score
  from (
    select c.id, c.created_at,
      case when private.plain_text(c.reference) = private.plain_text(wanted) then 1::real
        else private.likeness(words, private.searched_text(c.reference, c.title, c.street, c.zone, c.city, c.postal_code))
      end as score
    from (
      select p.* from public.properties p
      where p.agency_id = caller_agency_id and p.reference = any (array[wanted, upper(wanted), lower(wanted)])
      union
      (select p.* from public.properties p
      where p.agency_id = caller_agency_id
        and private.search_vector(
          p.agency_id, private.searched_text(p.reference, p.title, p.street, p.zone, p.city, p.postal_code)) @@ as_written
      limit 300)
      union
      (select p.* from public.properties p
      where p.agency_id = caller_agency_id
        and private.search_vector(
          p.agency_id, private.searched_text(p.reference, p.title, p.street, p.zone, p.city, p.postal_code)) @@ with_errors
      limit 300)
    ) c
  ) p
  where p.score >= 0.5
  order by p.score desc, p.created_at desc, p.id
  limit max_rows;
end
$$;
comment on function private.found_properties(text, int) is
  'The properties of an agency that a text means: by reference, title or address; with how likely each is, from 0 to 1.';
grant execute on function private.found_properties(text, int) to anon, authenticated;

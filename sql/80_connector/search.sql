create function private.found_contacts(query text, max_rows int)
returns table (contact_id uuid, score real, matched text)
language plpgsql stable security definer set search_path = ''
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

create function api.mcp_search(query text, page_limit int default 10) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:read');
begin
  perform private.check_request(jsonb_build_object('query', query, 'limit', page_limit), '{
    "properties": {
      "query": {"type": "string", "minLength": 1, "maxLength": 200},
      "limit": {"type": "integer", "minimum": 1, "maximum": 25}
    }}', 'query');
  perform set_config('timezone', private.time_zone(), true);
  return (
    -- Clients and properties in one order: whoever is looked for, the likeliest is first. One more than asked, to
    -- know whether there are others.
    with hit as (
      select 'client' as kind, f.contact_id as id, f.score, f.matched
      from private.found_contacts(query, page_limit + 1) f
      union all
      select 'property', f.property_id, f.score, 'address'
      from private.found_properties(query, page_limit + 1) f
      where 'properties:read' = any (caller.permissions)
    ), ranked as (
      select h.*, row_number() over (order by h.score desc, h.kind, h.id) as n from hit h
    )
    select jsonb_build_object(
      'missing_permissions', private.missing_permissions(caller, 'operations:read', 'properties:read'),
      'truncated', count(*) > page_limit,
      'results', coalesce(jsonb_agg(
        jsonb_build_object(
          'kind', r.kind,
          'score', round(r.score::numeric, 2),
          'matched_by', r.matched,
          'client', case when r.kind = 'client' then private.client_summary(caller, r.id) end,
          'property', case when r.kind = 'property' then (
            select private.property_summary(p) from public.properties p
            where p.agency_id = caller.agency_id and p.id = r.id) end)
        order by r.n) filter (where r.n <= page_limit), '[]'))
    from ranked r);
end
$$;
comment on function api.mcp_search(text, int) is
  'Clients and properties that a text means, the likeliest first: by name, phone in any spelling, e-mail, address or reference; blind to accents and lenient with typing errors. Properties only with properties:read, open operations only with operations:read; missing_permissions says which are not there. Permission leads:read.';
grant execute on function api.mcp_search(text, int) to anon, authenticated;

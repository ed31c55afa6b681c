create function private.found_properties(query text, max_rows int)
returns table (property_id uuid, score real)
language plpgsql stable security definer set search_path = ''
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

create function api.mcp_search_properties(filters jsonb, words text[], page_limit int default 10) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('properties:read');
  wanted text;
  wanted_query tsquery;
  places text[];
  spellings text[];
  terms text[];
  term_queries tsquery[];
begin
  perform private.check_request(filters, '{
    "properties": {
      "listing_type": {"type": "string", "enum": ["sale", "rent"]},
      "property_types": {"type": "array", "maxItems": 12, "items": {"type": "string", "enum": ["flat", "house",
        "penthouse", "duplex", "studio", "office", "premises", "garage", "storage", "land", "building", "other"]}},
      "price_min": {"type": "number", "minimum": 0, "maximum": 1000000000},
      "price_max": {"type": "number", "minimum": 0, "maximum": 1000000000},
      "bedrooms_min": {"type": "integer", "minimum": 0, "maximum": 99},
      "bathrooms_min": {"type": "integer", "minimum": 0, "maximum": 99},
      "area_min_m2": {"type": "number", "minimum": 0}
    }}', 'query');
  perform private.check_request(jsonb_build_object('words', words, 'limit', page_limit), '{
    "properties": {
      "words": {"type": "array", "maxItems": 12, "items": {"type": "string", "maxLength": 500}},
      "limit": {"type": "integer", "minimum": 1, "maximum": 25}
    }}', 'query');
  wanted := private.plain_text(array_to_string(words, ' '));
  wanted_query := plainto_tsquery('pg_catalog.spanish'::regconfig, wanted);

  -- Which of the words name a place, only the agency's own stock can tell: as written, else nearly as written.
  with spelling as materialized (
    -- A stock has few places; what is costly is done for each of them, and not for each property.
    select s.written, private.plain_text(s.written) as name
    from (
      select distinct unnest(array[p.zone, p.city]) as written from public.properties p
      where p.agency_id = caller.agency_id) s
    where btrim(s.written) <> ''
  ), place as (
    select distinct s.name from spelling s
  ), exact as (
    select name from place where ' ' || wanted || ' ' like '% ' || name || ' %'
  ), named as (
    select name from exact
    union
    select name from place
    where not exists (select from exact) and char_length(name) >= 4
      and private.trigram_share(name, wanted) >= 0.57
  )
  select array_agg(distinct s.name), array_agg(s.written) into places, spellings
  from spelling s join named n on n.name = s.name;

  -- The rest describes the home; words that say nothing ("con", "una") have no lexeme.
  select array_agg(word order by n), array_agg(plainto_tsquery('pg_catalog.spanish'::regconfig, private.plain_text(word)) order by n)
  into terms, term_queries
  from unnest(words) with ordinality given (word, n)
  where to_tsvector('pg_catalog.spanish'::regconfig, private.plain_text(word)) <> ''::tsvector
    and not exists (
      select from unnest(places) place, regexp_split_to_table(place, '[^[:alnum:]]+') part
      where part = private.plain_text(word)
        or char_length(part) >= 4 and private.trigram_share(part, private.plain_text(word)) >= 0.57);

  return (
    with matched as (
      select p,
        array(
          select term from unnest(terms, term_queries) with ordinality t (term, query, n)
          where p.search @@ t.query
          order by n) as matched_terms
      from public.properties p
      where p.agency_id = caller.agency_id and p.status = 'available'
        and (filters ->> 'listing_type' is null or p.listing_type = filters ->> 'listing_type')
        and (filters -> 'property_types' is null or filters -> 'property_types' ? p.property_type)
        and (filters ->> 'price_min' is null or p.price >= (filters ->> 'price_min')::numeric)
        and (filters ->> 'price_max' is null or p.price <= (filters ->> 'price_max')::numeric)
        and (filters ->> 'bedrooms_min' is null or p.bedrooms >= (filters ->> 'bedrooms_min')::numeric::int)
        and (filters ->> 'bathrooms_min' is null or p.bathrooms >= (filters ->> 'bathrooms_min')::numeric::int)
        and (filters ->> 'area_min_m2' is null or p.area_m2 >= (filters ->> 'area_min_m2')::numeric)
        and (places is null or p.zone = any (spellings) or p.city = any (spellings))
    ), ranked as (
      select m.*, count(*) over () as total, row_number() over (
        order by
          -- A neighbourhood that was named is meant, also when its city was named with it.
          ((m.p).zone = any (spellings)) is true desc,
          cardinality(m.matched_terms) desc,
          ts_rank((m.p).search, wanted_query) desc,
          (m.p).bedrooms - (filters ->> 'bedrooms_min')::numeric::int nulls last,
          (m.p).price nulls last, (m.p).created_at desc, (m.p).id) as n
      from matched m
    )
    select jsonb_build_object(
      'understood', filters || jsonb_build_object('places', coalesce(to_jsonb(places), '[]'), 'terms', coalesce(to_jsonb(terms), '[]')),
      'properties', private.cut_list(
        jsonb_agg(
          private.property_summary(r.p)
            || jsonb_build_object(
              'matched_terms', to_jsonb(r.matched_terms),
              'missing_terms', coalesce((
                select jsonb_agg(term order by n) from unnest(terms) with ordinality t (term, n)
                where term <> all (r.matched_terms)), '[]'),
              'excerpt', left((r.p).description, 300))
          order by r.n) filter (where r.n <= page_limit),
        count(*), page_limit))
    from ranked r);
end
$$;
comment on function api.mcp_search_properties(jsonb, text[], int) is
  'Available properties that pass the filters {listing_type, property_types, price_min, price_max, bedrooms_min, bathrooms_min, area_min_m2}; words that name a zone or city of the agency filter too, the others rank by Spanish full text. Says how it understood the words. Permission properties:read.';
grant execute on function api.mcp_search_properties(jsonb, text[], int) to anon, authenticated;

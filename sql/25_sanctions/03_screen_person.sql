create function private.sanctions_threshold() returns real
language sql
immutable
set search_path = ''
as $$
  select 0.7::real;
$$;
comment on function private.sanctions_threshold() is 'From this score on, a sanctions entry may be the person.';

create function private.word_spellings(words text[]) returns text[]
language plpgsql
stable
set search_path = ''
as $$
begin
  -- The index finds words that share a quarter of their trigrams, which all spellings do; the letters then decide.
  perform set_config('pg_trgm.similarity_threshold', '0.25', true);
  return array(
    select (
      select string_agg(s.word, ' ')
      from public.sanctions_words s
      where s.word operator(extensions.%) w.word and private.word_score(s.word, w.word) >= private.word_threshold())
    from unnest(words) with ordinality as w (word, n)
    order by w.n);
end
$$;
comment on function private.word_spellings(text[]) is
  'For each word the words of the sanctions list that may be spellings of it, separated by spaces; null for none.';

create function private.screen_person(person_name text, birth_date date default null, country text default null)
returns table (entry_id text, matched_name text, score real)
language plpgsql
stable
set search_path = ''
as $$
declare
  wanted text := private.screening_name(person_name);
  -- Enough words for any person; a longer text is no name and shall not take long.
  words text[] := (string_to_array(wanted, ' '))[1:8];
  spellings text[] := private.word_spellings(words);
  every_word text;
  any_two_words text;
begin
  -- private.name_score wants a counterpart for each word of the shorter name, and at least two unless both are single.
  select string_agg(format('words && string_to_array($1[%s], '' '')', i), ' and ') into every_word
  from generate_subscripts(words, 1) i;
  select string_agg(format('(words && string_to_array($1[%s], '' '') and words && string_to_array($1[%s], '' ''))', i, k), ' or ')
  into any_two_words
  from generate_subscripts(words, 1) i
  join generate_subscripts(words, 1) k on k > i
  where spellings[i] is not null and spellings[k] is not null;
  if any_two_words is null and (cardinality(words) > 1 or spellings[1] is null) then
    return;
  end if;

  return query execute replace(format(
    $sql$
      with near as materialized (
        select n.entry_id, n.name, private.name_score($2, n.name) as names
        from public.sanctions_names n
        where %s
      ),
      best as (
        select distinct on (c.entry_id) c.* from near c where c.names >= 0.5 order by c.entry_id, c.names desc
      )
      select b.entry_id, b.name, private.person_score(b.names, $3, $4, e.birth_dates, e.countries)
      from best b
      join public.sanctions_entries e on e.id = b.entry_id
    $sql$,
    case when cardinality(words) = 1 then 'n.name = any (string_to_array($1[1], '' ''))'
      else format('(%s) and (cardinality(words) < cardinality($1) or %s)', any_two_words, every_word) end),
    'words', 'string_to_array(n.name, '' '')')
  using spellings, wanted, birth_date, country;
end
$$;
comment on function private.screen_person(text, date, text) is
  'The sanctions entries that a name comes near, each with its best name and its score; those from private.sanctions_threshold() on may be the person.';

create function private.screen_entries(person_name text, birth_date date, country text, cleared jsonb) returns jsonb
language sql
stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', near.entry_id,
    'name', near.name,
    'matched_name', near.matched_name,
    'score', round(near.score::numeric, 3),
    'schema', near.schema,
    'birth_dates', near.birth_dates,
    'countries', near.countries,
    'sanctions', left(near.sanctions, 500),
    'datasets', near.datasets
  ) order by near.score desc, near.entry_id), '[]')
  from (
    select s.entry_id, s.matched_name, s.score, e.*
    from private.screen_person(person_name, birth_date, country) s
    join public.sanctions_entries e on e.id = s.entry_id
    -- What a person ruled out stays ruled out until the entry changes.
    where not exists (
      select from jsonb_to_recordset(cleared) as c (id text, cleared_at timestamptz)
      where c.id = s.entry_id and c.cleared_at >= e.changed_at)
    order by s.score desc, s.entry_id
    limit 20
  ) near;
$$;
comment on function private.screen_entries(text, date, text, jsonb) is
  'The 20 entries that come nearest to a person, best first, without those that were cleared, [{id, cleared_at}], and have not changed since.';

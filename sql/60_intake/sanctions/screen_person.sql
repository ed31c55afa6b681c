create function private.sanctions_threshold() returns real
language sql immutable set search_path = ''
as $$
  select 0.7::real;
$$;
comment on function private.sanctions_threshold() is 'From this score on, a sanctions entry may be the person.';

create function private.word_cuts(word text, sounds text[], by_sound boolean)
returns table (split int, half int, words text[], keys text[])
language plpgsql immutable rows 20 set search_path = ''
as $$
#variable_conflict use_variable
begin
  return query
  select c.cut, h.part, h.texts, h.sounds
  from (
    -- As it is written: "Delosangeles" is "de los Ángeles" without particles.
    select n as cut, array[left(word, n)] as left_words, '{}'::text[] as left_keys, '{}'::text[] as right_keys,
      array[substr(word, n + 1), regexp_replace(substr(word, n + 1), '^(delos|delas|dela|del|de|al|el|bin)(?=..)', '')] as right_words
    from generate_series(2, least(char_length(word), 40) - 2) n
    union all
    -- As it sounds; of a word without vowels only the consonants are looked up.
    select 100 * x.form::int + n, '{}', array[x.sign || left(x.sound, n)], array[x.sign || substr(x.sound, n + 1)], '{}'
    from (
      select f.form, case when f.sound ~ '[AEO]' then '=' else '' end as sign,
        case when f.sound ~ '[AEO]' then f.sound else private.sound_key(f.sound) end as sound
      from unnest(word_cuts.sounds[1:4]) with ordinality as f (sound, form)
    ) x
    cross join lateral generate_series(
      case x.sign when '=' then 3 else 2 end, least(char_length(x.sound), 40) - case x.sign when '=' then 3 else 2 end) n
    where by_sound
  ) c
  cross join lateral (values (1, c.left_words, c.left_keys), (2, c.right_words, c.right_keys)) as h (part, texts, sounds);
end
$$;
comment on function private.word_cuts(text, text[], boolean) is
  'The ways to take a word for two, each with its halves 1 and 2 as they are looked up: by words or by keys of private.sound_keys. Splits from 100 on are by sound.';

create function private.word_spellings(words text[])
returns table (first int, last int, split int, half int, word text, score real)
language plpgsql stable rows 50 set search_path = ''
as $$
#variable_conflict use_column
begin
  -- Spellings by letters share three tenths of their trigrams, but for some short ones, and these sound alike.
  perform set_config('pg_trgm.similarity_threshold', '0.3', true);
  return query
  with single as materialized (
    select n::int as n, w.word as text, o.word is not null as is_listed, s.sounds
    from unnest(words) with ordinality as w (word, n)
    left join public.sanctions_words o on o.word = w.word
    cross join lateral (select case when o.word is null then private.word_sounds(w.word) else o.sounds end as sounds offset 0) s
    where char_length(w.word) > 1
  ),
  unit as materialized (
    select u.*, private.wanted_keys(u.sounds) as keys
    from (
      select s.n as first, s.n as last, s.text, s.is_listed, s.sounds from single s
      union all
      -- "Guan Ming" may be listed as "Guanming".
      select a.n, b.n, a.text || b.text, false, array(select distinct x || y from unnest(a.sounds[1:3]) x, unnest(b.sounds[1:3]) y)
      from single a
      join single b on b.n = a.n + 1
    ) u
  ),
  near as (
    select u.first, u.last, s.word,
      greatest(l.score, case when l.score between 0.5 and 0.94 then 0.95 * private.sound_score(u.sounds, s.sounds) end) as score
    from unit u
    join public.sanctions_words s on s.word operator(extensions.%) u.text
    cross join lateral (select private.word_score(s.word, u.text) as score offset 0) l
    where u.first = u.last
    union all
    select u.first, u.last, s.word, case
      when not s.sounds operator(pg_catalog.&&) u.sounds then 0.95 * private.sound_score(u.sounds, s.sounds)
      -- A short word has few sounds, so that many another one has them too (Cea, Cai; Cid, Saeed).
      when least(char_length(u.text), char_length(s.word)) <= 4 and private.word_score(s.word, u.text) < 0.5 then 0.8
      else 0.95 end
    from unit u
    join public.sanctions_words s on s.keys operator(pg_catalog.&&) u.keys
    union all
    -- Joined, words may sound otherwise than each of them: "Ming Hua" is "Minghua".
    select u.first, u.last, s.word, 0.95
    from unit u
    join public.sanctions_words s on s.word = u.text
    where u.first < u.last
  ),
  cut as materialized (
    select u.first, c.*
    from unit u
    cross join lateral private.word_cuts(u.text, u.sounds, not u.is_listed) c
    where u.first = u.last and char_length(u.text) >= 6
  ),
  part as materialized (
    select c.first, c.split, c.half, s.word, 0.95 as score
    from cut c
    join public.sanctions_words s on s.word = any (c.words)
    where c.words <> '{}'
    union
    select c.first, c.split, c.half, s.word, 0.85
    from cut c
    join public.sanctions_words s on s.keys operator(pg_catalog.&&) c.keys
    where c.keys <> '{}'
  )
  select n.first, n.last, 0, 0, n.word, max(n.score)::real from near n
  -- Two words together are long enough to be like many a word: they must be much like it.
  where n.score >= case when n.first < n.last then 0.85 else private.word_threshold() end
  group by n.first, n.last, n.word
  union all
  select p.first, p.first, p.split, p.half, p.word, p.score::real from part p
  where exists (select from part o where o.first = p.first and o.split = p.split and o.half <> p.half);
end
$$;
comment on function private.word_spellings(text[]) is
  'The words of the sanctions list that may be spellings of these, with a score: of one (from first to last the same), of two written as one, or (split from 1 on) of the halves 1 and 2 of one.';

create function private.score_names(
  names public.sanctions_names[],
  words text[],
  first int[], last int[], split int[], half int[], word text[], spelling_score real[]
) returns table (entry_id text, name text, score real)
language plpgsql stable rows 20 set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
  with spelling as materialized (
    select * from unnest(
      score_names.first, score_names.last, score_names.split, score_names.half, score_names.word, score_names.spelling_score) as s (first, last, split, half, word, score)
  ),
  near as materialized (
    select n.* from unnest(score_names.names) with ordinality as n (name, entry_id, words, id)
  ),
  hit as materialized (
    select c.id, s.first, s.last, s.split, s.half, w.place, s.score, false as is_initial
    from near c
    cross join lateral unnest(c.words) with ordinality as w (word, place)
    join spelling s on s.word = w.word
    union all
    -- A listed word of one letter may be a name (O), and is no initial that the person wrote.
    select c.id, l.n::int, l.n::int, 0, 0, w.place, 0.62, char_length(l.word) = 1
    from near c
    cross join lateral unnest(c.words) with ordinality as w (word, place)
    join unnest(score_names.words) with ordinality as l (word, n) on left(l.word, 1) in (left(w.word, 1), left(ltrim(w.word, 'yh'), 1)) or left(w.word, 1) = left(ltrim(l.word, 'yh'), 1)
    where char_length(l.word) = 1 or char_length(w.word) = 1
  ),
  -- Half a word is none.
  whole as materialized (
    select h.* from hit h
    where h.split = 0 or exists (
      select from hit o
      where o.id = h.id and o.first = h.first and o.split = h.split and o.half <> h.half
        and sign(o.place - h.place) = o.half - h.half and (h.split < 100 or abs(o.place - h.place) = 1))
  ),
  -- A word that is listed as two, and two that are listed as one, count twice.
  asked as (
    select a.id, count(*) as words, avg(a.score) as score, sum(a.slots) as slots
    from (
      select w.id, n, max(w.score) as score, max(least(w.split, 1)) + 1 as slots
      from whole w cross join lateral generate_series(w.first, w.last) n group by w.id, n
    ) a
    group by a.id
  ),
  listed as (
    select l.id, count(*) as words, avg(l.score) as score, min(l.score) filter (where not l.is_initial) as least, sum(l.slots) as slots
    from (
      select w.id, w.place, max(w.score) as score, bool_and(w.is_initial) as is_initial, max(w.last - w.first) + 1 as slots
      from whole w group by w.id, w.place
    ) l
    group by l.id
  )
  select n.entry_id, n.name, (case
    when a.words = cardinality(score_names.words) and l.words = cardinality(n.words) then a.score
    -- "Juan García" may be "Juan García López".
    when a.words = cardinality(score_names.words) and l.slots >= a.words then 0.9 * a.score
    -- A person with more names than the listed one is easily like it in two of them, as "María Elena López" is like
    -- "Maria Ilyin", so these must be much like it.
    when l.words = cardinality(n.words) and a.slots >= l.words and coalesce(l.least, 1) >= 0.83 then 0.9 * l.score
    else 0 end)::real
  from near n
  join asked a on a.id = n.id
  join listed l on l.id = n.id
  -- A single word may be anybody.
  where a.slots >= 2 and l.slots >= 2 or cardinality(score_names.words) = 1 and cardinality(n.words) = 1;
end
$$;
comment on function private.score_names(public.sanctions_names[], text[], int[], int[], int[], int[], text[], real[]) is
  'How much listed names may be that of some words, 0 to 1, by the spellings of private.word_spellings: all words of one of the two must have a counterpart in the other, in whatever order, or be its initial; where the asked name has more words, a near one.';

create function private.screen_person(person_name text, birth_date date default null, country text default null)
returns table (entry_id text, matched_name text, score real)
language plpgsql stable set search_path = ''
as $$
declare
  -- Enough words for any person; a longer text is no name and shall not take long.
  words text[] := (private.telling_words(private.name_words(person_name)))[1:12];
  spelled record;
  terms text[];
  condition text;
  near public.sanctions_names[];
begin
  select array_agg(s.first) as first, array_agg(s.last) as last, array_agg(s.split) as split, array_agg(s.half) as half,
    array_agg(s.word) as word, array_agg(s.score) as score
  into spelled
  from private.word_spellings(words) s;
  if spelled.first is null then
    return;
  end if;

  -- What a listed name has when it has the word: a spelling, part of one, or its initial. Written into the query, since
  -- the plan depends on how common they are.
  select array_agg(format('n.words operator(pg_catalog.&&) %L::text[]', t.terms))
  into terms
  from (
    select u.n, array_agg(distinct u.term) as terms
    from (
      select n, w.word as term
      from unnest(spelled.first, spelled.last, spelled.word) as w (first, last, word)
      cross join lateral generate_series(w.first, w.last) n
      union all
      select n::int, left(w.word, 1) from unnest(words) with ordinality as w (word, n) where char_length(w.word) > 1
    ) u
    group by u.n
  ) t;
  if cardinality(terms) = 1 then
    condition := terms[1];
  else
    select string_agg(format('%s and %s', terms[i], terms[k]), ' or ') into condition
    from generate_subscripts(terms, 1) i
    join generate_subscripts(terms, 1) k on k > i;
    -- A name of as many words or more must have all of these.
    condition := format('(%s) and (cardinality(n.words) < %s or %s)', condition, cardinality(words), array_to_string(terms, ' and '));
  end if;

  execute format('select array_agg(n) from public.sanctions_names n where %s', condition) into near;
  return query
  with best as (
    select distinct on (s.entry_id) s.*
    from private.score_names(near, words, spelled.first, spelled.last, spelled.split, spelled.half, spelled.word, spelled.score) s
    where s.score >= 0.5
    order by s.entry_id, s.score desc
  )
  select b.entry_id, b.name, private.person_score(b.score, birth_date, country, e.birth_dates, e.countries)
  from best b
  join public.sanctions_entries e on e.id = b.entry_id;
end
$$;
comment on function private.screen_person(text, date, text) is
  'The sanctions entries that a name comes near, each with its best name and its score; those from private.sanctions_threshold() on may be the person.';

create function private.screen_entries(person_name text, birth_date date, country text, cleared jsonb) returns jsonb
language sql stable set search_path = ''
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
    'datasets', near.datasets,
    'listed_at', near.changed_at
  ) order by near.score desc, near.entry_id), '[]')
  from (
    select s.entry_id, s.matched_name, s.score, e.*
    from private.screen_person(person_name, birth_date, country) s
    join public.sanctions_entries e on e.id = s.entry_id
    -- What a person ruled out stays ruled out until the entry changes.
    where not exists (
      select from jsonb_to_recordset(cleared) as c (id text, listed_at timestamptz, cleared_at timestamptz)
      where c.id = s.entry_id and coalesce(c.listed_at = e.changed_at, c.cleared_at >= e.changed_at))
    order by s.score desc, s.entry_id
    limit 20
  ) near;
$$;
comment on function private.screen_entries(text, date, text, jsonb) is
  'The 20 entries that come nearest to a person, best first, without those that were cleared, [{id, listed_at, cleared_at}], and have not changed since.';

set local check_function_bodies = off;

create or replace function private.name_words (
  name text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  pair text[];
begin
  -- Spanish short forms: "Mª del Rosario", "Fco. Javier".
  name := regexp_replace(name, '\m(m\.?[ªº°]|ma\.)(?![[:alpha:]])', 'maria ', 'gi');
  name := regexp_replace(name, '\mfco(?![[:alpha:]])\.?', 'francisco ', 'gi');
  name := normalize(name, NFKC);
  -- Marks that are written or left out at will: Arabic vowels and the line that stretches a word, invisible signs, apostrophes.
  name := regexp_replace(name, '[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f\u202a-\u202e\u2060\ufeff''’‘ʼʻʾʿʹʺ`´]', '', 'g');
  -- An abbreviated word is its initial; "i", "y" and "e" between two words are not.
  name := regexp_replace(name, '\m([[:alpha:]])[[:lower:]]\.', '\1 ', 'g');
  name := regexp_replace(name, '(?<=[[:alpha:]]{2})\s+[iye]\s+(?=[[:alpha:]]{2})', ' ', 'g');
  name := regexp_replace(name collate "und-x-icu", '([[:lower:]])([[:upper:]])', '\1 \2', 'g');
  name := private.romanised(lower(name collate "und-x-icu"));
  foreach pair slice 1 in array array[
    ['š', 'sh'], ['č', 'ch'], ['ć', 'ch'], ['ž', 'zh'], ['đ', 'd'], ['ş', 'sh'], ['ș', 'sh'], ['ç', 'ch'], ['ü', 'u'], ['ñ', 'n'], ['ß', 'ss']]
  loop
    name := replace(name, pair[1], pair[2]);
  end loop;
  name := translate(name, 'أإآٱىیېئؤةہھکگ', 'اااايييييوههكك');
  name := regexp_replace(normalize(extensions.unaccent('extensions.unaccent'::regdictionary, name), NFKD), '[\u0300-\u036f]', '', 'g');
  -- "Servant of" is one word, however its article is written: "Abdul Aziz", "Abd al-Aziz".
  name := regexp_replace(name, '\mabd[aeou]+[lrsnzd]\M', 'abd', 'g');
  return array_remove(regexp_split_to_array(name collate "und-x-icu", '[^[:alnum:]]+'), '');
end
$function$;

create or replace function private.same_name_otherwise (
  word text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  names text;
begin
  -- Frequent names whose usual spellings are further apart than the sounds of one name are.
  foreach names in array array[
    ' muhammad mohammed mohamed mohammad mohamad muhammed muhamad muhamed mehmet mehmed mahomed magomed mohd ',
    ' ahmad ahmed ahmet ', ' umar omar omer ', ' yusuf youssef yousef yousuf youssouf yusef yusuf iusuf yosef josef ',
    ' ri lee yi rhee ', ' pak park bak ', ' choe choi choy ', ' jong jung jeong chung chong cheong ', ' vladimir volodymyr uladzimir ', ' aleksandr alexander oleksandr ',
    ' dmitri dmytro dimitri dimitris dimitrios ', ' nikolai mykola nikolas nikolaos ', ' georgi giorgi georgios jorge ']
  loop
    if names like '% ' || word || ' %' then
      return array[split_part(names, ' ', 2)];
    end if;
  end loop;
  return '{}';
end
$function$;

create or replace function private.score_names (
  names          public.sanctions_names[],
  words          text[],
  first          integer[],
  last           integer[],
  split          integer[],
  half           integer[],
  word           text[],
  spelling_score real[]
)
  returns table (
    entry_id text,
    name     text,
    score    real
  )
  language plpgsql
  stable
  rows 20
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.word_sounds (
  word text
)
  returns text[]
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  form text;
  forms text[] := array[word];
begin
  if word ~ '[\u0590-\u06ff]' then
    return private.arabic_sounds(word);
  end if;
  -- Particles that some spellings write with their word.
  if word ~ '^((al|el|ul|bin|ben|del|dela|delos|delas|dell|van|vander|vanden)...|d[ei][^aeiou][aeiou]..)' then
    forms := forms || regexp_replace(word, '^(delos|delas|dela|dell|del|vander|vanden|van|de|di|al|el|ul|bin|ben)(?=...)', '');
  end if;
  -- A Russian ё is written as yo or e.
  if word ~ '[^aeiouy]yo[^aeiouyn]' then
    forms := forms || replace(word, 'yo', 'e');
  end if;
  forms := forms || private.same_name_otherwise(word);
  if word ~ '^a([dnrstz])\1...' then
    forms := forms || substr(word, 3);
  end if;
  if word ~ '[aeiou][ld]d[iy]n' then
    forms := forms || regexp_replace(word, '[aeiou][ld](d[iy]n)', '\1');
  end if;
  if word ~ '^abd[aeou](l|r|s|z|d|n).' then
    forms := forms || regexp_replace(word, '^abd[aeou](l|r(?=r)|s(?=s)|z(?=z)|d(?=d)|n(?=n))?', 'abd');
  end if;

  -- A French e is not heard at the end.
  if word ~ '[aeiou][^aeiou]e$' and char_length(word) >= 6 then
    forms := forms || array(select left(f, -1) from unnest(forms) f);
  end if;
  -- All forms in one text, for each expression costs more than what it is applied to.
  form := array_to_string(forms, ' ');
  form := regexp_replace(form, 'stsch|shtch|shtsch|schtsch|chtch|shch|schch|tsch|tch|sch|sh|dsch|dzh|dj|zh|cz|\mhs', 'C', 'g');
  form := regexp_replace(replace(replace(form, 'kh', 'K'), 'ck', 'K'), 'qu(?=[ei])', 'K', 'g');
  form := regexp_replace(regexp_replace(form, '(?<!n)gh', 'G', 'g'), 'gu(?=[ei])', 'G', 'g');
  form := regexp_replace(form, 'ng(?![aeiouy])|ny(?=[aeiou])', 'N', 'g');
  form := replace(regexp_replace(form, 't[sz]|dz|c(?=[eiy])', 'S', 'g'), 'ph', 'F');
  forms := string_to_array(form, ' ');
  -- "Njegoš" and "Barzanji".
  forms := private.each_way(forms, 'nj(?=[aeiou])', '{N,nC}');
  forms := private.each_way(forms, 'ch', '{C,K}');
  forms := private.each_way(forms, 'th', '{T,S}');
  forms := private.each_way(forms, 'dh', '{D,S}');
  forms := private.each_way(forms, 'x', '{KS,C,K}');
  forms := private.each_way(forms, '^c', '{K,S}');
  forms := private.each_way(forms, 'q(?=i[ao])', '{C}');
  forms := private.each_way(forms, '^q', '{K,C}');
  forms := private.each_way(forms, 'g(?=[eiy])|^g(?=a)', '{G,C}');
  forms := private.each_way(forms, 'j(?=ua)', '{K}');
  forms := private.each_way(forms, 'j', '{C,K,i}');
  forms := private.each_way(forms, 'w', '{B,u}');
  forms := private.each_way(forms, 'h', '{"",K}');
  form := translate(array_to_string(forms[1:16], ' '), 'yptkbvfdgszlmnrcq', 'iPTKBBFDGSSLMNRKK');
  -- A vowel and what glides into it or away from it are one.
  form := regexp_replace(form, '(o(?=ua)|[iu])+(?=[aeou])', '', 'g');
  form := regexp_replace(form, '(au|ou|oo|eo(?![aeiou])|eu|o|u)[aeiou]?', 'O', 'g');
  form := regexp_replace(form, '(a[ei]|e|i)[aeiou]*', 'E', 'g');
  form := regexp_replace(replace(form, 'a', 'A'), '([^ ])\1+', '\1', 'g');
  return array(select distinct f from unnest(string_to_array(form, ' ')) f);
end
$function$;

create or replace function private.word_spellings (
  words text[]
)
  returns table (
    first integer,
    last  integer,
    split integer,
    half  integer,
    word  text,
    score real
  )
  language plpgsql
  stable
  rows 50
  set search_path to ''
  AS $function$
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
$function$;

comment on function
  "private"."score_names"(public.sanctions_names[], text[], integer[], integer[], integer[],
  integer[], text[], real[]) is 'How much listed names may be that of some words, 0 to 1, by the spellings of private.word_spellings: all words of one of the two must have a counterpart in the other, in whatever order, or be its initial; where the asked name has more words, a near one.';

-- A list that is there is compared by these words and sounds from now on.
select private.list_sanctions_names_again();

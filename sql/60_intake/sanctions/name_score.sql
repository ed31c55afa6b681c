create function private.word_score(a text, b text) returns real
language plpgsql immutable set search_path = ''
as $$
begin
  if a = b then
    return 1;
  end if;
  -- Letters that are another (Khalid, Khaled) tell more of one short word than its trigrams do.
  return 1 - extensions.levenshtein(left(a, 100), left(b, 100))::real / greatest(length(a), length(b), 1);
end
$$;
comment on function private.word_score(text, text) is 'How much two words may be spellings of one, 0 to 1: the share of letters that need no change.';

create function private.word_threshold() returns real
language sql immutable set search_path = ''
as $$
  select 0.7::real;
$$;
comment on function private.word_threshold() is 'From this score on, a word counts as a spelling of another.';

create function private.name_score(a text, b text) returns real
language plpgsql immutable set search_path = ''
as $$
declare
  shorter text[] := string_to_array(a, ' ');
  longer text[] := string_to_array(b, ' ');
  swapped text[];
  total real := 0;
  best real;
  word text;
begin
  if cardinality(shorter) > cardinality(longer) then
    swapped := shorter;
    shorter := longer;
    longer := swapped;
  end if;
  foreach word in array shorter loop
    select max(private.word_score(word, w)) into best from unnest(longer) w;
    -- One surname that is nobody's in the other name makes two people, however long the rest.
    if best < private.word_threshold() then
      return least(extensions.similarity(a, b), 0.5);
    end if;
    total := total + best;
  end loop;
  -- "Juan García" may be "Juan García López"; a single word may be anybody.
  return total / cardinality(shorter) * case
    when cardinality(shorter) = cardinality(longer) then 1
    when cardinality(shorter) = 1 then 0.5
    else 0.85 end;
end
$$;
comment on function private.name_score(text, text) is
  'How much two names (of private.screening_name) may be one person''s, 0 to 1, whatever the order of their words: each word of the shorter name must have a counterpart in the other.';

create function private.person_score(
  names real,
  birth_date date,
  country text,
  entry_birth_dates text[],
  entry_countries text[]
) returns real
language plpgsql immutable set search_path = ''
as $$
begin
  -- A birth year that is near none of the entry's makes a namesake. Day and month swapped or a digit off do not: lists
  -- and papers are full of those.
  if birth_date is not null and exists (select from unnest(entry_birth_dates) d where d ~ '^[0-9]{4}')
    and not exists (
      select from unnest(entry_birth_dates) d
      where d ~ '^[0-9]{4}' and abs(extract(year from birth_date) - left(d, 4)::int) <= 1) then
    names := names * 0.6;
  end if;
  if country is not null and entry_countries <> '{}' and lower(country) <> all (entry_countries) then
    names := names * 0.9;
  end if;
  return names;
end
$$;
comment on function private.person_score(real, date, text, text[], text[]) is
  'The score of a name, lowered when birth year or country are known on both sides and differ, the year by more than one.';

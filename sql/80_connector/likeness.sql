create function private.trigram_share(part text, whole text) returns real
language plpgsql immutable set search_path = ''
as $$
declare
  wanted text[] := extensions.show_trgm(part);
  present text[] := extensions.show_trgm(whole);
begin
  return (select count(*) from unnest(wanted) trigram where trigram = any (present))::real
    / greatest(cardinality(wanted), 1);
end
$$;
comment on function private.trigram_share(text, text) is
  'How much of a word another text has, from 0 to 1, by trigrams. Unlike word_similarity it does not count against the text what it has besides.';
grant execute on function private.trigram_share(text, text) to anon, authenticated;

create function private.likeness(words text[], value text) returns real
language plpgsql immutable set search_path = ''
as $$
declare
  plain text := private.plain_text(value);
  word text;
  total real := 0;
begin
  -- Word by word, so that "García Ana" is "Ana García"; the mean says how much of what was asked is there.
  foreach word in array words loop
    total := total + private.trigram_share(word, plain);
  end loop;
  return total / cardinality(words);
end
$$;
comment on function private.likeness(text[], text) is 'How much of some words a text has, from 0 to 1, blind to case, accents and order, and lenient with typing errors.';

create function private.likeness(words text[], value text) returns real
language plpgsql
immutable
set search_path = ''
as $$
declare
  plain text := private.plain_text(value);
  word text;
  total real := 0;
begin
  -- Word by word, so that "García Ana" is "Ana García"; the mean says how much of what was asked is there.
  foreach word in array words loop
    total := total + extensions.word_similarity(word, plain);
  end loop;
  return total / cardinality(words);
end
$$;
comment on function private.likeness(text[], text) is 'How much of some words a text has, from 0 to 1, blind to case, accents and order, and lenient with typing errors.';
grant execute on function private.likeness(text[], text) to anon, authenticated;

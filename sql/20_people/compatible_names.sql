create function private.names_compatible(a text, b text) returns boolean
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  words_a text[] := private.plain_words(a);
  words_b text[] := private.plain_words(b);
begin
  -- "José García" and "Jose Garcia López" may be one person; "Ana Ruiz" and "Luis Ruiz" are two.
  return a = b or (words_a <> '{}' and words_b <> '{}' and (words_a <@ words_b or words_b <@ words_a));
end
$$;
comment on function private.names_compatible(text, text) is 'Whether two names may belong to one person: one has all the words of the other.';

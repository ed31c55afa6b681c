create function private.name_words(name text) returns text[]
language sql
stable
set search_path = ''
as $$
  -- The ICU collation knows letters of every script, whatever the database's locale.
  select array_remove(
    regexp_split_to_array(
      lower(extensions.unaccent('extensions.unaccent', name) collate "und-x-icu"), '[^[:alnum:]]+'),
    '');
$$;
comment on function private.name_words(text) is 'The words of a name without case, accents and punctuation.';

create function private.names_compatible(a text, b text) returns boolean
language sql
stable
set search_path = ''
as $$
  -- "José García" and "Jose Garcia López" may be one person; "Ana Ruiz" and "Luis Ruiz" are two.
  select a = b or (
    cardinality(private.name_words(a)) > 0 and cardinality(private.name_words(b)) > 0
    and (private.name_words(a) <@ private.name_words(b) or private.name_words(b) <@ private.name_words(a)));
$$;
comment on function private.names_compatible(text, text) is 'Whether two names may belong to one person: one has all the words of the other.';

-- These run for each row of a search and for each write; PL/pgSQL keeps their plans for the session.
create function private.plain_text(value text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- Called stable by its authors only because a dictionary could be edited; ours is not, so indexes may rely on it.
  -- The ICU collation knows letters of every script, whatever the database's locale.
  return lower(extensions.unaccent('extensions.unaccent'::regdictionary, value) collate "und-x-icu");
end
$$;
comment on function private.plain_text(text) is 'A text without case and accents, as searches compare it.';
grant execute on function private.plain_text(text) to anon, authenticated;

create function private.is_visible(value text) returns boolean
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- Nearly every text has a plain letter or digit. Else it takes a character that is no blank (White_Space), no control
  -- character (Cc) and none without a width (Cf), such as U+200B.
  return value ~ '[!-~]' or value ~ ('[^\u0001-\u0020\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2'
    || '\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb\U000110bd\U000110cd'
    || '\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f]');
end
$$;
comment on function private.is_visible(text) is 'Whether a text has a character that shows.';
grant execute on function private.is_visible(text) to anon, authenticated;

create function private.searched_text(variadic parts text[]) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  -- concat_ws is not immutable because it takes any type; this takes text alone.
  return coalesce(array_to_string(parts, ' '), '');
end
$$;
comment on function private.searched_text(text[]) is 'The texts a row is found by, joined; missing ones are left out.';
grant execute on function private.searched_text(text[]) to anon, authenticated;

create function private.plain_words(value text) returns text[]
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  return array_remove(
    regexp_split_to_array(private.plain_text(value) collate "und-x-icu", '[^[:alnum:]]+'), '');
end
$$;
comment on function private.plain_words(text) is 'The words of a text without case, accents and punctuation.';
grant execute on function private.plain_words(text) to anon, authenticated;

create function private.search_vector(agency_id uuid, value text) returns tsvector
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  -- Each trigram carries the agency, so that an index over all agencies is as quick as one over a single agency.
  agency text := left(agency_id::text, 8);
  plain text := private.plain_text(value);
  trigrams text;
begin
  -- Nearly every name is in plain letters once its accents are gone. pg_trgm takes the same trigrams of these, in a tenth
  -- of the time; those of other scripts it would show as hashes.
  if plain ~ '^[ -~]*$' then
    trigrams := nullif(array_to_string(extensions.show_trgm(plain), '|' || agency), '');
    return array_to_tsvector(coalesce(string_to_array(agency || trigrams, '|'), '{}'));
  end if;
  return (
    select array_to_tsvector(coalesce(array_agg(agency || substr('  ' || word || ' ', n, 3)), '{}'))
    from unnest(private.plain_words(value)) word, generate_series(1, char_length(word) + 1) n);
end
$$;
comment on function private.search_vector(uuid, text) is 'The trigrams of a text''s words inside one agency: what the search indexes hold.';
grant execute on function private.search_vector(uuid, text) to anon, authenticated;

create function private.search_query(agency_id uuid, words text[], with_errors boolean) returns tsquery
language plpgsql immutable parallel safe set search_path = ''
as $$
declare
  agency text := left(agency_id::text, 8);
begin
  -- A word matches by its beginning. With errors allowed, one half of a word of four letters or more is enough: a
  -- single typing error leaves the other half intact.
  return (
    select string_agg(
      case when with_errors and char_length(word) >= 4
        then '(' || private.all_trigrams(agency, '  ' || left(word, char_length(word) / 2))
          || '|' || private.all_trigrams(agency, substr(word, char_length(word) / 2 + 1) || ' ') || ')'
        else private.all_trigrams(agency, '  ' || word) end,
      '&')
    from unnest(words) word)::tsquery;
end
$$;
comment on function private.search_query(uuid, text[], boolean) is
  'The query of a search vector for some words of one agency: all words as they begin, or with a typing error in each.';

create function private.all_trigrams(agency text, part text) returns text
language plpgsql immutable parallel safe set search_path = ''
as $$
begin
  return (
    select '(' || string_agg(quote_literal(agency || substr(part, n, 3)), '&') || ')'
    from generate_series(1, greatest(char_length(part) - 2, 1)) n);
end
$$;
comment on function private.all_trigrams(text, text) is 'The trigrams of a part of a word, all of them wanted, as text of a tsquery.';

create function private.screening_name(name text) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  -- Letters of every script stay, since lists name people in their own. The dictionary is named, so the result is fixed.
  return btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent', name)), '[^[:alnum:]]+', ' ', 'g'));
end
$$;
comment on function private.screening_name(text) is 'A name as names are compared: without case, accents and punctuation.';

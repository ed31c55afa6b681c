create function private.plain_words(value text) returns text[]
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return array_remove(
    regexp_split_to_array(private.plain_text(value) collate "und-x-icu", '[^[:alnum:]]+'), '');
end
$$;
comment on function private.plain_words(text) is 'The words of a text without case, accents and punctuation.';
grant execute on function private.plain_words(text) to anon, authenticated;

create function private.search_vector(agency_id uuid, value text) returns tsvector
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  -- Each trigram carries the agency, so that an index over all agencies is as quick as one over a single agency.
  agency text := left(agency_id::text, 8);
begin
  return (
    select array_to_tsvector(coalesce(array_agg(distinct agency || substr('  ' || word || ' ', n, 3)), '{}'))
    from unnest(private.plain_words(value)) word, generate_series(1, char_length(word) + 1) n);
end
$$;
comment on function private.search_vector(uuid, text) is 'The trigrams of a text''s words inside one agency: what the search indexes hold.';
grant execute on function private.search_vector(uuid, text) to anon, authenticated;

create function private.search_query(agency_id uuid, words text[], with_errors boolean) returns tsquery
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
declare
  agency text := left(agency_id::text, 8);
begin
  -- A word is there as it begins; or, of a word of four letters and more, one of its halves is, since one typing
  -- error leaves the other half as it was.
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
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  return (
    select '(' || string_agg(quote_literal(agency || substr(part, n, 3)), '&') || ')'
    from generate_series(1, greatest(char_length(part) - 2, 1)) n);
end
$$;
comment on function private.all_trigrams(text, text) is 'The trigrams of a part of a word, all of them wanted, as text of a tsquery.';

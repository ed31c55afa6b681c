-- These run for each row of a search and for each write; PL/pgSQL keeps their plans for the session.
create function private.plain_text(value text) returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  -- Called stable by its authors only because a dictionary could be edited; ours is not, so indexes may rely on it.
  -- The ICU collation knows letters of every script, whatever the database's locale.
  return lower(extensions.unaccent('extensions.unaccent'::regdictionary, value) collate "und-x-icu");
end
$$;
comment on function private.plain_text(text) is 'A text without case and accents, as searches compare it.';
grant execute on function private.plain_text(text) to anon, authenticated;

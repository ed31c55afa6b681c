create function private.searched_text(variadic parts text[]) returns text
language plpgsql
immutable
parallel safe
set search_path = ''
as $$
begin
  -- concat_ws is not immutable, because it takes any type; of texts alone this is.
  return coalesce(array_to_string(parts, ' '), '');
end
$$;
comment on function private.searched_text(text[]) is 'The texts by which a row is found, in one; missing ones are left out.';
grant execute on function private.searched_text(text[]) to anon, authenticated;

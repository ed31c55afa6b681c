create function private.encode_cursor(list text, position_at timestamptz, id uuid) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return translate(
    encode(convert_to(list || '.' || (extract(epoch from position_at) * 1000000)::bigint || '.' || id, 'UTF8'), 'base64'),
    E'+/=\n', '-_');
end
$$;
comment on function private.encode_cursor(text, timestamptz, uuid) is 'An opaque place in a list: the last row shown.';
grant execute on function private.encode_cursor(text, timestamptz, uuid) to anon, authenticated;

create function private.decode_cursor(list text, page_cursor text, out position_at timestamptz, out id uuid)
language plpgsql
stable
set search_path = ''
as $$
declare
  parts text[];
begin
  if page_cursor is null then
    return;
  end if;
  begin
    parts := regexp_match(
      convert_from(decode(rpad(translate(page_cursor, '-_', '+/'), (length(page_cursor) + 3) / 4 * 4, '='), 'base64'), 'UTF8'),
      '^([a-z_]+)\.([0-9]{1,16})\.([0-9a-f-]{36})$');
    position_at := timestamptz 'epoch' + parts[2]::bigint * interval '1 microsecond';
    id := parts[3]::uuid;
  exception when data_exception then
    parts := null;
  end;
  if parts is null or parts[1] <> list then
    perform private.refuse('invalid_cursor', 'The cursor was not made by this list.');
  end if;
end
$$;
comment on function private.decode_cursor(text, text) is 'The place that a cursor of the list names. Refuses with invalid_cursor.';
grant execute on function private.decode_cursor(text, text) to anon, authenticated;

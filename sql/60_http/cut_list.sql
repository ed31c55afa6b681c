create function private.cut_list(items jsonb, total bigint, shown int) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return jsonb_build_object('total', total, 'truncated', total > shown, 'items', coalesce(items, '[]'));
end
$$;
comment on function private.cut_list(jsonb, bigint, int) is 'A list of bounded length that says how many there are and whether it was cut.';
grant execute on function private.cut_list(jsonb, bigint, int) to anon, authenticated;

create function private.encode_cursor(list text, position_at timestamptz, id uuid) returns text
language plpgsql immutable set search_path = ''
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
language plpgsql stable set search_path = ''
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

create function private.list_page(
  agency_id uuid,
  table_name text,
  serializer text,
  ordered_by text,
  conditions text[],
  filters jsonb,
  page_limit int,
  page_cursor text
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  rows_wanted int := coalesce(page_limit, 50);
  -- The same table in another order is another list.
  list text := table_name || '_' || ordered_by;
  after record;
  page jsonb;
begin
  if rows_wanted not between 1 and 200 then
    perform private.refuse_request_member('limit', 'must be a whole number from 1 to 200', 'query');
  end if;
  if char_length(page_cursor) > 1000 then
    perform private.refuse_request_member('cursor', 'must have at most 1000 characters', 'query');
  end if;
  after := private.decode_cursor(list, page_cursor);
  -- Dynamic, so that each combination of filters is planned for itself and finds its index. Every name in it is a
  -- literal of the calling RPC; what the caller sends travels in $1 to $6.
  execute format(
    $sql$
      with page as (
        select t as item, t.%2$I as position_at, t.id, row_number() over (order by t.%2$I desc, t.id desc) as n
        from public.%1$I t
        where t.agency_id = $1 %4$s %5$s
        order by t.%2$I desc, t.id desc
        limit $3 + 1
      )
      select jsonb_build_object(
        'data', coalesce(jsonb_agg(private.%3$I(item) order by n) filter (where n <= $3), '[]'),
        'next_cursor', case when count(*) > $3 then
          max(private.encode_cursor($6, position_at, id)) filter (where n = $3) end)
      from page
    $sql$,
    table_name, ordered_by, serializer,
    (select string_agg('and ' || c, ' ') from unnest(conditions) c),
    case when page_cursor is not null then format('and (t.%I, t.id) < ($4, $5)', ordered_by) end)
  into page
  using agency_id, filters, rows_wanted, after.position_at, after.id, list;
  return page;
end
$$;
comment on function private.list_page(uuid, text, text, text, text[], jsonb, int, text) is
  'One page of a list, newest first: {data, next_cursor}. Keyset, so inserts do not shift it. Conditions name the row t and read the filters from $2. Refuses with invalid_cursor, invalid_query.';
grant execute on function private.list_page(uuid, text, text, text, text[], jsonb, int, text) to anon, authenticated;

create function private.cut_list(items jsonb, total bigint, shown int) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return jsonb_build_object('total', total, 'truncated', total > shown, 'items', coalesce(items, '[]'));
end
$$;
comment on function private.cut_list(jsonb, bigint, int) is 'A list of bounded length that says how many there are and whether it was cut.';
grant execute on function private.cut_list(jsonb, bigint, int) to anon, authenticated;

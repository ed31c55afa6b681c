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

create function private.list_condition(filter text, value jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  parts text[] := regexp_match(filter, '^([a-z_]+)(?: (>=|<=|<|is null|is not null))?$');
begin
  if parts is null then
    raise exception 'no filter is spelled "%"', filter;
  end if;
  return case
    when parts[2] like 'is %' then format('and t.%I %s', parts[1], parts[2])
    when jsonb_typeof(value) = 'array' then
      format('and t.%I = any (%L)', parts[1], array(select jsonb_array_elements_text(value)))
    else format('and t.%I %s %L', parts[1], coalesce(parts[2], '='), value #>> '{}')
  end;
end
$$;
comment on function private.list_condition(text, jsonb) is
  'A filter of private.list_page as a condition on its row t: "stage" or "price >=" with a value, "stage" with an array of which it is one, "won_at is not null" with anything.';

create function private.list_page(resource text, ordered_by text, filters jsonb, page_limit int, page_cursor text) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  -- Asked for here and not taken as an argument, since what runs as the owner believes nobody.
  caller_agency_id uuid := private.agency_id();
  -- A resource is what has a serializer, which takes a row of its table and no other.
  table_name text := case resource when 'hook' then 'subscriptions' when 'property' then 'properties' else resource || 's' end;
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
  -- Dynamic, so that each combination of filters is planned for itself and finds its index. Names are quoted as names,
  -- values as values.
  execute format(
    $sql$
      with page as (
        select t as item, t.%2$I as position_at, t.id, row_number() over (order by t.%2$I desc, t.id desc) as n
        from public.%1$I t
        where t.agency_id = $1 %4$s %5$s
        order by t.%2$I desc, t.id desc
        limit $2 + 1
      )
      select jsonb_build_object(
        'data', coalesce(jsonb_agg(private.%3$I(item) order by n) filter (where n <= $2), '[]'),
        'next_cursor', case when count(*) > $2 then
          max(private.encode_cursor($5, position_at, id)) filter (where n = $2) end)
      from page
    $sql$,
    table_name, ordered_by, resource || '_json',
    (select string_agg(private.list_condition(f.key, f.value), ' ') from jsonb_each(jsonb_strip_nulls(filters)) f),
    case when page_cursor is not null then format('and (t.%I, t.id) < ($3, $4)', ordered_by) end)
  into page
  using caller_agency_id, rows_wanted, after.position_at, after.id, list;
  return page;
end
$$;
comment on function private.list_page(text, text, jsonb, int, text) is
  'One page of a resource of the caller''s agency, newest first: {data, next_cursor}. Keyset, so inserts do not shift it. Filters as private.list_condition reads them; those that are null do not count. Refuses with invalid_cursor, invalid_query.';
grant execute on function private.list_page(text, text, jsonb, int, text) to anon, authenticated;

create function private.get_one(resource text, id uuid) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  caller private.principal := private.authorize(case resource
    when 'agent' then null when 'property' then 'properties:read' else resource || 's:read' end);
  found jsonb;
begin
  -- A statement for each, because the session keeps their plans.
  case resource
    when 'agent' then
      select private.agent_json(t) into found from public.agents t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'document' then
      select private.document_json(t) into found from public.documents t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'lead' then
      select private.lead_json(t) into found from public.leads t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'offer' then
      select private.offer_json(t) into found from public.offers t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'operation' then
      select private.operation_json(t) into found from public.operations t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'property' then
      select private.property_json(t) into found from public.properties t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'signature' then
      select private.signature_json(t) into found from public.signatures t where t.agency_id = caller.agency_id and t.id = get_one.id;
    when 'viewing' then
      select private.viewing_json(t) into found from public.viewings t where t.agency_id = caller.agency_id and t.id = get_one.id;
  end case;
  if found is null then
    perform private.refuse_missing(resource);
  end if;
  return found;
end
$$;
comment on function private.get_one(text, uuid) is
  'One row of a resource of the caller''s agency, as lists show it. Authorizes, with the permission to read it: any credential reads agents. Refuses with not_found.';
grant execute on function private.get_one(text, uuid) to anon, authenticated;

create function private.cut_list(items jsonb, total bigint, shown int) returns jsonb
language plpgsql immutable set search_path = ''
as $$
begin
  return jsonb_build_object('total', total, 'truncated', total > shown, 'items', coalesce(items, '[]'));
end
$$;
comment on function private.cut_list(jsonb, bigint, int) is 'A list of bounded length that says how many there are and whether it was cut.';
grant execute on function private.cut_list(jsonb, bigint, int) to anon, authenticated;

create function api.mcp_search(query text, page_limit int default 10) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  caller private.principal := private.authorize('leads:read');
begin
  perform private.judged(jsonb_build_object('query', query, 'limit', page_limit), '{
    "properties": {
      "query": {"type": "string", "minLength": 1, "maxLength": 200},
      "limit": {"type": "integer", "minimum": 1, "maximum": 25}
    }}', 'query');
  perform set_config('timezone', private.time_zone(), true);
  return (
    -- Clients and properties in one order: whoever is looked for, the likeliest is first. One more than asked, to
    -- know whether there are others.
    with hit as (
      select 'client' as kind, f.contact_id as id, f.score, f.matched
      from private.found_contacts(query, page_limit + 1) f
      union all
      select 'property', f.property_id, f.score, 'address'
      from private.found_properties(query, page_limit + 1) f
      where 'properties:read' = any (caller.permissions)
    ), ranked as (
      select h.*, row_number() over (order by h.score desc, h.kind, h.id) as n from hit h
    )
    select jsonb_build_object(
      'missing_permissions', private.missing_permissions(caller, 'operations:read', 'properties:read'),
      'truncated', count(*) > page_limit,
      'results', coalesce(jsonb_agg(
        jsonb_build_object(
          'kind', r.kind,
          'score', round(r.score::numeric, 2),
          'matched_by', r.matched,
          'client', case when r.kind = 'client' then private.client_summary(caller, r.id) end,
          'property', case when r.kind = 'property' then (
            select private.property_summary(p) from public.properties p
            where p.agency_id = caller.agency_id and p.id = r.id) end)
        order by r.n) filter (where r.n <= page_limit), '[]'))
    from ranked r);
end
$$;
comment on function api.mcp_search(text, int) is
  'Clients and properties that a text means, the likeliest first: by name, phone in any spelling, e-mail, address or reference; blind to accents and lenient with typing errors. Properties only with properties:read, open operations only with operations:read; missing_permissions says which are not there. Permission leads:read.';
grant execute on function api.mcp_search(text, int) to anon, authenticated;

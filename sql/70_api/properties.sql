create function api.list_properties(
  status text default null,
  listing_type text default null,
  property_type text default null,
  city text default null,
  zone text default null,
  price_min numeric default null,
  price_max numeric default null,
  bedrooms_min int default null,
  reference text default null,
  owner_lead_id uuid default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('properties:read');
begin
  perform private.judged(jsonb_build_object('status', status, 'listing_type', listing_type, 'property_type', property_type, 'city', city, 'zone', zone, 'price_min', price_min, 'price_max', price_max, 'bedrooms_min', bedrooms_min, 'reference', reference), '{
    "properties": {
      "status": {"type": "string", "enum": ["available", "pending", "sold", "rented", "withdrawn"], "nullable": true},
      "listing_type": {"type": "string", "enum": ["sale", "rent"], "nullable": true},
      "property_type": {"type": "string", "enum": ["flat", "house", "penthouse", "duplex", "studio", "office",
        "premises", "garage", "storage", "land", "building", "other"], "nullable": true},
      "city": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true},
      "zone": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true},
      "price_min": {"type": "number", "minimum": 0, "maximum": 1000000000, "decimals": 2, "nullable": true},
      "price_max": {"type": "number", "minimum": 0, "maximum": 1000000000, "decimals": 2, "nullable": true},
      "bedrooms_min": {"type": "integer", "minimum": 0, "maximum": 200, "nullable": true},
      "reference": {"type": "string", "minLength": 1, "maxLength": 200, "nullable": true}
    }}', 'query');
  return private.list_page(
    caller.agency_id, 'properties', 'property_json', 'created_at',
    array_remove(array[
      case when status is not null then 't.status = $2 ->> ''status''' end,
      case when listing_type is not null then 't.listing_type = $2 ->> ''listing_type''' end,
      case when property_type is not null then 't.property_type = $2 ->> ''property_type''' end,
      case when city is not null then 't.city_key = $2 ->> ''city''' end,
      case when zone is not null then 't.zone_key = $2 ->> ''zone''' end,
      case when price_min is not null then 't.price_cents >= ($2 ->> ''price_min'')::bigint' end,
      case when price_max is not null then 't.price_cents <= ($2 ->> ''price_max'')::bigint' end,
      case when bedrooms_min is not null then 't.bedrooms >= ($2 ->> ''bedrooms_min'')::int' end,
      case when reference is not null then 't.reference = $2 ->> ''reference''' end,
      case when owner_lead_id is not null then 't.owner_lead_id = ($2 ->> ''owner_lead_id'')::uuid' end], null),
    jsonb_build_object(
      'status', status, 'listing_type', listing_type, 'property_type', property_type,
      'city', lower(city), 'zone', lower(zone),
      'price_min', ceil(price_min * 100)::bigint, 'price_max', floor(price_max * 100)::bigint,
      'bedrooms_min', bedrooms_min, 'reference', reference, 'owner_lead_id', owner_lead_id),
    page_limit, page_cursor);
end
$$;
comment on function api.list_properties(text, text, text, text, text, numeric, numeric, int, text, uuid, int, text) is
  'The agency''s properties, newest first: {data, next_cursor}. City and zone are matched without case. Permission properties:read.';
grant execute on function api.list_properties(text, text, text, text, text, numeric, numeric, int, text, uuid, int, text)
  to anon, authenticated;

create function api.get_property(property_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('properties:read');
  property jsonb;
begin
  select private.property_json(p) into property from public.properties p
  where p.agency_id = caller.agency_id and p.id = property_id;
  if property is null then
    perform private.raise_error(404, 'not_found', 'There is no such property.');
  end if;
  return property;
end
$$;
comment on function api.get_property(uuid) is 'One property. Permission properties:read. Errors: not_found.';
grant execute on function api.get_property(uuid) to anon, authenticated;

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
begin
  perform private.authorize('properties:read');
  perform private.check_request(jsonb_build_object('status', status, 'listing_type', listing_type, 'property_type', property_type, 'city', city, 'zone', zone, 'price_min', price_min, 'price_max', price_max, 'bedrooms_min', bedrooms_min, 'reference', reference), '{
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
  return private.list_page('property', 'created_at', jsonb_build_object(
    'status', status,
    'listing_type', listing_type,
    'property_type', property_type,
    'city_key', lower(city),
    'zone_key', lower(zone),
    'price_cents >=', ceil(price_min * 100)::bigint,
    'price_cents <=', floor(price_max * 100)::bigint,
    'bedrooms >=', bedrooms_min,
    'reference', reference,
    'owner_lead_id', owner_lead_id), page_limit, page_cursor);
end
$$;
comment on function api.list_properties(text, text, text, text, text, numeric, numeric, int, text, uuid, int, text) is
  'The agency''s properties, newest first: {data, next_cursor}. City and zone are matched without case. Permission properties:read.';
grant execute on function api.list_properties(text, text, text, text, text, numeric, numeric, int, text, uuid, int, text)
  to anon, authenticated;

create function api.get_property(property_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('property', property_id);
end
$$;
comment on function api.get_property(uuid) is 'One property. Permission properties:read. Errors: not_found.';
grant execute on function api.get_property(uuid) to anon, authenticated;

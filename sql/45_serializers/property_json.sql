create function private.property_json(property public.properties) returns jsonb
language plpgsql
stable
set search_path = ''
set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', property.id,
    'reference', property.reference,
    'title', property.title,
    'listing_type', property.listing_type,
    'status', property.status,
    'property_type', property.property_type,
    'price', trim_scale(property.price),
    'bedrooms', property.bedrooms,
    'bathrooms', property.bathrooms,
    'area_m2', trim_scale(property.area_m2),
    'street', property.street,
    'zone', property.zone,
    'city', property.city,
    'postal_code', property.postal_code,
    'description', property.description,
    'owner_lead_id', property.owner_lead_id,
    'created_at', property.created_at,
    'updated_at', property.updated_at
  );
end
$$;
comment on function private.property_json(public.properties) is 'The property as lists and answers show it.';
grant execute on function private.property_json(public.properties) to anon, authenticated;

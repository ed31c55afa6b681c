create function private.property_summary(property public.properties) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'property_id', property.id,
    'reference', property.reference,
    'title', property.title,
    'listing_type', property.listing_type,
    'status', property.status,
    'property_type', property.property_type,
    'price', trim_scale(property.price),
    'bedrooms', property.bedrooms,
    'bathrooms', property.bathrooms,
    'area_m2', trim_scale(property.area_m2),
    'address', nullif(concat_ws(', ', property.street, property.zone, property.city), ''));
end
$$;
comment on function private.property_summary(public.properties) is 'A property in few members, as searches and case files show it.';
grant execute on function private.property_summary(public.properties) to anon, authenticated;

create function private.offer_json(offer public.offers) returns jsonb
language plpgsql
stable
set search_path = ''
set timezone = 'UTC'
as $$
begin
  return jsonb_build_object(
    'id', offer.id,
    'operation_id', offer.operation_id,
    'lead_id', offer.lead_id,
    'property_id', offer.property_id,
    'amount', trim_scale(offer.amount),
    'currency', offer.currency,
    'offer_type', offer.offer_type,
    'notes', offer.notes,
    'status', offer.status,
    'public_token', offer.public_token,
    'accepted_at', offer.accepted_at,
    'created_at', offer.created_at,
    'updated_at', offer.updated_at
  );
end
$$;
comment on function private.offer_json(public.offers) is 'The offer as lists, answers and offer_accepted show it.';
grant execute on function private.offer_json(public.offers) to anon, authenticated;

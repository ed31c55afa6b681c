create function api.list_offers(
  operation_id uuid default null,
  lead_id uuid default null,
  status text default null,
  page_limit int default null,
  page_cursor text default null
) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  perform private.authorize('offers:read');
  perform private.check_request(jsonb_build_object('status', status), '{
    "properties": {
      "status": {"type": "string", "enum": ["received", "accepted", "rejected", "withdrawn"], "nullable": true}
    }}', 'query');
  return private.list_page('offer', 'created_at', jsonb_build_object(
    'operation_id', operation_id,
    'lead_id', lead_id,
    'status', status), page_limit, page_cursor);
end
$$;
comment on function api.list_offers(uuid, uuid, text, int, text) is
  'The agency''s offers, newest first: {data, next_cursor}. Permission offers:read.';
grant execute on function api.list_offers(uuid, uuid, text, int, text) to anon, authenticated;

create function api.get_offer(offer_id uuid) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.get_one('offer', offer_id);
end
$$;
comment on function api.get_offer(uuid) is 'One offer. Permission offers:read. Errors: not_found.';
grant execute on function api.get_offer(uuid) to anon, authenticated;

create function api.create_offer(body jsonb, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('offers:write');
  answer jsonb := private.replay('create_offer', idempotency_key, private.check_request(body, '{
    "required": ["operation_id", "amount"],
    "properties": {
      "operation_id": {"type": "string", "format": "uuid"},
      "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000000000, "decimals": 2},
      "property_id": {"type": "string", "format": "uuid", "nullable": true},
      "currency": {"type": "string", "format": "currency", "nullable": true},
      "notes": {"type": "string", "maxLength": 10000, "nullable": true},
      "offer_type": {"type": "string", "enum": ["sale", "rent"], "nullable": true}
    }}'));
  offer public.offers;
begin
  if answer is not null then
    return answer;
  end if;
  insert into public.offers (agency_id, operation_id, property_id, amount, currency, offer_type, notes)
  values (
    caller.agency_id,
    (body ->> 'operation_id')::uuid,
    (body ->> 'property_id')::uuid,
    (body ->> 'amount')::numeric,
    coalesce(upper(body ->> 'currency'), 'EUR'),
    body ->> 'offer_type',
    body ->> 'notes')
  returning * into offer;
  return private.answer(idempotency_key, 201, private.offer_json(offer));
end
$$;
comment on function api.create_offer(jsonb, text) is
  'Records an offer {operation_id, amount, property_id?, currency?, offer_type?, notes?}; neither accepts it nor moves the stage. Permission offers:write. Errors: unknown_reference, operation_closed, property_required, idempotency_key_reused.';
grant execute on function api.create_offer(jsonb, text) to anon, authenticated;

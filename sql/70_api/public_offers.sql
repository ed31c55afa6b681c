create function private.public_offer(public_token text) returns jsonb
language plpgsql security definer set search_path = '' set timezone = 'UTC'
as $$
declare
  offer public.offers;
begin
  select o.* into offer from public.offers o where o.public_token = public_offer.public_token;
  if offer.id is null then
    -- Guesses share one bucket, so that they cannot use up that of a link somebody was given. Null and no error,
    -- because an error would give the request back.
    perform private.take_public_token('unknown', 600);
    return null;
  end if;
  perform private.take_public_token(offer.id::text, 60);
  return (
    select jsonb_build_object(
      'amount', trim_scale(offer.amount),
      'currency', offer.currency,
      'offer_type', offer.offer_type,
      'status', offer.status,
      'created_at', offer.created_at,
      'property', jsonb_build_object('title', p.title, 'zone', p.zone, 'city', p.city),
      'agency', jsonb_build_object('name', a.name))
    from public.properties p
    join public.agencies a on a.id = p.agency_id
    where p.agency_id = offer.agency_id and p.id = offer.property_id);
end
$$;
comment on function private.public_offer(text) is
  'What a client who was given an offer''s link sees of it. It knows no agency but the token''s: 192 random bits are the credential.';
grant execute on function private.public_offer(text) to anon, authenticated;

create function api.get_public_offer(public_token text) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return private.public_offer(public_token);
end
$$;
comment on function api.get_public_offer(text) is
  'What a client sees of an offer: amount, currency, offer_type, status, created_at, property (title, zone, city), agency (name). Null for a link that does not exist. No credential: 60 requests a minute a link, 600 for all unknown ones. Errors: rate_limited.';
grant execute on function api.get_public_offer(text) to anon, authenticated;

create function api.create_offer_link(offer_id uuid, idempotency_key text default null) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  caller private.principal := private.authorize('offers:write');
  answer jsonb := private.replay('create_offer_link ' || offer_id, idempotency_key, '{}');
  offer public.offers;
begin
  if answer is not null then
    return answer;
  end if;
  update public.offers o set public_token = default
  where o.agency_id = caller.agency_id and o.id = offer_id
  returning * into offer;
  if offer.id is null then
    perform private.refuse_missing('offer');
  end if;
  return private.answer(idempotency_key, 201, private.offer_json(offer));
end
$$;
comment on function api.create_offer_link(uuid, text) is
  'Gives an offer a new public_token. The link with the old one is revoked by it. Permission offers:write. Errors: not_found, idempotency_key_reused.';
grant execute on function api.create_offer_link(uuid, text) to anon, authenticated;

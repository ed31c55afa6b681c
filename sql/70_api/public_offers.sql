create unlogged table private.public_link_buckets (
  key text primary key,
  full_at timestamptz not null
);
comment on table private.public_link_buckets is
  'Request buckets of the offers'' public links, one an offer and one for all links that do not exist. They may be lost: then all are full again.';
comment on column private.public_link_buckets.key is 'The offer''s id, or `unknown`.';
comment on column private.public_link_buckets.full_at is 'When the bucket will be full again.';
create index public_link_buckets_by_end on private.public_link_buckets (full_at);

create function private.take_public_token(bucket_key text, requests_per_minute int) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  step constant interval := interval '1 minute' / requests_per_minute;
  refilled_at timestamptz;
  remaining int := 0;
  reset int := 60;
begin
  -- Generic cell rate algorithm, as for credentials. A row will do here: the request reads one offer and commits, so
  -- nobody waits long for the row, and what is refused need not be counted.
  insert into private.public_link_buckets as b (key, full_at)
  values (bucket_key, clock_timestamp() + step)
  on conflict (key) do update set full_at = greatest(b.full_at, clock_timestamp()) + step
    where greatest(b.full_at, clock_timestamp()) + step <= clock_timestamp() + interval '1 minute'
  returning b.full_at into refilled_at;

  if refilled_at is not null then
    reset := ceil(extract(epoch from refilled_at - clock_timestamp()));
    remaining := floor(extract(epoch from interval '1 minute' - (refilled_at - clock_timestamp())) / extract(epoch from step));
  end if;
  perform set_config('corredor.rate_limit', jsonb_build_object(
    'limit', requests_per_minute, 'remaining', remaining, 'reset', reset)::text, true);
  perform set_config('response.headers', jsonb_build_array(
    jsonb_build_object('ratelimit-limit', requests_per_minute::text),
    jsonb_build_object('ratelimit-remaining', remaining::text),
    jsonb_build_object('ratelimit-reset', reset::text))::text, true);
  if refilled_at is null then
    perform private.raise_error(429, 'rate_limited', 'Too many requests; try again later.',
      jsonb_build_object('retry_after_seconds', ceil(extract(epoch from step))));
  end if;
end
$$;
comment on function private.take_public_token(text, int) is
  'Takes one request from a public link''s bucket, and sets the RateLimit headers. Refuses with rate_limited.';

create function private.public_offer(public_token text) returns jsonb
language plpgsql
security definer
set search_path = ''
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
language plpgsql
set search_path = ''
as $$
begin
  return private.public_offer(public_token);
end
$$;
comment on function api.get_public_offer(text) is
  'What a client sees of an offer: amount, currency, offer_type, status, created_at, property (title, zone, city), agency (name). Null for a link that does not exist. No credential: 60 requests a minute a link, 600 for all unknown ones. Errors: rate_limited.';
grant execute on function api.get_public_offer(text) to anon, authenticated;

create function api.create_offer_link(offer_id uuid, idempotency_key text default null) returns jsonb
language plpgsql
set search_path = ''
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
    perform private.raise_error(404, 'not_found', 'There is no such offer.');
  end if;
  return private.answer(idempotency_key, 201, private.offer_json(offer));
end
$$;
comment on function api.create_offer_link(uuid, text) is
  'Gives an offer a new public_token. The link with the old one is revoked by it. Permission offers:write. Errors: not_found, idempotency_key_reused.';
grant execute on function api.create_offer_link(uuid, text) to anon, authenticated;

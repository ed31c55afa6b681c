create unlogged table public.request_buckets (
  key text primary key,
  full_at timestamptz not null
);
create index request_buckets_by_end on public.request_buckets (full_at);

comment on table public.request_buckets is
  'Request buckets of callers without a credential: offers'' public links, addresses and the prefixes of refused keys. If they are lost, all are full again. Idle ones are removed each night, and the addresses with them.';
comment on column public.request_buckets.key is 'link:<offer id>, link:unknown, address:<IPv4 address or IPv6 network> or key:<prefix>.';
comment on column public.request_buckets.full_at is 'When the bucket will be full again.';

-- No policy and no grant: no caller sees it.
alter table public.request_buckets enable row level security;

create function private.take_from_bucket(bucket_key text, requests_per_minute int) returns private.budget
language plpgsql security definer set search_path = ''
as $$
declare
  bucket public.request_buckets;
  budget private.budget;
begin
  -- A row will do here, where credentials have a sequence: the request does little else and commits, so nobody waits
  -- long for the row. The moment at which everything begins is a bucket that is full.
  insert into public.request_buckets (key, full_at) values (bucket_key, 'epoch') on conflict (key) do nothing;
  select b.* into bucket from public.request_buckets b where b.key = bucket_key for update;
  budget := private.spend(
    (extract(epoch from bucket.full_at) * 1000000)::bigint,
    (extract(epoch from clock_timestamp()) * 1000000)::bigint,
    requests_per_minute);
  update public.request_buckets b set full_at = 'epoch'::timestamptz + budget.full_at_us * interval '1 microsecond'
  where b.key = bucket_key;
  return budget;
end
$$;
comment on function private.take_from_bucket(text, int) is 'Takes one request from a bucket that is named, and makes the bucket when there is none.';

create function private.take_public_token(bucket_key text, requests_per_minute int) returns void
language plpgsql security definer set search_path = ''
as $$
declare
  budget private.budget := private.take_from_bucket('link:' || bucket_key, requests_per_minute);
begin
  perform private.show_budget(budget);
  if not budget.allowed then
    perform private.raise_error(429, 'rate_limited', 'Too many requests; try again later.',
      jsonb_build_object('retry_after_seconds', budget.retry_after_seconds));
  end if;
end
$$;
comment on function private.take_public_token(text, int) is
  'Takes one request from a public link''s bucket, and sets the RateLimit headers. Refuses with rate_limited.';

create function private.count_stranger(address text, key_prefix text) returns private.budget
language plpgsql security definer set search_path = ''
as $$
declare
  -- An office shares an address, and one of its scripts may have lost its key, so both are generous.
  per_address constant int := 300;
  per_key constant int := 60;
  by_address private.budget := private.take_from_bucket('address:' || left(address, 64), per_address);
  by_key private.budget;
begin
  -- Only for keys that exist: made-up ones would each make a row.
  if not by_address.allowed or not exists (select from public.api_keys k where k.prefix = key_prefix) then
    return by_address;
  end if;
  by_key := private.take_from_bucket('key:' || key_prefix, per_key);
  return case when by_key.remaining < by_address.remaining or not by_key.allowed then by_key else by_address end;
end
$$;
comment on function private.count_stranger(text, text) is
  'Counts a request that showed no valid credential against its address, and against the key that it named by its prefix. Returns the budget that is nearer to its end.';
grant execute on function private.count_stranger(text, text) to service_role;

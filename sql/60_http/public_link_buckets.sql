create unlogged table public.public_link_buckets (
  key text primary key,
  full_at timestamptz not null
);
create index public_link_buckets_by_end on public.public_link_buckets (full_at);

comment on table public.public_link_buckets is
  'Request buckets of the offers'' public links, one an offer and one for all links that do not exist. They may be lost: then all are full again.';
comment on column public.public_link_buckets.key is 'The offer''s id, or `unknown`.';
comment on column public.public_link_buckets.full_at is 'When the bucket will be full again.';

-- No policy and no grant: no caller sees it.
alter table public.public_link_buckets enable row level security;

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
  insert into public.public_link_buckets as b (key, full_at)
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

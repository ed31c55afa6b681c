create table public.rate_limits (
  agency_id uuid not null references public.agencies (id) on delete cascade,
  credential_id uuid not null,
  requests_per_minute int not null default 120,
  id uuid not null default gen_random_uuid(),
  primary key (agency_id, credential_id),
  constraint rate_limit_id_is_unique unique (id),
  constraint requests_per_minute_is_in_range check (requests_per_minute between 1 and 1000000)
);
comment on table public.rate_limits is 'How many requests a minute each API key or agent may make. Created with the credential; edit it here.';
comment on column public.rate_limits.agency_id is 'The agency of the credential.';
comment on column public.rate_limits.credential_id is 'The API key or the agent.';
comment on column public.rate_limits.requests_per_minute is 'Size of the bucket; it refills continuously at this rate.';
comment on column public.rate_limits.id is 'Names the row to the table editor of the local Studio, which finds rows by an id alone.';

-- No policy and no grant: no caller sees it.
alter table public.rate_limits enable row level security;

-- A bucket is an unlogged sequence, because taking a token must survive the rollback of a refused request, must not
-- hold a row lock while the request works, and must not make a reading request wait for the disk. A crash empties
-- it, which only gives every credential a full bucket.
create function private.rate_bucket(credential_id uuid) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return 'rate_limit.bucket_' || replace(credential_id::text, '-', '');
end
$$;
comment on function private.rate_bucket(uuid) is 'Name of the sequence that holds a credential''s request bucket.';

create function private.tg_rate_limits__bucket() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    execute format('create unlogged sequence %s', private.rate_bucket(new.credential_id));
  elsif exists (select from public.api_keys k where k.agency_id = old.agency_id and k.id = old.credential_id)
    or exists (select from public.agents a where a.agency_id = old.agency_id and a.id = old.credential_id) then
    perform private.refuse('rate_limit_in_use', 'The credential still exists; edit its limit instead of removing it.');
  else
    execute format('drop sequence if exists %s', private.rate_bucket(old.credential_id));
  end if;
  return null;
end
$$;
comment on function private.tg_rate_limits__bucket() is 'Makes the bucket with its limit and drops it with it.';

create trigger _500_bucket after insert or delete on public.rate_limits
  for each row execute function private.tg_rate_limits__bucket();

create function private.tg_credentials__rate_limit() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.rate_limits (agency_id, credential_id) values (new.agency_id, new.id);
  else
    delete from public.rate_limits where agency_id = old.agency_id and credential_id = old.id;
  end if;
  return null;
end
$$;
comment on function private.tg_credentials__rate_limit() is 'Gives every new API key and agent the default limit, and takes it away with them.';

create trigger _500_rate_limit after insert or delete on public.api_keys
  for each row execute function private.tg_credentials__rate_limit();
create trigger _500_rate_limit after insert or delete on public.agents
  for each row execute function private.tg_credentials__rate_limit();

create function private.take_token(agency_id uuid, credential_id uuid) returns int
language plpgsql
security definer
set search_path = ''
as $$
declare
  bucket regclass;
  lock_key bigint;
  now_us bigint;
  interval_us bigint;
  window_us bigint;
  requests_per_minute int;
  full_at_us bigint;
  allowed boolean;
  reset_seconds text;
  remaining text;
  -- Every request comes by here. A `perform` would be a query of its own; an assignment is none.
  done text;
begin
  select r.requests_per_minute, private.rate_bucket(r.credential_id), greatest(60000000 / r.requests_per_minute, 1)
  into strict requests_per_minute, bucket, interval_us
  from public.rate_limits r
  where r.agency_id = take_token.agency_id and r.credential_id = take_token.credential_id;
  now_us := extract(epoch from clock_timestamp()) * 1000000;
  window_us := interval_us * requests_per_minute;

  -- A lock of the session, not of the transaction: another request waits microseconds for it, never for our work.
  lock_key := hashtextextended('rate_limit:' || credential_id, 0);
  done := pg_advisory_lock(lock_key);
  begin
    -- Generic cell rate algorithm: the sequence holds the time at which the bucket will be full again.
    full_at_us := greatest(coalesce(pg_sequence_last_value(bucket), 0), now_us) + interval_us;
    allowed := full_at_us <= now_us + window_us;
    -- A request refused for its rate costs nothing: who comes back after Retry-After finds a token.
    full_at_us := case when allowed then setval(bucket, full_at_us) else full_at_us - interval_us end;
  exception when query_canceled or others then
    done := pg_advisory_unlock(lock_key);
    raise;
  end;
  done := pg_advisory_unlock(lock_key);

  remaining := case when allowed then (now_us + window_us - full_at_us) / interval_us else 0 end;
  reset_seconds := ceil((full_at_us - now_us) / 1000000.0)::int;
  done := set_config('corredor.rate_limit',
    format('{"limit": %s, "remaining": %s, "reset": %s}', requests_per_minute, remaining, reset_seconds), true)
    || set_config('response.headers',
    format('[{"ratelimit-limit": "%s"}, {"ratelimit-remaining": "%s"}, {"ratelimit-reset": "%s"}]',
      requests_per_minute, remaining, reset_seconds), true);

  return case when not allowed then ceil(interval_us / 1000000.0)::int end;
end
$$;
comment on function private.take_token(uuid, uuid) is
  'Takes one request from a credential''s bucket, whatever becomes of the transaction, and sets the RateLimit headers. Returns null, or how many seconds to wait when the bucket is empty.';

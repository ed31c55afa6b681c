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
comment on column public.rate_limits.id is 'For the local Studio, whose table editor finds rows by an id alone.';

-- No policy and no grant: no caller sees it.
alter table public.rate_limits enable row level security;

-- A bucket is an unlogged sequence, because taking a token must survive the rollback of a refused request, must not
-- hold a row lock while the request works, and must not make a reading request wait for the disk. A crash empties
-- it, which only gives every credential a full bucket.
create function private.rate_bucket(credential_id uuid) returns text
language plpgsql immutable set search_path = ''
as $$
begin
  return 'rate_limit.bucket_' || replace(credential_id::text, '-', '');
end
$$;
comment on function private.rate_bucket(uuid) is 'Name of the sequence that holds a credential''s request bucket.';

create function private.tg_rate_limits__bucket() returns trigger
language plpgsql security definer set search_path = ''
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
language plpgsql security definer set search_path = ''
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
language plpgsql security definer set search_path = ''
as $$
declare
  bucket regclass;
  lock_key bigint := hashtextextended('rate_limit:' || credential_id, 0);
  requests_per_minute int;
  full_at_us bigint;
  budget private.budget;
  -- Every request comes by here. A `perform` would be a query of its own; an assignment is none.
  done text;
begin
  select r.requests_per_minute, private.rate_bucket(r.credential_id)
  into strict requests_per_minute, bucket
  from public.rate_limits r
  where r.agency_id = take_token.agency_id and r.credential_id = take_token.credential_id;

  -- A lock of the session, not of the transaction: another request waits microseconds for it, never for our work. A
  -- statement can be cancelled between any two lines, so taking the lock and giving it back both stand inside the block
  -- that gives it back. What was cancelled while it waited gives back nothing, which is a warning and no harm.
  begin
    done := pg_advisory_lock(lock_key);
    full_at_us := pg_sequence_last_value(bucket);
    budget := private.spend(full_at_us, (extract(epoch from clock_timestamp()) * 1000000)::bigint, requests_per_minute);
    -- A refused request writes nothing, unless the clock was put back.
    if budget.full_at_us is distinct from full_at_us then
      done := setval(bucket, budget.full_at_us);
    end if;
    done := pg_advisory_unlock(lock_key);
  exception when query_canceled or others then
    done := pg_advisory_unlock(lock_key);
    raise;
  end;

  done := private.show_budget(budget);
  return budget.retry_after_seconds;
end
$$;
comment on function private.take_token(uuid, uuid) is
  'Takes one request from a credential''s bucket, whatever becomes of the transaction, and sets the RateLimit headers. Returns null, or how many seconds to wait when the bucket is empty.';

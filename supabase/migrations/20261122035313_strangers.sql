set local check_function_bodies = off;

drop table "public"."public_link_buckets";

create unlogged table "public"."request_buckets" (
  "key"     text                     not null,
  "full_at" timestamp with time zone not null,
  constraint "request_buckets_pkey" primary key (key)
);

alter table "public"."request_buckets"
  enable row level security;

alter table "public"."request_buckets"
  owner to "postgres";

create type "private"."budget" as (
  "requests_per_minute" integer,
  "allowed"             boolean,
  "full_at_us"          bigint,
  "remaining"           integer,
  "reset_seconds"       integer,
  "retry_after_seconds" integer
);

alter type "private"."budget" owner to "postgres";

create or replace function api.count_stranger (
  address    text,
  key_prefix text default null::text
)
  returns jsonb
  language sql
  set search_path to ''
  AS $function$
  select to_jsonb(private.count_stranger(address, key_prefix)) - 'full_at_us';
$function$;

alter function "api"."count_stranger"(text, text) owner to "postgres";

create or replace function private.clean_up()
  returns void
  language sql
  set search_path to ''
  AS $function$
  delete from public.idempotency_keys where expires_at < now();
  delete from public.deliveries d using public.events e
  where e.agency_id = d.agency_id and e.id = d.event_id and e.status = 'delivered'
    and d.started_at < now() - interval '90 days';
  delete from public.drain_runs where started_at < now() - interval '90 days';
  delete from public.request_buckets where full_at < now();
  delete from cron.job_run_details where end_time < now() - interval '7 days';
$function$;

create or replace function private.count_stranger (
  address    text,
  key_prefix text
)
  returns private.budget
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  -- An office shares an address, and one of its scripts may have lost its key, so both are generous.
  per_address constant int := 300;
  per_key constant int := 60;
  by_address private.budget := private.take_from_bucket('address:' || left(address, 64), per_address);
  by_key private.budget;
begin
  -- Only for keys that there are: invented ones would make a row each.
  if not by_address.allowed or not exists (select from public.api_keys k where k.prefix = key_prefix) then
    return by_address;
  end if;
  by_key := private.take_from_bucket('key:' || key_prefix, per_key);
  return case when by_key.remaining < by_address.remaining or not by_key.allowed then by_key else by_address end;
end
$function$;

alter function "private"."count_stranger"(text, text) owner to "postgres";

create or replace function private.show_budget (
  budget private.budget
)
  returns text
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return
    set_config('corredor.rate_limit',
      format('{"limit": %s, "remaining": %s, "reset": %s}',
        budget.requests_per_minute, budget.remaining, budget.reset_seconds), true)
    || set_config('response.headers',
      format('[{"ratelimit-limit": "%s"}, {"ratelimit-remaining": "%s"}, {"ratelimit-reset": "%s"}]',
        budget.requests_per_minute, budget.remaining, budget.reset_seconds), true);
end
$function$;

alter function "private"."show_budget"(private.budget) owner to "postgres";

create or replace function private.spend (
  full_at_us          bigint,
  now_us              bigint,
  requests_per_minute integer
)
  returns private.budget
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  interval_us bigint := greatest(60000000 / requests_per_minute, 1);
  window_us bigint := interval_us * requests_per_minute;
  budget private.budget;
begin
  -- Generic cell rate algorithm: all there is to know is the time at which the bucket will be full again. That is now at
  -- the earliest, and a window from now at the latest: a clock that was put back must not close a bucket until it has
  -- caught up.
  full_at_us := least(greatest(coalesce(full_at_us, 0), now_us), now_us + window_us);
  budget.requests_per_minute := requests_per_minute;
  budget.allowed := full_at_us + interval_us <= now_us + window_us;
  -- A request refused for its rate costs nothing: who comes back after Retry-After finds a token.
  budget.full_at_us := case when budget.allowed then full_at_us + interval_us else full_at_us end;
  budget.remaining := (now_us + window_us - budget.full_at_us) / interval_us;
  budget.reset_seconds := ceil((budget.full_at_us - now_us) / 1000000.0);
  budget.retry_after_seconds := case when not budget.allowed then ceil(interval_us / 1000000.0) end;
  return budget;
end
$function$;

alter function "private"."spend"(bigint, bigint, integer) owner to "postgres";

create or replace function private.take_from_bucket (
  bucket_key          text,
  requests_per_minute integer
)
  returns private.budget
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
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
$function$;

alter function "private"."take_from_bucket"(text, integer) owner to "postgres";

create or replace function private.take_public_token (
  bucket_key          text,
  requests_per_minute integer
)
  returns void
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  budget private.budget := private.take_from_bucket('link:' || bucket_key, requests_per_minute);
begin
  perform private.show_budget(budget);
  if not budget.allowed then
    perform private.raise_error(429, 'rate_limited', 'Too many requests; try again later.',
      jsonb_build_object('retry_after_seconds', budget.retry_after_seconds));
  end if;
end
$function$;

create or replace function private.take_token (
  agency_id     uuid,
  credential_id uuid
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
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
$function$;

create index request_buckets_by_end on public.request_buckets using btree (full_at);

comment on column "public"."request_buckets"."full_at" is 'When the bucket will be full again.';

comment on column "public"."request_buckets"."key" is 'link:<offer id>, link:unknown, address:<IPv4 address or IPv6 network> or key:<prefix>.';

comment on function "api"."count_stranger"(text, text) is 'Counts a request without a valid credential by its address, and by the prefix of the key that it named: {requests_per_minute, allowed, remaining, reset_seconds, retry_after_seconds}. For the service role: a caller who could name the address would close it to others.';

comment on function "private"."clean_up"() is 'Removes what is no longer of use: expired idempotency keys, idle request buckets, deliveries and drain runs older than 90 days, the job log after 7 days. Run each night by pg_cron.';

comment on function "private"."count_stranger"(text, text) is 'Counts a request that showed no valid credential against its address, and against the key that it named by its prefix. Returns the budget that is nearer to its end.';

comment on function "private"."show_budget"(private.budget) is 'Shows a budget in the RateLimit headers, and leaves it for private.raise_error, so that refusals show it too.';

comment on function "private"."spend"(bigint, bigint, integer) is 'Takes one request from a bucket that will be full at a time given in microseconds, null if it never was used. It holds as many requests as may be made a minute, and refills continuously.';

comment on function "private"."take_from_bucket"(text, integer) is 'Takes one request from a bucket that is named, and makes the bucket when there is none.';

comment on table "public"."request_buckets" is 'Request buckets of those who have no credential: offers'' public links, addresses and the prefixes of keys that were refused. They may be lost: then all are full again. Idle ones are removed each night, and with them the addresses.';

comment on type "private"."budget" is 'What one request made of a bucket: whether it may pass, when the bucket will be full again, and what the caller is told.';

revoke all on function "api"."count_stranger"(text, text) from public;

revoke all on function "api"."count_stranger"(text, text) from "postgres";

grant execute on function "api"."count_stranger"(text, text) to "postgres";

grant execute on function "api"."count_stranger"(text, text) to "service_role";

revoke all on function "private"."count_stranger"(text, text) from public;

revoke all on function "private"."count_stranger"(text, text) from "postgres";

grant execute on function "private"."count_stranger"(text, text) to "postgres";

grant execute on function "private"."count_stranger"(text, text) to "service_role";

revoke all on function "private"."show_budget"(private.budget) from public;

revoke all on function "private"."show_budget"(private.budget) from "postgres";

grant execute on function "private"."show_budget"(private.budget) to "postgres";

revoke all on function "private"."spend"(bigint, bigint, integer) from public;

revoke all on function "private"."spend"(bigint, bigint, integer) from "postgres";

grant execute on function "private"."spend"(bigint, bigint, integer) to "postgres";

revoke all on function "private"."take_from_bucket"(text, integer) from public;

revoke all on function "private"."take_from_bucket"(text, integer) from "postgres";

grant execute on function "private"."take_from_bucket"(text, integer) to "postgres";

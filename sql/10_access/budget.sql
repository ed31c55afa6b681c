create type private.budget as (
  requests_per_minute int,
  allowed boolean,
  full_at_us bigint,
  remaining int,
  reset_seconds int,
  retry_after_seconds int
);
comment on type private.budget is 'What one request made of a bucket: whether it may pass, when the bucket will be full again, and what the caller is told.';

-- The rule that all buckets share; each keeps its state in a place of its own.
create function private.spend(full_at_us bigint, now_us bigint, requests_per_minute int) returns private.budget
language plpgsql immutable set search_path = ''
as $$
declare
  interval_us bigint := greatest(60000000 / requests_per_minute, 1);
  window_us bigint := interval_us * requests_per_minute;
  -- Generic cell rate algorithm: all there is to know is the time at which the bucket will be full again. That is now at
  -- the earliest, and a window from now at the latest: a clock that was put back must not close a bucket until it has
  -- caught up.
  next_full_at_us bigint := least(greatest(coalesce(full_at_us, 0), now_us), now_us + window_us);
  allowed boolean := next_full_at_us + interval_us <= now_us + window_us;
begin
  -- A request refused for its rate costs nothing: a caller who comes back after Retry-After finds a token.
  if allowed then
    next_full_at_us := next_full_at_us + interval_us;
  end if;
  return row(
    requests_per_minute, allowed, next_full_at_us,
    (now_us + window_us - next_full_at_us) / interval_us,
    ceil((next_full_at_us - now_us) / 1000000.0),
    case when not allowed then ceil(interval_us / 1000000.0) end)::private.budget;
end
$$;
comment on function private.spend(bigint, bigint, int) is
  'Takes one request from a bucket that will be full at a time given in microseconds, null if it never was used. It holds as many requests as may be made a minute, and refills continuously.';

create function private.show_budget(budget private.budget) returns text
language plpgsql set search_path = ''
as $$
begin
  return
    set_config('corredor.rate_limit',
      format('{"limit": %s, "remaining": %s, "reset": %s}',
        budget.requests_per_minute, budget.remaining, budget.reset_seconds), true)
    || set_config('response.headers',
      format('[{"ratelimit-limit": "%s"}, {"ratelimit-remaining": "%s"}, {"ratelimit-reset": "%s"}]',
        budget.requests_per_minute, budget.remaining, budget.reset_seconds), true);
end
$$;
comment on function private.show_budget(private.budget) is
  'Shows a budget in the RateLimit headers, and leaves it for private.raise_error, so that refusals show it too.';

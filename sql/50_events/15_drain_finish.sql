create function private.drain_finish(run_id uuid, summary jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
-- The queue goes from empty to long and back, and a plan made for one is bad for the other.
set plan_cache_mode = force_custom_plan
as $$
declare
  untried int;
  rest jsonb;
  run public.drain_runs;
begin
  -- What was claimed and not begun costs no attempt; another run may take it at once.
  update public.events e
  set status = 'pending', attempts = e.attempts - 1, run_id = null, lease_until = null
  where e.status = 'claimed' and e.run_id = drain_finish.run_id
    and not exists (
      select from public.deliveries d
      where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.attempt = e.attempts);
  get diagnostics untried = row_count;

  select private.settle_events(array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id)) into rest
  from public.events e
  where e.status = 'claimed' and e.run_id = drain_finish.run_id;

  update public.drain_runs r
  set finished_at = clock_timestamp(),
      claimed = (summary ->> 'claimed')::int,
      posted = (summary ->> 'posted')::int,
      accepted = (summary ->> 'accepted')::int,
      failed = (summary ->> 'failed')::int,
      delivered = (summary ->> 'delivered')::int + (rest ->> 'delivered')::int,
      to_retry = (summary ->> 'to_retry')::int + (rest ->> 'to_retry')::int,
      released = untried,
      error = left(summary ->> 'error', 300)
  where r.id = drain_finish.run_id and r.finished_at is null
  returning * into run;
  return to_jsonb(run);
end
$$;
comment on function private.drain_finish(uuid, jsonb) is
  'Ends a run: gives back what it still holds (untried events keep their attempts) and stores its summary, {claimed, posted, accepted, failed, delivered, to_retry, error}. Returns the row of public.drain_runs.';
grant execute on function private.drain_finish(uuid, jsonb) to service_role;

create function api.drain_finish(run_id uuid, summary jsonb) returns jsonb
language sql
set search_path = ''
as $$
  select private.drain_finish(run_id, summary);
$$;
comment on function api.drain_finish(uuid, jsonb) is 'For the drain: ends a run and gives back what it still holds. Service role only.';
grant execute on function api.drain_finish(uuid, jsonb) to service_role;

create function private.drain_finish(run_id uuid, summary jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  untried int;
  rest jsonb;
  run public.drain_runs;
  due int;
begin
  untried := private.release_untried(
    drain_finish.run_id,
    array(select e.id from public.events e where e.status = 'claimed' and e.run_id = drain_finish.run_id));

  select private.settle_events(array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id)) into rest
  from public.events e
  where e.status = 'claimed' and e.run_id = drain_finish.run_id;

  update public.drain_runs r
  set finished_at = clock_timestamp(),
      handed_over_at = case when (summary ->> 'handed_over')::boolean then r.handed_over_at end,
      claimed = (summary ->> 'claimed')::int,
      posted = (summary ->> 'posted')::int,
      accepted = (summary ->> 'accepted')::int,
      failed = (summary ->> 'failed')::int,
      delivered = (summary ->> 'delivered')::int + (rest ->> 'delivered')::int,
      to_retry = (summary ->> 'to_retry')::int + (rest ->> 'to_retry')::int,
      released = r.released + untried,
      error = left(summary ->> 'error', 300)
  where r.id = drain_finish.run_id and r.finished_at is null
  returning * into run;
  if run.id is null then
    -- Asked again because the answer was lost.
    select r.* into run from public.drain_runs r where r.id = drain_finish.run_id;
  -- A run that achieved nothing is not followed by another, which would achieve nothing either.
  elsif run.claimed > run.released and (run.handed_over_at is null or untried > 0) then
    perform private.continue_drain(run);
  end if;
  select count(*) into due
  from (select from public.events e where e.status = 'pending' and e.available_at <= run.due_before limit 100000) e;
  return to_jsonb(run) || jsonb_build_object('events_due', due);
end
$$;
comment on function private.drain_finish(uuid, jsonb) is
  'Ends a run: gives back what it still holds (untried events keep their attempts) and stores its summary, {claimed, posted, accepted, failed, delivered, to_retry, handed_over, error}, and has itself continued while events are due. Returns the row of public.drain_runs, and as events_due what of this minute''s drain still waits.';
grant execute on function private.drain_finish(uuid, jsonb) to service_role;

create function api.drain_finish(run_id uuid, summary jsonb) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_finish(run_id, summary);
$$;
comment on function api.drain_finish(uuid, jsonb) is 'For the drain: ends a run and gives back what it still holds. Service role only.';
grant execute on function api.drain_finish(uuid, jsonb) to service_role;

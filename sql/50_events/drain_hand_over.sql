create function private.release_untried(run_id uuid, event_ids uuid[]) returns int
language plpgsql
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  released int;
begin
  update public.events e
  set status = 'pending', attempts = e.attempts - 1, run_id = null, lease_until = null
  where e.status = 'claimed' and e.run_id = release_untried.run_id and e.id = any (event_ids)
    and not exists (
      select from public.deliveries d
      where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.attempt = e.attempts);
  get diagnostics released = row_count;
  return released;
end
$$;
comment on function private.release_untried(uuid, uuid[]) is
  'Gives back those of the events that the run claimed and did not begin: it costs no attempt, and another run may take them at once. Returns how many.';

create function private.continue_drain(run public.drain_runs) returns boolean
language plpgsql set search_path = ''
as $$
begin
  if not run.calls_again
    -- After a minute the next drain is at work, and takes what is left as well.
    or clock_timestamp() > run.due_before + interval '1 minute'
    or not exists (select from public.events e where e.status = 'pending' and e.available_at <= run.due_before) then
    return false;
  end if;
  update public.drain_runs r set handed_over_at = clock_timestamp() where r.id = run.id;
  perform private.call_function('drain', jsonb_build_object('continues', run.id));
  return true;
end
$$;
comment on function private.continue_drain(public.drain_runs) is
  'Calls the drain to go on where the run ends, if events are due that were so when its minute''s drain began. A failed event is not: it waits for the next minute. Returns whether it called.';

create function private.drain_hand_over(run_id uuid, not_begun uuid[]) returns boolean
language plpgsql security definer set search_path = ''
as $$
declare
  run public.drain_runs;
begin
  update public.drain_runs r
  set released = r.released + private.release_untried(drain_hand_over.run_id, not_begun)
  where r.id = drain_hand_over.run_id and r.finished_at is null
  returning * into run;
  if run.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such drain run at work.');
  end if;
  return private.continue_drain(run);
end
$$;
comment on function private.drain_hand_over(uuid, uuid[]) is
  'For a run that has begun all that its worker can do: gives back the claimed events that it did not begin, and calls the drain to go on while it waits for its targets. Returns whether it called; if the call comes to the same worker, the run itself goes on.';
grant execute on function private.drain_hand_over(uuid, uuid[]) to service_role;

create function api.drain_hand_over(run_id uuid, not_begun uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select to_jsonb(private.drain_hand_over(run_id, not_begun));
$$;
comment on function api.drain_hand_over(uuid, uuid[]) is 'For the drain: has a run continued by another one while it ends. Service role only.';
grant execute on function api.drain_hand_over(uuid, uuid[]) to service_role;

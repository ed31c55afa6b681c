create function private.drain_begin() returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  agency_ids uuid[];
  event_ids uuid[];
  dead_run_ids uuid[];
  run public.drain_runs;
begin
  -- The lock waits for nobody: an event that another drain is reclaiming is left to it.
  select array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id) into agency_ids, event_ids, dead_run_ids
  from (
    select e.agency_id, e.id, e.run_id from public.events e
    where e.status = 'claimed' and e.lease_until < clock_timestamp()
    for update skip locked
  ) e;

  if event_ids is not null then
    -- The dead run may have posted these. Whether it did cannot be known, so they are never posted again.
    update public.deliveries d
    set state = 'unknown', error = 'drain_died', error_detail = 'The drain ended before it recorded an outcome.'
    from unnest(agency_ids, event_ids) as dead (agency_id, event_id)
    where d.event_id = dead.event_id and d.agency_id = dead.agency_id and d.state = 'posting';
    perform private.settle_events(agency_ids, event_ids, dead_run_ids);
  end if;

  insert into public.drain_runs (reclaimed) values (coalesce(cardinality(event_ids), 0)) returning * into run;
  return jsonb_build_object('run_id', run.id, 'reclaimed', run.reclaimed);
end
$$;
comment on function private.drain_begin() is
  'Starts a drain run. First takes back the events of runs that died: their open deliveries become unknown, and the events are settled. Returns {run_id, reclaimed}.';
grant execute on function private.drain_begin() to service_role;

create function api.drain_begin() returns jsonb
language sql
set search_path = ''
as $$
  select private.drain_begin();
$$;
comment on function api.drain_begin() is 'For the drain: starts a run and reclaims what dead runs held. Returns {run_id, reclaimed}. Service role only.';
grant execute on function api.drain_begin() to service_role;

create function private.drain_begin(
  continues uuid default null, share int default 0, shares int default 1, calls_again boolean default true) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  agency_ids uuid[];
  event_ids uuid[];
  dead_run_ids uuid[];
  run public.drain_runs;
  begun_at timestamptz;
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
    -- An attempt is a POST, so a claim without one costs none: the crash was not the event's fault, nor the target's.
    -- Unless it was the event that killed the drain; so that it ends, only 3 such claims a round are given back. Events
    -- that were lost before come back scattered over some minutes: those that stood beside a killer lose it.
    update public.events e
    set status = 'pending',
        attempts = e.attempts - 1,
        lost_claims = e.lost_claims + 1,
        run_id = null,
        lease_until = null,
        available_at = case when e.lost_claims = 0 then e.available_at
          else clock_timestamp() + e.lost_claims * random() * interval '5 minutes' end
    from unnest(agency_ids, event_ids, dead_run_ids) as dead (agency_id, event_id, run_id)
    where e.agency_id = dead.agency_id and e.id = dead.event_id and e.run_id = dead.run_id and e.lost_claims < 3
      and not exists (
        select from public.deliveries d
        where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.attempt = e.attempts);
    -- Of the others. What was given back above has no run, and is left alone.
    perform private.settle_events(agency_ids, event_ids, dead_run_ids);
  end if;

  begun_at := clock_timestamp();
  run.due_before := begun_at;
  run.share := drain_begin.share;
  run.shares := drain_begin.shares;
  if continues is not null then
    select r.due_before, r.share, r.shares into run.due_before, run.share, run.shares
    from public.drain_runs r where r.id = drain_begin.continues;
    if not found then
      perform private.raise_error(404, 'not_found', 'There is no such drain run to continue.');
    end if;
  end if;
  insert into public.drain_runs (started_at, due_before, continues, share, shares, calls_again, reclaimed)
  values (begun_at, run.due_before, drain_begin.continues, run.share, run.shares, drain_begin.calls_again,
    coalesce(cardinality(event_ids), 0))
  returning * into run;
  return jsonb_build_object('run_id', run.id, 'reclaimed', run.reclaimed);
end
$$;
comment on function private.drain_begin(uuid, int, int, boolean) is
  'Starts a drain run, or one that continues another and takes what was due for that one. First takes back the events of runs that died: their open deliveries become unknown, and the events are settled; those that had no POST announced get their attempt back, up to 3 times a round. Returns {run_id, reclaimed}.';
grant execute on function private.drain_begin(uuid, int, int, boolean) to service_role;

create function api.drain_begin(
  continues uuid default null, share int default 0, shares int default 1, calls_again boolean default true) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_begin(continues, share, shares, calls_again);
$$;
comment on function api.drain_begin(uuid, int, int, boolean) is 'For the drain: starts a run and reclaims what dead runs held. Returns {run_id, reclaimed}. Service role only.';
grant execute on function api.drain_begin(uuid, int, int, boolean) to service_role;

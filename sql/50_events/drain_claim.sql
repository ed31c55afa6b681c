create function private.drain_claim(run_id uuid, max_events int, busy_agencies uuid[]) returns jsonb
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
-- A body shows times in UTC, whatever the session's zone.
set timezone = 'UTC'
as $$
declare
  run public.drain_runs;
  agency_ids uuid[];
  event_ids uuid[];
  claimed_events jsonb;
  untargeted public.events[];
  bodiless public.events[];
begin
  select r.* into run from public.drain_runs r where r.id = drain_claim.run_id and r.finished_at is null;
  if run.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such drain run at work.');
  end if;

  with recursive heads as (
    -- Walks from agency to agency in the index, so that a long queue of one costs the others nothing.
    (select e.agency_id, e.available_at from public.events e
     where e.status = 'pending'
     order by e.agency_id, e.available_at limit 1)
    union all
    select next_head.agency_id, next_head.available_at
    from heads
    cross join lateral (
      select e.agency_id, e.available_at from public.events e
      where e.status = 'pending' and e.agency_id > heads.agency_id
      order by e.agency_id, e.available_at limit 1
    ) as next_head
  ),
  due_agencies as (
    select h.agency_id, h.available_at, (uuid_hash(h.agency_id) & 2147483647) % run.shares = run.share as is_own
    from heads h
    where h.available_at <= run.due_before and h.agency_id <> all (busy_agencies)
  ),
  open_agencies as (
    select d.agency_id, d.available_at, count(*) over () as agencies
    from due_agencies d
    -- A run that has finished its share helps with the others'.
    where d.is_own or not exists (select from due_agencies o where o.is_own)
    order by d.available_at
    limit max_events
  )
  select array_agg(turn.agency_id), array_agg(turn.id) into agency_ids, event_ids
  from open_agencies o
  cross join lateral (
    select e.agency_id, e.id from public.events e
    where e.agency_id = o.agency_id and e.status = 'pending' and e.available_at <= run.due_before
    order by e.available_at, e.id
    limit greatest(1, max_events / o.agencies)
    for update skip locked
  ) as turn;

  -- A statement of its own, which is planned for as many as were picked: in one with the walk above, the planner
  -- expects tens of thousands, and reads the whole table to find them.
  with targeted as (
    select e.agency_id, e.id, targets.list
    from unnest(agency_ids, event_ids) as picked (agency_id, id)
    join public.events e on e.agency_id = picked.agency_id and e.id = picked.id
    left join lateral (
      select jsonb_agg(jsonb_build_object('subscription_id', s.id, 'url', s.target_url)) as list
      from public.subscriptions s
      where s.agency_id = e.agency_id and s.id = any (e.subscription_ids)
        and not exists (
          select from public.deliveries d
          where d.event_id = e.id and d.agency_id = e.agency_id and d.round = e.round and d.subscription_id = s.id
            and d.state in ('posting', 'accepted', 'unknown'))
    ) as targets on true
  ),
  claimed as (
    update public.events e
    set status = 'claimed',
        attempts = e.attempts + 1,
        run_id = drain_claim.run_id,
        -- A run begins nothing after 110 s, and what it began is recorded well before this.
        lease_until = run.started_at + interval '150 seconds',
        body = coalesce(e.body, case when t.list is not null then private.event_body(e.event_type, e.agency_id, e.subject_id) end)
    from targeted t
    where e.agency_id = t.agency_id and e.id = t.id
    returning e as event, t.list
  )
  select
    coalesce(jsonb_agg(jsonb_build_object(
      'agency_id', (c.event).agency_id,
      'id', (c.event).id,
      'event_type', (c.event).event_type,
      'body', (c.event).body,
      'targets', c.list
    )) filter (where c.list is not null and (c.event).body is not null), '[]'),
    array_agg(c.event) filter (where c.list is null),
    array_agg(c.event) filter (where c.list is not null and (c.event).body is null)
  into claimed_events, untargeted, bodiless
  from claimed c;

  perform private.settle_events(array_agg(e.agency_id), array_agg(e.id), array_agg(e.run_id))
  from unnest(untargeted) e having count(*) > 0;

  update public.events e
  set status = case when e.attempts >= 3 then 'delivered' else 'pending' end,
      reason = 'not_serializable',
      run_id = null,
      lease_until = null,
      available_at = clock_timestamp(),
      delivered_at = case when e.attempts >= 3 then clock_timestamp() end
  from unnest(bodiless) b
  where e.agency_id = b.agency_id and e.id = b.id;

  return jsonb_build_object(
    'events', claimed_events,
    'without_post', coalesce(cardinality(untargeted), 0) + coalesce(cardinality(bodiless), 0));
end
$$;
comment on function private.drain_claim(uuid, int, uuid[]) is
  'Claims up to max_events that are due for the run, turn by turn over the agencies of its share and then over the others, without the busy ones; counts the attempt and serializes the body the first time. An event with nobody to post to is settled at once. Returns {events: [{agency_id, id, event_type, body, targets: [{subscription_id, url}]}], without_post}.';
grant execute on function private.drain_claim(uuid, int, uuid[]) to service_role;

create function api.drain_claim(run_id uuid, max_events int, busy_agencies uuid[]) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_claim(run_id, max_events, busy_agencies);
$$;
comment on function api.drain_claim(uuid, int, uuid[]) is 'For the drain: claims events and returns them with their targets. Service role only.';
grant execute on function api.drain_claim(uuid, int, uuid[]) to service_role;

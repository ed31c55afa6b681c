create function private.drain_announce(run_id uuid, deliveries jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  granted jsonb;
begin
  -- First the events by their keys: joined together with the subscriptions, an agency's whole queue may be read.
  with held as materialized (
    select w.id as delivery_id, w.subscription_id, e.*
    from jsonb_to_recordset(deliveries) as w (id uuid, agency_id uuid, event_id uuid, subscription_id uuid)
    join public.events e on e.agency_id = w.agency_id and e.id = w.event_id
    -- An exchange takes 10 s at most, so it is over before the lease is.
    where e.run_id = drain_announce.run_id and e.lease_until > clock_timestamp() + interval '20 seconds'
    -- A drain that takes the run for dead passes over what is locked, and finds these rows the next time.
    for key share of e
  ),
  announced as (
    insert into public.deliveries (agency_id, id, event_id, subscription_id, target_url, round, attempt, run_id)
    select held.agency_id, held.delivery_id, held.id, s.id, s.target_url, held.round, held.attempts, held.run_id
    from held
    join public.subscriptions s
      on s.agency_id = held.agency_id and s.id = held.subscription_id and s.id = any (held.subscription_ids)
    on conflict do nothing
    returning id
  )
  select coalesce(jsonb_agg(announced.id), '[]') into granted from announced;

  if jsonb_array_length(granted) < jsonb_array_length(deliveries) then
    -- Some may have been announced before by a call whose answer was lost.
    select coalesce(jsonb_agg(d.id), '[]') into granted
    from jsonb_to_recordset(deliveries) as w (id uuid, agency_id uuid)
    join public.deliveries d on d.agency_id = w.agency_id and d.id = w.id
    where d.run_id = drain_announce.run_id and d.state = 'posting';
  end if;
  return granted;
end
$$;
comment on function private.drain_announce(uuid, jsonb) is
  'Writes down the POSTs that a run is about to make, [{id, agency_id, event_id, subscription_id}], and returns the ids it may make. Left out: a target that has the event or may have it, a subscription that is gone, an event that the run no longer holds. The ids are the caller''s, so asking again is safe.';
grant execute on function private.drain_announce(uuid, jsonb) to service_role;

create function api.drain_announce(run_id uuid, deliveries jsonb) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_announce(run_id, deliveries);
$$;
comment on function api.drain_announce(uuid, jsonb) is 'For the drain: announces POSTs and returns the ids of those it may make. Service role only.';
grant execute on function api.drain_announce(uuid, jsonb) to service_role;

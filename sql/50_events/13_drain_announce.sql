create function private.drain_announce(run_id uuid, deliveries jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into public.deliveries (agency_id, id, event_id, subscription_id, target_url, round, attempt, run_id)
  select e.agency_id, w.id, e.id, s.id, s.target_url, e.round, e.attempts, e.run_id
  from jsonb_to_recordset(deliveries) as w (id uuid, agency_id uuid, event_id uuid, subscription_id uuid)
  join public.events e on e.agency_id = w.agency_id and e.id = w.event_id
  join public.subscriptions s on s.agency_id = e.agency_id and s.id = w.subscription_id and s.id = any (e.subscription_ids)
  -- An exchange takes 10 s at most, so it is over before the lease is.
  where e.status = 'claimed' and e.run_id = drain_announce.run_id and e.lease_until > clock_timestamp() + interval '20 seconds'
  -- Keeps a drain that takes the event for abandoned waiting, so that it sees these rows.
  for key share of e
  on conflict do nothing;

  return (
    select coalesce(jsonb_agg(d.id), '[]')
    from jsonb_to_recordset(deliveries) as w (id uuid, agency_id uuid)
    join public.deliveries d on d.agency_id = w.agency_id and d.id = w.id
    where d.run_id = drain_announce.run_id and d.state = 'posting');
end
$$;
comment on function private.drain_announce(uuid, jsonb) is
  'Writes down the POSTs that a run is about to make, [{id, agency_id, event_id, subscription_id}], and returns the ids it may make. Left out: a target that has the event or may have it, a subscription that is gone, an event that the run no longer holds. The ids are the caller''s, so asking again is safe.';
grant execute on function private.drain_announce(uuid, jsonb) to service_role;

create function api.drain_announce(run_id uuid, deliveries jsonb) returns jsonb
language sql
set search_path = ''
as $$
  select private.drain_announce(run_id, deliveries);
$$;
comment on function api.drain_announce(uuid, jsonb) is 'For the drain: announces POSTs and returns the ids of those it may make. Service role only.';
grant execute on function api.drain_announce(uuid, jsonb) to service_role;

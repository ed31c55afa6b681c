create function admin.replay_event(event_id uuid) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  event public.events;
  targets uuid[];
begin
  select e.* into event from public.events e where e.id = replay_event.event_id for update;
  if event.id is null then
    perform private.raise_error(404, 'not_found', 'There is no such event.');
  end if;
  if event.status <> 'delivered' then
    perform private.raise_error(409, 'conflict', 'The event is still in the queue.');
  end if;
  select array_agg(s.id order by s.created_at, s.id) into targets
  from public.subscriptions s
  where s.agency_id = event.agency_id and s.event_type = event.event_type;
  if targets is null then
    perform private.refuse('no_subscription', 'Nobody subscribes to this event.');
  end if;

  update public.events e
  set status = 'pending', reason = null, attempts = 0, lost_claims = 0, round = e.round + 1, subscription_ids = targets,
      available_at = clock_timestamp(), delivered_at = null
  where e.agency_id = event.agency_id and e.id = event.id;
  return cardinality(targets);
end
$$;
comment on function admin.replay_event(uuid) is
  'Queues a delivered event again, by hand: the same id and the same bytes, in a new round of up to 3 attempts, to every subscription that exists now, those that accepted it before included. Returns how many. Errors: not_found, conflict (still in the queue), no_subscription.';
grant execute on function admin.replay_event(uuid) to service_role;

create function private.queue_event(agency_id uuid, event_type text, subject_id uuid) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.events (agency_id, event_type, subject_id, subscription_ids)
  select $1, $2, $3, array_agg(s.id order by s.created_at, s.id)
  from public.subscriptions s
  where s.agency_id = $1 and s.event_type = $2
  having count(*) > 0
  on conflict on constraint subject_is_queued_once do nothing;
end
$$;
comment on function private.queue_event(uuid, text, uuid) is
  'Queues the event for the subscriptions that exist now; without one, nothing is queued. Called by triggers at the first qualifying transition.';

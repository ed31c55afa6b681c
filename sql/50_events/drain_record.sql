create function private.drain_record(run_id uuid, results jsonb, done jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  with outcome as (
    update public.deliveries d
    set state = r.state,
        status_code = r.status_code,
        error = r.error,
        error_detail = left(r.error_detail, 300),
        duration_ms = r.duration_ms
    from jsonb_to_recordset(results) as r (
      agency_id uuid, id uuid, state text, status_code int, error text, error_detail text, duration_ms int)
    where d.agency_id = r.agency_id and d.id = r.id
      and d.run_id = drain_record.run_id
      -- Only what is being posted. Said so, the partial index does not look like a way to find the rows.
      and d.state not in ('accepted', 'failed', 'unknown')
      and r.state in ('accepted', 'failed')
    returning d.agency_id, d.subscription_id, d.status_code
  )
  -- 410 Gone: the target asks not to be called again.
  delete from public.subscriptions s
  using outcome o
  where o.status_code = 410 and s.agency_id = o.agency_id and s.id = o.subscription_id;

  return (
    select private.settle_events(
      array_agg(d.agency_id), array_agg(d.event_id), array_agg(drain_record.run_id))
    from jsonb_to_recordset(done) as d (agency_id uuid, event_id uuid));
end
$$;
comment on function private.drain_record(uuid, jsonb, jsonb) is
  'Records outcomes of announced POSTs, [{agency_id, id, state, status_code, error, error_detail, duration_ms}], removes subscriptions that answered 410, and settles the events in done, [{agency_id, event_id}], at which the run is finished. Only the run that announced may record, and only once. Returns {delivered, to_retry}.';
grant execute on function private.drain_record(uuid, jsonb, jsonb) to service_role;

create function api.drain_record(run_id uuid, results jsonb, done jsonb) returns jsonb
language sql set search_path = ''
as $$
  select private.drain_record(run_id, results, done);
$$;
comment on function api.drain_record(uuid, jsonb, jsonb) is 'For the drain: records outcomes and settles events. Returns {delivered, to_retry}. Service role only.';
grant execute on function api.drain_record(uuid, jsonb, jsonb) to service_role;

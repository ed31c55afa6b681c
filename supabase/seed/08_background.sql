-- What the minute jobs did with all this. Nothing is left for them to post: the addresses are invented, so what each of
-- them would have answered is told here, and the events are settled by the functions of the drain.
do $$
declare
  run_id uuid;
  event jsonb;
  deliveries jsonb;
  events jsonb;
  settled jsonb;
begin
  -- Three runs, since an event that failed everywhere is tried three times.
  for attempt in 1..3 loop
    run_id := private.drain_begin() ->> 'run_id';
    select coalesce(jsonb_agg(e), '[]') into events from jsonb_array_elements(private.drain_claim(run_id, 100, '{}') -> 'events') e;
    select coalesce(jsonb_agg(answer || jsonb_build_object(
      'id', gen_random_uuid(), 'agency_id', e ->> 'agency_id', 'event_id', e ->> 'id', 'subscription_id', t ->> 'subscription_id')), '[]')
    into deliveries
    from jsonb_array_elements(events) e
    cross join jsonb_array_elements(e -> 'targets') t
    cross join lateral (
      select case
        when t ->> 'url' like 'https://firmas.%' then
          '{"state": "failed", "status_code": 503, "error": "http_status", "error_detail": "Answered 503.", "duration_ms": 412}'
        when t ->> 'url' like 'https://contabilidad.%' then
          '{"state": "failed", "error": "timeout", "error_detail": "The exchange took longer than 10 s.", "duration_ms": 10000}'
        else '{"state": "accepted", "status_code": 200, "duration_ms": 184}'
      end::jsonb as answer
    ) told;
    perform private.drain_announce(run_id, deliveries);
    settled := private.drain_record(run_id, deliveries,
      (select coalesce(jsonb_agg(jsonb_build_object('agency_id', e ->> 'agency_id', 'event_id', e ->> 'id')), '[]')
       from jsonb_array_elements(events) e));
    perform private.drain_finish(run_id, jsonb_build_object(
      'claimed', jsonb_array_length(events),
      'posted', jsonb_array_length(deliveries),
      'accepted', jsonb_array_length(jsonb_path_query_array(deliveries, '$[*] ? (@.state == "accepted")')),
      'failed', jsonb_array_length(jsonb_path_query_array(deliveries, '$[*] ? (@.state == "failed")'))) || settled);
  end loop;
end
$$;

select private.compare_contacts() as compared;

drop table demo_operation, demo_lead;

-- Waiting longer than a request takes, so that a lead of the first minute asks for the intake itself.
update public.intake_jobs set available_at = now() - interval '2 minutes';

create function private.clean_up() returns void
language sql set search_path = ''
as $$
  delete from public.idempotency_keys where expires_at < now();
  delete from public.deliveries d using public.events e
  where e.agency_id = d.agency_id and e.id = d.event_id and e.status = 'delivered'
    and d.started_at < now() - interval '90 days';
  delete from public.drain_runs where started_at < now() - interval '90 days';
  delete from public.request_buckets where full_at < now();
  delete from cron.job_run_details where end_time < now() - interval '7 days';
$$;
comment on function private.clean_up() is
  'Removes what is no longer of use: expired idempotency keys, idle request buckets, deliveries and drain runs older than 90 days, the job log after 7 days. Run each night by pg_cron.';

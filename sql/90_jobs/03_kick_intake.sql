create function private.kick_intake() returns bigint
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.intake_jobs j where j.available_at <= clock_timestamp()) then
    return null;
  end if;
  return private.call_function('intake');
end
$$;
comment on function private.kick_intake() is
  'Calls the intake when a job waits. Run each minute by pg_cron. Returns the request''s id in pg_net, or null.';

create function private.start_intake() returns bigint
language plpgsql
security definer
set search_path = ''
as $$
begin
  -- Where an earlier job waits, a request for it is on its way, and its run goes on until nothing waits: a hundred
  -- leads at once do not call a hundred times. What slips through is found by the minute job.
  if exists (
    select from public.intake_jobs j
    where j.available_at < now() and j.available_at > now() - interval '1 minute' and j.attempts = 0) then
    return null;
  end if;
  return private.kick_intake();
end
$$;
comment on function private.start_intake() is
  'Calls the intake for jobs that this transaction made; the request goes out only if it commits. Returns the request''s id in pg_net; null when one is on its way already.';
grant execute on function private.start_intake() to anon, authenticated;

create function private.kick_intake() returns bigint
language plpgsql set search_path = ''
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

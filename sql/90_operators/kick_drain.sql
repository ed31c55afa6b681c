create function private.kick_drain() returns bigint
language plpgsql set search_path = ''
as $$
declare
  waiting int;
  calls int;
  request bigint;
begin
  -- A worker makes 500 to 1,000 POSTs before another takes its place, so a long queue is worth several side by side.
  -- More than four would only wait for the database.
  select count(*) into waiting from (select from public.events e where e.status = 'pending' limit 4000) e;
  if waiting = 0
    and not exists (select from public.events e where e.status = 'claimed' and e.lease_until < clock_timestamp()) then
    return null;
  end if;
  calls := greatest(1, waiting / 1000);
  for share in 0 .. calls - 1 loop
    request := private.call_function('drain', jsonb_build_object('share', share, 'shares', calls));
  end loop;
  return request;
end
$$;
comment on function private.kick_drain() is
  'Calls the drain when an event is pending or a dead run holds one: once, or for each full thousand of events, up to four times, each with a share of the agencies. Run each minute by pg_cron. Returns the last request''s id in pg_net, or null.';

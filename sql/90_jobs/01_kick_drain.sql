create function private.kick_drain() returns bigint
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.events e where e.status = 'pending')
    and not exists (select from public.events e where e.status = 'claimed' and e.lease_until < clock_timestamp()) then
    return null;
  end if;
  return private.call_function('drain');
end
$$;
comment on function private.kick_drain() is
  'Calls the drain when an event is pending or a dead run holds one. Run each minute by pg_cron. Returns the request''s id in pg_net, or null.';

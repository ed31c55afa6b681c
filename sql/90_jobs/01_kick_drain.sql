create function private.kick_drain() returns bigint
language plpgsql
set search_path = ''
as $$
declare
  project_url text;
  secret_key text;
begin
  if not exists (select from public.events e where e.status = 'pending')
    and not exists (select from public.events e where e.status = 'claimed' and e.lease_until < clock_timestamp()) then
    return null;
  end if;

  select s.decrypted_secret into project_url from vault.decrypted_secrets s where s.name = 'project_url';
  select s.decrypted_secret into secret_key from vault.decrypted_secrets s where s.name = 'secret_key';
  if project_url is null or secret_key is null then
    raise notice 'Events wait, and the drain cannot be called: store project_url and secret_key in Vault.';
    return null;
  end if;

  return net.http_post(
    url := rtrim(project_url, '/') || '/functions/v1/drain',
    headers := jsonb_build_object('content-type', 'application/json', 'apikey', secret_key),
    timeout_milliseconds := 10000);
end
$$;
comment on function private.kick_drain() is
  'Calls the drain when an event is pending or a dead run holds one. Run each minute by pg_cron. Returns the request''s id in pg_net, or null.';

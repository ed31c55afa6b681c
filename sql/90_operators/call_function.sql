create function private.call_function(function_name text, task jsonb default '{}') returns bigint
language plpgsql security definer set search_path = ''
as $$
declare
  project_url text;
  secret_key text;
begin
  select s.decrypted_secret into project_url from vault.decrypted_secrets s where s.name = 'project_url';
  select s.decrypted_secret into secret_key from vault.decrypted_secrets s where s.name = 'secret_key';
  if project_url is null or secret_key is null then
    raise notice 'Work waits, and the function % cannot be called: store project_url and secret_key in Vault.', function_name;
    return null;
  end if;

  return net.http_post(
    url := rtrim(project_url, '/') || '/functions/v1/' || function_name,
    body := task,
    headers := jsonb_build_object('content-type', 'application/json', 'apikey', secret_key),
    timeout_milliseconds := 10000);
end
$$;
comment on function private.call_function(text, jsonb) is
  'Asks one of our functions to work: queues a request that pg_net sends after the commit, with the secret key from Vault. Returns its id in pg_net; null, with a notice, when Vault lacks project_url or secret_key.';

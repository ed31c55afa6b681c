create function api.count_stranger(address text, key_prefix text default null) returns jsonb
language sql
set search_path = ''
as $$
  select to_jsonb(private.count_stranger(address, key_prefix)) - 'full_at_us';
$$;
comment on function api.count_stranger(text, text) is
  'Counts a request without a valid credential by its address, and by the prefix of the key that it named: {requests_per_minute, allowed, remaining, reset_seconds, retry_after_seconds}. For the service role: a caller who could name the address would close it to others.';
grant execute on function api.count_stranger(text, text) to service_role;

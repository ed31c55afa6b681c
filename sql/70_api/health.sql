create function api.health() returns jsonb
language sql
set search_path = ''
set timezone = 'UTC'
as $$
  select jsonb_build_object('status', 'ok', 'time', now());
$$;
comment on function api.health() is 'Says that the database answers: {status, time}. Needs no credential.';
grant execute on function api.health() to anon, authenticated;
